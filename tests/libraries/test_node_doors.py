"""The doors of the shims for Node: modules that hold a library's calls, and the programs that are printed from them."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.capture.doors import VARIABLE
from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES
from conformance.deliveries import Delivery
from conformance.engine.cases import Group, Selection
from conformance.engine.children import open_child
from conformance.engine.group_play import GroupPlay
from conformance.environments import find
from conformance.environments.node import DOORS, SOURCES
from conformance.http import Request
from conformance.model import Conversation
from conformance.report.script.edits import EditedResponder
from conformance.report.script.javascript import JavaScript
from conformance.responders import DeliveredAnswer
from conformance.scenarios import load_scenarios
from conformance.session.client import http_answer
from conformance.wires.facts import Facts

MODULES = sorted((SOURCES / DOORS).glob("*.js"))
SHIMS = sorted(SOURCES.glob("*.ts"))
IMPORT = re.compile(r'^(?:import|export) \{([^}]+)\} from "([^"]+)";$', re.MULTILINE)
FUNCTION = re.compile(r"^export ((?:async )?function\*? (\w+)\(.*?^\})$", re.MULTILINE | re.DOTALL)
ERRORS = {"APICallError", "JSONParseError"}
"""What shims themselves know of libraries: the classes of failures, by which they tell whose failure it was."""

KEYWORDS = {
    "async", "await", "const", "else", "finally", "for", "function", "if", "in", "let", "new", "of", "return", "throw",
    "try", "yield",
}  # fmt: skip
GLOBALS = {"AbortController", "Object", "Promise", "ReadableStream", "TransformStream"}


# --- modules of doors ------------------------------------------------------------------------------------------------


def free_names(function: str) -> set[str]:
    """The names that a function uses and does not bind. Enough for what doors are: no strings with code in them."""
    code = re.sub(r'"[^"]*"', '""', function)
    code = re.sub(r"(?<=[{,])\s*\w+(?=:)", "", code)  # the keys of objects
    used = set(re.findall(r"(?<![\w$.])[A-Za-z_$][\w$]*|(?<=\.\.\.)\w+", code))
    lists = re.findall(r"function\*? \w+\(([\w, {}.]*)\)(?= \{)|(?<![\w$.])\(([\w, {}.]*)\)(?= =>)", code)
    bound = {name for pair in lists for names in pair for name in re.findall(r"\w+", names)}
    declared = re.findall(r"(?:const|let|function\*?) ([\[{]?[\w, ]+[\]}]?)", code)
    bound |= {name for names in declared for name in re.findall(r"\w+", names)}
    return used - bound - KEYWORDS - GLOBALS - {"true", "false", "null", "undefined"}


@pytest.mark.parametrize(
    ("function", "names"),
    [
        ("function a(x) {\n  return b(x.c, { d: x }, [...e]);\n}", {"b", "e"}),
        ("async function a() {\n  for await (const [x, y] of z()) x.map((w) => w + y);\n}", {"z"}),
        ("function a({ x, ...y }) {\n  if (z) return ({ v }) => [x, y, v, w];\n}", {"z", "w"}),
        ('function a(x) {\n  const y = x["z"];\n  return (v, w) => y(v, w, u);\n}', {"u"}),
    ],
)
def test_names_that_are_not_bound(function: str, names: set[str]) -> None:
    assert free_names(function) == names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_of_doors_is_whole(path: Path) -> None:
    text = path.read_text("utf-8")
    given = {name.split(" as ")[-1].strip() for names, _ in IMPORT.findall(text) for name in names.split(",")}
    functions = {name: source for source, name in FUNCTION.findall(text)}
    rest = FUNCTION.sub("", IMPORT.sub("", text))
    assert all(line.startswith("//") for line in rest.splitlines() if line), "something else than doors"
    for source in functions.values():
        assert free_names(source) <= given | functions.keys()
        assert "//" not in source and "/*" not in source, "a comment would stand in programs"
        assert len(source.splitlines()) <= 10 and max(map(len, source.splitlines())) <= 100
    used = set.union(set(), *map(free_names, functions.values()))
    handed_on = re.findall(r"^export \{([^}]+)\}", text, re.MULTILINE)
    assert given <= used | set(re.findall(r"\w+", " ".join(handed_on))), "something is imported for nothing"


@pytest.mark.parametrize("path", SHIMS, ids=lambda path: path.stem)
def test_a_shim_calls_its_library_in_doors_only(path: Path) -> None:
    text = path.read_text("utf-8")
    imports = re.findall(r'^import (type )?(.+?) from "(?!\.|node:)([^"]+)";$', text, re.MULTILINE | re.DOTALL)
    assert {name for _, names, _ in imports for name in re.findall(r"\w+", names)} <= ERRORS
    for name in re.findall(r'doors\("(\w+)"\)', text):
        assert SOURCES / DOORS / f"{name}.js" in MODULES


# --- programs --------------------------------------------------------------------------------------------------------

CASES = (
    ("parallel_calls.one_fails", "stream:whole"),
    ("multi_turn.system_prompt", "blocking"),
    ("quirks.missing_ids", "blocking"),
)
MADE_UP = {"quirks.missing_ids"}
"""Here the library makes ids up, other ones each time."""


@dataclass
class Listener(EditedResponder):
    """Remembers what it was asked."""

    asked: list[Any] = field(default_factory=list)

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> DeliveredAnswer:
        """See `EditedResponder`."""
        self.asked[place:] = [json.loads(request.body)]
        return super().respond(place, request, facts, intent, delivery)


def captured(address: str, provider: str, name: str, delivery: str, path: Path) -> tuple[list[Any], Listener]:
    """What a shim writes down, and what was heard of it."""
    child = open_child(address)
    scenario = load_scenarios()[name]
    listener = Listener(scenario, provider)
    group = Group(address, provider, name, (delivery,))
    play = GroupPlay(child.found, group, scenario, Selection(), [], listener, [None, None])  # no other delivery before
    try:
        child.caller.allow(60)
        play.case(delivery)
    finally:
        child.caller.close()
    return list(map(json.loads, path.read_text("utf-8").splitlines())), listener


def expression(node: Any) -> str:
    """JavaScript for an expression."""
    if isinstance(node, list):
        return f"[{', '.join(map(expression, node))}]"
    if not isinstance(node, dict):
        return json.dumps(node)
    match node.get("$"):
        case "source":
            return str(node["text"])
        case "call":
            assert node["options"] == {}
            return f"{node['function']}({', '.join(map(expression, node['arguments']))})"
        case None:
            return "{" + ", ".join(f"[{json.dumps(key)}]: {expression(item)}" for key, item in node.items()) + "}"
    raise AssertionError(node)


def program(line: Any, listener: Listener, provider: str) -> str:
    """A program of what was written down."""
    language, answers = JavaScript(), [http_answer(one, provider) for one in listener.delivered]
    steps = [f"const {step['name']} = {expression(step['value'])};" for step in line["steps"]]
    imports = language.imported([*language.imports, *line["imports"]])
    parts = [imports, language.answers(answers, dense=False), language.provider(answers, ""), *line["definitions"]]
    return "\n".join([*parts, *steps, *language.end])


def without_ids(value: Any) -> Any:
    """A request without the ids of calls."""
    if isinstance(value, list):
        return [without_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    ids = ("id", "call_id", "tool_call_id", "tool_use_id")
    return {key: without_ids(item) for key, item in value.items() if key not in ids}


PROVIDERS = {
    "ai-sdk-openai": ("openai-chat", "openai-responses"),
    "ai-sdk-anthropic": ("anthropic",),
    "ai-sdk-google": ("gemini",),
    "langchain-js-openai": ("openai-chat", "openai-responses", "azure"),
    "langchain-js-anthropic": ("anthropic",),
    "langchain-js-google-genai": ("gemini",),
}


def test_every_library_is_here() -> None:
    assert PROVIDERS.keys() == {name for name, library in LIBRARIES.items() if library.kind == "node"}


@pytest.mark.slow
@pytest.mark.usefixtures("environments_asked")
@pytest.mark.parametrize(("case", "delivery"), CASES)
@pytest.mark.parametrize(("name", "provider"), [(name, one) for name in PROVIDERS for one in PROVIDERS[name]])
def test_a_program_asks_as_the_run_asked(
    name: str, provider: str, case: str, delivery: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Needs environments, which ``conformance env NAME`` makes: asked for by ``--environments``."""
    try:
        found = find(f"env:{name}")
    except AdapterError as problem:
        pytest.skip(str(problem))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "captured"))
    lines, listener = captured(f"env:{name}", provider, case, delivery, tmp_path / "captured")
    node, shim = found.address.removeprefix("stdio:").split()
    (tmp_path / "node_modules").symlink_to(Path(shim).parents[1] / "node_modules")
    (tmp_path / "program.mjs").write_text(program(lines[-1], listener, provider), "utf-8")
    ran = subprocess.run([node, "program.mjs"], capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False)
    asked = [json.loads(body) for body in re.findall(r"^--> POST \S+\n(.+)$", ran.stdout, re.MULTILINE)]
    calls = [step["model_call"] for step in lines[-1]["steps"] if step["model_call"]]
    expected = [listener.asked[number - 1] for number in calls]
    same = without_ids if case in MADE_UP else list
    assert asked and same(asked) == same(expected), ran.stderr
    assert "127.0.0.1" not in json.dumps(lines)
