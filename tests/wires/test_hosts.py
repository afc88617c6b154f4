"""A host is one file: it says everything, what it forgets is told, and a new one needs nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

import conformance
from conformance.adapters.contract import AdapterInfo
from conformance.http import Request
from conformance.model import Conversation, Tool, UserTurn
from conformance.rules import catalogue, find_rule
from conformance.rules.examples import example_exchange
from conformance.rules.judge import judge
from conformance.schemas import problems
from conformance.script import QUIRKS, STATUS, ScriptError, ScriptTurn, Voice
from conformance.server.running import serving
from conformance.traffic.lenient import BY_HOSTS, BY_RECORDERS, LIBERTIES
from conformance.wires import PROVIDERS, card, host_file, host_ids, known_ids, wire
from conformance.wires.host import Host, host_of, read_host
from conformance.wires.host_file import HostError
from conformance.wires.hosts import hosts

PACKAGE = Path(conformance.__file__).parent
SCENARIO = "parallel_calls.different_tools"
FILES = sorted((PACKAGE / "wires" / "hosts").glob("*.toml"))
MADE_UP = """
id = "made-up"
title = "Made up"
wire = "openai-chat"
model = "made-up-1"

[address]
base_url = "https://api.made-up.example/v9"
own_hosts = 'api\\.made-up\\.example'
paths = ['/v9/chat/completions']

[authentication]
variables = ["MADE_UP_KEY"]
header = "x-made-up"
prefix = ""

[[takes]]
what = "a tool of its own"
evidence = { url = "https://docs.made-up.example/tools", date = "2026-01-01" }
rule = "chat.declare.function-tools-only"
found = "made_up_search"

