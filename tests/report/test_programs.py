"""Programs that show a failure: that each is whole and can be read, and that it runs where its library is."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from one_failure import REPRODUCE, RULE, result
from test_writers import matches

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.libraries.calls import CALLS, call_of_library, installation
from conformance.cli import main
from conformance.environments.finding import find
from conformance.report.script import NoScriptError, script
from conformance.report.script.javascript import JavaScript
from conformance.report.script.language import Language, pieces
from conformance.report.script.python import Python
from conformance.report.script.replay import played

ROOT = Path(__file__).parents[2]
MODULES = {"openai-responses": "openai", "google-genai": "google.genai"}
PROVIDERS = {
    "openai-responses": "openai-responses", "google-genai": "gemini", "langchain-google-genai": "gemini",
    "langchain-js-google-genai": "gemini", "ai-sdk-google": "gemini", "ollama": "ollama", "langchain-ollama": "ollama",
    "litellm": "anthropic", "litellm-messages": "anthropic", "litellm-responses": "openai-responses",
}  # fmt: skip
"""Where it is not Chat Completions, and not told by the name."""
CASES = (
    ("parallel_calls.two_reads", 2), ("parallel_calls.one_fails", 2), ("multi_turn.system_prompt", 1),
    ("multi_turn.no_tools", 1), ("handoff.finished_round", 2), ("reasoning.one_call", 2), ("errors.rate_limit", 1),
    ("errors.results_sent_again", 3), ("quirks.missing_ids", 2), ("binary_image.one_image", 2),
    ("read_file.json_text", 2), ("tool_choice.forced_tool", 1),
)  # fmt: skip
"""One of each kind that programs are made differently for, with its last model call."""
NASTY = [
    "plain", "it's", 'say "hi"', "both ' and \"", "back\\slash", "line\nend\r\n\ttab", "\0",
    "ümlaut \u2028 \ud800 \U0001f600",
    {"__proto__": {"odd key": None}, "ok": True, "no": False}, [], {}, 1.5, 10**15, ["long"] * 60, "x y " * 90,
]  # fmt: skip


def provider_of(library: str) -> str:
    """A provider that the library speaks to."""
    return PROVIDERS.get(library, "anthropic" if "anthropic" in library else "openai-chat")


def program(adapter: str, provider: str, case: str, model_call: int = 1) -> str:
    document = result(adapter, provider, case, model_call)
    return script(document, document["cells"][0])


def language_of(library: str) -> Language:
    return JavaScript() if LIBRARIES[library].kind == "node" else Python()


def programs(name: str, delivery: str) -> Iterator[tuple[str, str, int, str]]:
    """The cases that the provider has, with their programs: provider, case, last model call, and text."""
    library, _, provider = name.partition("/")
    provider = provider or provider_of(library)
    for scenario, last in CASES if delivery != "stream:per-byte" else CASES[:2]:
        case = f"{scenario}/{delivery}"
        try:
            yield provider, case, last, program(library, provider, case, last)
        except NoScriptError as problem:
            assert "there is no scenario" in str(problem)


# --- all of them -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delivery", ["blocking", "stream:per-event", "stream:per-byte"])
@pytest.mark.parametrize("name", CALLS)
def test_every_program_is_whole(name: str, delivery: str) -> None:
    library = name.partition("/")[0]
    language = language_of(library)
    for provider, case, last, text in programs(name, delivery):
        assert text.startswith(f"{language.comment}{installation(library, '1.2.3', provider)}\n"), case
        code = "\n".join(line for line in text.split("\n") if not line.startswith(language.comment))
        assert "conformance" not in code and "$" not in re.sub(r"\$\{[^}]*\}", "", code), case
        asking = code[code.rindex("BASE_URL = ") :]
        assert set(re.findall(r"""(?i)key["']?[:=] ?["']([^"']*)""", asking)) <= {"test-key"}, case
        assert max(map(len, code.split("\n"))) <= 120, case
        answers = played(case, provider, "portable", None)[:last]
        assert code.count("ask()") == len(answers) + 1, case
        if isinstance(language, Python):
            module = ast.parse(text)
            assert [[b"".join(chunks) for _, _, chunks in _value(module, "ANSWERS")]] == [
                [b"".join(answer.chunks) for answer in answers]
            ]


def _value(module: ast.Module, name: str) -> list[tuple[int, dict[str, str], list[bytes]]]:
    """What a variable of a program holds at first."""
    [value] = [node.value for node in module.body if isinstance(node, ast.Assign) and ast.unparse(node.targets) == name]
    found: list[tuple[int, dict[str, str], list[bytes]]] = eval(ast.unparse(value))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node")
def test_every_program_in_javascript_is_a_module(tmp_path: Path) -> None:
    made = []
    for name in CALLS:
        if LIBRARIES[name.partition("/")[0]].kind == "node":
            for number, (_, _, _, text) in enumerate([*programs(name, "blocking"), *programs(name, "stream:per-byte")]):
                made.append(tmp_path / f"{name.replace('/', '.')}-{number}.mjs")
                made[-1].write_text(text, "utf-8")
    reader = "for (const file of process.argv.slice(1))\n"
    reader += "  new (require('vm').SourceTextModule)(require('fs').readFileSync(file, 'utf8'), { identifier: file })"
    node = ["node", "--experimental-vm-modules", "-e", reader, *map(str, made)]
    done = subprocess.run(node, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("value", NASTY, ids=lambda value: repr(value)[:20])
def test_literals_of_python(value: object) -> None:
    assert eval(Python().literal(value)) == value
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogatepass")
        assert eval(Python().literal([data, data])) == [data, data]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node")
def test_literals_of_javascript() -> None:
    file = f"process.stdout.write(JSON.stringify({JavaScript().literal(NASTY)}))"
    done = subprocess.run(["node", "--input-type=module", "-"], input=file, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout) == NASTY, done.stderr


def test_long_texts_break_at_line_ends() -> None:
    assert pieces("one\ntwo\n" + "x" * 12, 10, repr) == [r"'one\n'", r"'two\n'", "'xxxxxxxx'", "'xxxx'"]


# --- what they look like ---------------------------------------------------------------------------------------------


def test_a_program_in_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result("ollama", "ollama", "parallel_calls.two_reads/blocking", 2)), "utf-8")
    assert main(["explain", f"ollama/ollama/{RULE}", "--result", str(path), "--script"]) == 0
    matches("explain-cell-script.txt", capsys.readouterr().out)


def test_a_program_in_javascript() -> None:
    matches("explain-cell-script-js.txt", program("ai-sdk-openai", "openai-chat", "quirks.missing_ids/blocking", 2))


def test_what_a_program_does_not_use_is_not_imported() -> None:
    plain = program("langchain-openai", "openai-chat", "multi_turn.no_tools/blocking")
    assert "ToolMessage" not in plain and "bind_tools" not in plain and "import HumanMessage" in plain


def test_ids_that_the_provider_does_not_give_are_the_applications() -> None:
    text = program("openai", "openai-chat", "quirks.missing_ids/blocking", 2)
    assert 'ids = ["own000000"]' in text and "call.id = ids[place] = call.id or ids[place]" in text
    assert '"tool_call_id": ids[0]' in text


def test_what_to_install() -> None:
    assert installation("pydantic-ai", "1.0", "gemini") == "pip install pydantic-ai-slim[google]==1.0"
    assert installation("litellm", "1.106.2", "anthropic") == "pip install litellm[mcp]==1.106.2"
    assert installation("openai", "2.0", "azure") == "pip install openai==2.0"
    assert installation("ai-sdk-openai", "4.0.0", "openai-chat") == "npm install @ai-sdk/openai@4.0.0 ai"


# --- which failure ---------------------------------------------------------------------------------------------------


def test_a_case_without_failures_before_is_preferred() -> None:
    document = result("ollama", "ollama", "parallel_calls.two_reads/blocking", 2)
    [cell] = document["cells"]
    longer = {**cell["failures"][0], "case": "parallel_calls.three_calls/blocking"}
    cell["failures"].append(longer)
    assert "parallel_calls.two_reads" in script(document, cell)
    document["evidence"]["e0"] = {**document["evidence"]["e1"], "model_call": 1}
    before = {**cell["failures"][0], "evidence": "e0"}
    document["cells"].append({**cell, "rule": "common.parse.text-kept", "failures": [before]})
    assert "parallel_calls.three_calls" in script(document, cell)


def test_every_library_has_a_program() -> None:
    assert [name for name in LIBRARIES if call_of_library(name, provider_of(name)) is None] == []
    assert {name.partition("/")[0] for name in CALLS} == set(LIBRARIES)


def test_for_other_adapters_the_command_is_named() -> None:
    with pytest.raises(NoScriptError, match=f"no program is known for mine.*{REPRODUCE}"):
        program("mine", "openai-chat", "shell.success/blocking")


def test_answers_of_recordings_are_not_made_up() -> None:
    document = result("openai", "openai-chat", "shell.success/blocking", responder="cassette")
    with pytest.raises(NoScriptError, match=REPRODUCE):
        script(document, document["cells"][0])


# --- running ---------------------------------------------------------------------------------------------------------


def runs(command: list[str], file: Path, text: str) -> None:
    """The program makes two model calls and prints what comes of them."""
    file.write_text(text, "utf-8")
    settings = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # else importing litellm asks for prices
    ran = subprocess.run(
        [*command, str(file)], capture_output=True, text=True, timeout=120, cwd=file.parent, check=False, env=settings
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("--> POST") == 2
    assert ran.stdout.count("<-- ") == 2
    assert "read_file" in ran.stdout.partition("<-- ")[2]


@pytest.mark.parametrize("delivery", ["blocking", "stream:per-event"])
@pytest.mark.parametrize("library", ["openai", "openai-responses", "anthropic", "google-genai", "ollama"])
def test_a_program_runs(library: str, delivery: str, tmp_path: Path) -> None:
    module = MODULES.get(library, library)
    if find_spec(module.partition(".")[0]) is None or find_spec(module) is None:
        pytest.skip(f"needs {library}")
    text = program(library, provider_of(library), f"parallel_calls.two_reads/{delivery}", 2)
    runs([sys.executable], tmp_path / "program.py", text)


@cache
def declared(library: str) -> dict[str, list[str]]:
    """What the published matrix says that the library does, by provider."""
    published = json.loads((ROOT / "reports" / "libraries" / "result.json").read_bytes())
    return next(dict(one["capabilities"]) for one in published["adapters"] if one["id"] == library)


@pytest.mark.slow
@pytest.mark.parametrize("delivery", ["blocking", "stream:per-event"])
@pytest.mark.parametrize("name", CALLS)
def test_a_program_runs_where_its_library_is(name: str, delivery: str, tmp_path: Path) -> None:
    """Needs environments: ``conformance env NAME`` makes them, and CONFORMANCE_ENVS says where they are."""
    library, _, provider = name.partition("/")
    try:
        found = find(f"env:{library}")
    except AdapterError as problem:
        pytest.skip(str(problem))
    provider = provider or provider_of(library)
    if ("streaming" if delivery.startswith("stream") else "blocking") not in declared(library)[provider]:
        pytest.skip(f"{library} does not do that on {provider}")
    text = program(library, provider, f"parallel_calls.two_reads/{delivery}", 2)
    if found.python is not None:
        runs([str(found.python)], tmp_path / "program.py", text)
        return
    node, shim = found.address.removeprefix("stdio:").split()
    (tmp_path / "node_modules").symlink_to(Path(shim).parents[1] / "node_modules")
    runs([node], tmp_path / "program.mjs", text)