[[sends]]
what = "content that is empty beside calls"
evidence = { repository = "made/up", path = "a.yaml", date = "2026-01-01", status = 200 }
set.deviations.no_content = ""
"""


def document(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


def built(made: Host) -> None:
    """Make all that a file says."""
    made_card = made.card(card(made.wire), card(made.wire).provider)
    wire(made.wire).at(made_card, made.section("deviations"))


# --- what the files say ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_fits_its_schema_and_what_it_names_is_there(path: Path) -> None:
    assert list(problems("host", document(path))) == []
    host = hosts()[path.stem]
    own = card(host.id)
    assert own.quirks <= QUIRKS.keys()
    assert own.stream_liberties <= LIBERTIES
    for entry in host.entries:
        rule = find_rule(entry.rule) if entry.rule else None
        assert (rule is not None and rule.applies_to(host.id, "native")) or not entry.rule
        assert not entry.is_about("another.rule", None, "")


def test_a_file_of_a_repository_is_cited_as_it_was_when_it_was_read() -> None:
    cited = [(name, entry.evidence) for name, host in hosts().items() for entry in host.entries]
    unpinned = [(name, source.path) for name, source in cited if source.repository and not source.commit]
    assert unpinned == []


def test_whoever_takes_a_liberty_is_named() -> None:
    """What streams of hosts may do was seen of a host that has a file, or of recorders; else it has no proof."""
    named = frozenset().union(*(card(name).stream_liberties for name in known_ids()))
    assert BY_HOSTS - named - BY_RECORDERS == {"id_repeated_in_deltas", "no_deltas", "number_gaps"}


@pytest.mark.parametrize("name", host_ids())
def test_a_host_speaks_the_format_of_its_wire(name: str) -> None:
    own, host = card(name), host_file(name)
    assert host is not None
    assert (own.id, own.format, own.provider) == (name, card(host.wire).format, card(host.wire).provider)
    assert own.provider in PROVIDERS and name not in PROVIDERS
    asked = Conversation((UserTurn("Hi."),), (Tool("now", "Tells the time."),), model="m")
    request = wire(name).build(asked, stream=True)
    assert request.url.startswith(own.base_url)
    assert {item[0].lower(): item[1] for item in request.headers.items()}[own.key.header] == f"{own.key.prefix}test-key"
    voice = Voice("m", {"now": "now"}, "seed")
    said = wire(name).respond(ScriptTurn("Hello."), voice)
    assert wire(name).read_response(said, asked).text == "Hello."
    for kind in STATUS:
        failed = wire(name).read_response(wire(name).render_error(ScriptError(kind, "No.")), asked)
        assert failed.error is not None and failed.error.message == "No."


def test_the_page_shows_a_whole_file() -> None:
    page = (PACKAGE.parent / "docs" / "hosts.md").read_text("utf-8")
    shown = re.search(r"`conformance/wires/hosts/(\S+)`:\n\n```toml\n(.+?)```", page, re.DOTALL)
    assert shown is not None
    assert shown[2] == (PACKAGE / "wires" / "hosts" / shown[1]).read_text("utf-8")


# --- what is forgotten -----------------------------------------------------------------------------------------------


def without(whole: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A file's document without each of the entries that must be there, with the entry's name."""
    places: list[tuple[list[Any], str]] = [([], name) for name in ("id", "title", "wire")]
    if whole["id"] != whole["wire"]:
        places += [([], name) for name in ("model", "address", "authentication")]
        places += [(["address"], name) for name in ("base_url", "own_hosts", "paths")]
        places += [(["authentication"], name) for name in ("variables", "header", "prefix")]
    for kind in ("takes", "refuses", "sends", "limits"):
        for number, entry in enumerate(whole.get(kind, ())):
            places += [([kind, number], "what"), ([kind, number], "evidence"), ([kind, number, "evidence"], "date")]
            places += [([kind, number, "evidence"], name) for name in ("url", "path") if name in entry["evidence"]]
            for place, shape in enumerate(entry.get("shapes", ())):
                named = (name for name in ("schemas", "definition", "field") if name in shape)
                places += [([kind, number, "shapes", place], name) for name in named]
    for steps, name in places:
        left = deepcopy(whole)
        holder: Any = left
        for step in steps:
            holder = holder[step]
        del holder[name]
        yield name, left


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_entry_that_is_forgotten_is_told(path: Path) -> None:
    whole = document(path)
    tried = 0
    for name, left in without(whole):
        with pytest.raises(HostError) as told:
            built(host_of(left, path.name))
        assert re.fullmatch(rf"{re.escape(path.name)}: [^\n]+", str(told.value))
        assert name in str(told.value) or "source is missing" in str(told.value)
        assert list(problems("host", left)) or name in ("model", "address", "authentication")
        tried += 1
    assert tried >= 3 + 3 * sum(len(whole.get(kind, ())) for kind in ("takes", "refuses", "sends", "limits"))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('title = "Made up"', "title = 3", "made-up.toml: title is 3: it must be a text"),
        ('wire = "openai-chat"', 'wire = "openai-chat"\nwires = 1', "there is no 'wires' here: use some of id, title"),
        ('id = "made-up"', 'id = "other"', "its id is 'other': name the file other.toml"),
        ("paths = ['/v9/chat/completions']", "paths = 'x'", "address: paths is 'x': it must be a list of texts"),
        ("api\\.made-up", "api(", "address: own_hosts is no regular expression"),
        ('found = "made_up_search"', 'found = "("', "takes[1]: found is no regular expression"),
        ('rule = "chat.declare.function-tools-only"', "", "takes[1]: found is about a rule's findings: name the rule"),
        ('date = "2026-01-01" }\nrule', 'date = "soon" }\nrule', "takes[1].evidence: date is 'soon'"),
        ("status = 200", "status = 2", "sends[1].evidence: status is 2: give an HTTP status"),
        ("status = 200", f'error = "{"x" * 201}"', "sends[1].evidence: error has 201 characters: keep at most 200"),
        ("no_content", "no_such_thing", "sends[1]: there is no 'no_such_thing' here"),
        ('set.deviations.no_content = ""', "set.deviations.images = 3", "images is 3: it must be true or false"),
        ('set.deviations.no_content = ""', "set.card.quirks = 3", "sends[1]: quirks is 3: it must be a list"),
        ("set.deviations.no_content", "set.else.no_content", "sends[1].set: there is no 'else' here"),
        ('no_content = ""', "first_chunk = '['", "first_chunk is '[': it must be the text of a JSON object"),
        ('no_content = ""', "errors = { other = '{}' }", "there is no 'other' here: use some of invalid_request"),
        ('no_content = ""', "edits = [{ remove = ['a'] }]", "at is missing: say which part of the body is meant"),
        ('[[sends]]', 'set.deviations.no_content = "x"\n[[sends]]', "no_content is set a second time: keep one"),
        ('[[sends]]', 'capabilities = ["flying"]\n[[sends]]', "takes[1]: there is no capability 'flying'"),
        ('[[sends]]', "[[sends]", "this is no TOML"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_with_the_place(old: str, new: str, told: str) -> None:
    assert old in MADE_UP
    with pytest.raises(HostError) as problem:
        built(read_host(MADE_UP.replace(old, new), "made-up.toml"))
    assert told in str(problem.value) and "\n" not in str(problem.value)


def test_settings_of_a_wire_that_has_none_are_told() -> None:
    with pytest.raises(HostError, match=r"sends\[1\]: there is no 'no_content' here: use some of path, stream_path"):
        built(read_host(MADE_UP.replace('"openai-chat"', '"anthropic"'), "made-up.toml"))


# --- what rules make of it -------------------------------------------------------------------------------------------


def test_a_finding_is_excused_where_the_host_takes_it() -> None:
    rule = catalogue()["chat.declare.function-tools-only"]
    messages = [{"role": "user", "content": "x"}]
    body = {"model": "openai/gpt-oss-120b", "messages": messages, "tools": [{"type": "browser_search"}]}
    url = "https://x.example/chat/completions"
    exchange = replace(example_exchange(rule, rule.example), request=Request.post_json(url, body))
    assert [item for item in judge(rule, replace(exchange, provider="openai-chat")) if item]
    assert not [item for item in judge(rule, replace(exchange, provider="groq")) if item]
    assert not [item for item in judge(rule, replace(exchange, provider="openai-chat"), "groq") if item]
    other = Request.post_json(url, {**body, "model": "llama"})
    assert [item for item in judge(rule, replace(exchange, provider="groq", request=other)) if item]


def test_an_adapter_is_told_the_provider_unless_it_knows_the_host() -> None:
    info = AdapterInfo("a", {"openai-chat": ["blocking"], "xiaomi": ["streaming"]})
    assert info.claims() == {"openai-chat": {"blocking"}}
    assert info.claims(("groq", "xiaomi", "copilot")) == {"groq": {"blocking"}, "xiaomi": {"streaming"}}
    assert [info.told(name) for name in ("groq", "xiaomi", "openai-chat")] == ["openai-chat", "xiaomi", "openai-chat"]


def test_a_host_is_served_under_its_name() -> None:
    ask = Conversation((UserTurn("Weather?"),), (Tool("get_weather", "Tells it."),), model=f"conformance/{SCENARIO}")
    request = wire("writer").build(ask, stream=False)
    with serving(lenient=True) as server:
        url = request.url.replace("https://api.writer.com", f"{server.origin}/p/writer")
        answer = httpx.post(url, content=request.body, headers=dict(request.headers))
        assert answer.status_code == 200, answer.text
        lost = httpx.post(f"{server.origin}/p/nobody/v1/chat", content=request.body)
        assert lost.status_code == 404 and "list hosts" in lost.text


# --- a new host ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with one file more."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, root / "conformance", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("scenarios", "cassettes"):
        (root / name).symlink_to(PACKAGE.parent / name)
    (root / "conformance" / "wires" / "hosts" / "made-up.toml").write_text(MADE_UP, "utf-8")
    return root


def told_by(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    command = [sys.executable, "-m", "conformance", *words]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_new_host_is_one_file(copy: Path) -> None:
    listed = json.loads(told_by(copy, "list", "hosts", "--format", "json").stdout)
    assert "https://docs.made-up.example/tools" in json.dumps(next(one for one in listed if one["id"] == "made-up"))
    chosen = ("--provider", "made-up", "--scenario", "parallel_calls.*")
    done = told_by(copy, "run", *chosen, "--format", "json", "-j", "1")
    result = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert {cell["provider"] for cell in result["cells"]} == {"made-up"}
    assert {cell["outcome"] for cell in result["cells"]} <= {"pass", "not_applicable"}
    assert {item for one in result["adapters"] for item in one["providers"]} == set(PROVIDERS)
    assert sum(cell["outcome"] == "pass" for cell in result["cells"]) > 10


@pytest.mark.slow
def test_a_request_to_a_new_host_is_audited_as_the_host_takes_it(copy: Path) -> None:
    lines = []
    for number, (host, kind) in enumerate(
        [("api.made-up.example", "made_up_search"), ("api.made-up.example", "other"), ("b.example", "made_up_search")]
    ):
        body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": [{"type": kind}]}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}]}  # fmt: skip
        lines.append({"id": str(number), "provider": "openai-chat", "host": host, "method": "POST", "status": 200,
                      "path": "/v9/chat/completions", "stream": False, "fidelity": "wire", "request": body,
                      "response": answer})  # fmt: skip
    file = copy / "traffic.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    done = told_by(copy, "audit", str(file), "--format", "json", "--rule", "chat.declare.function-tools-only")
    found = json.loads(done.stdout)
    assert found["exchanges"] == 3, found
    assert [one["exchange"] for one in found["findings"]] == ["1", "2"]


@pytest.mark.slow
def test_a_mistake_in_a_file_is_told_by_the_command_line(copy: Path) -> None:
    bad = copy / "conformance" / "wires" / "hosts" / "wrong.toml"
    bad.write_text(MADE_UP.replace("made-up", "wrong").replace('title = "Made up"', ""), "utf-8")
    try:
        done = told_by(copy, "run", "--provider", "openai-chat")
    finally:
        bad.unlink()
    assert done.returncode == 2
    assert done.stderr == 'conformance: hosts: wrong.toml: title is missing: add title = "..."\n'
