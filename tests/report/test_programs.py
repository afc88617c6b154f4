"""Programs that show a failure: small, whole, and run by the library alone; what they print shows the failure."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from every import each, every
from hypothesis import given, settings
from hypothesis import strategies as st
from one_failure import REPRODUCE, result
from test_writers import matches

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES, installed
from conformance.cli import main
from conformance.environments.finding import find
from conformance.report.script import NoScriptError, script
from conformance.report.script.edits import members, without
from conformance.report.script.installation import installation
from conformance.report.script.javascript import JavaScript
from conformance.report.script.language import pieces
from conformance.report.script.python import Python

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "reports" / "libraries" / "programs").glob("*/*.*"))
BY_DISTRIBUTION: dict[str, list[Path]] = {}
for _path in PROGRAMS:
    BY_DISTRIBUTION.setdefault(LIBRARIES[_path.parent.name].distribution, []).append(_path)
IN_TURN = Path(__file__).with_name("in_turn.py")
LINES, COLUMNS = 64, 100  # what keeps the whole answer of a stream needs its counts, too
NASTY = [
    "plain", "it's", 'say "hi"', "both ' and \"", "back\\slash", "line\nend\r\n\ttab", "\0",
    "ümlaut \u2028 \ud800 \U0001f600",
    {"__proto__": {"odd key": None}, "ok": True, "no": False}, [], {}, 1.5, 10**15, ["long"] * 60, "x y " * 90,
    [{"only": "x" * 120}],
]  # fmt: skip

# --- real failures of real SDKs --------------------------------------------------------------------------------------

FAILURES = {
    "a null that goes back": ("openai", "openai-chat", "no_arguments.null", "blocking",
                              "chat.history.assistant-call-fields"),
    "a stream without its reason": ("openai", "openai-chat", "quirks.no_finish", "stream:per-event",
                                    "chat.stream.done-sentinel"),
    "an id that grows": ("openai", "openai-chat", "quirks.id_repeated_in_deltas", "stream:per-event",
                         "common.ids.verbatim-round-trip"),
    "an exception": ("ollama", "ollama", "arguments.object_or_text", "blocking", "common.parse.args-decoded-object"),
}  # fmt: skip
"""What SDKs in the test environment do wrong: library, provider, scenario, delivery, rule."""


@cache
def failing(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A result with the failure, and its cell. Skips where the SDK is missing, or does not fail any more."""
    library, provider, scenario, delivery, rule = FAILURES[name]
    try:
        installed(LIBRARIES[library].distribution)
    except AdapterError as problem:
        pytest.skip(str(problem))
    words = ["run", library, "--provider", provider, "--scenario", scenario, "--delivery", delivery, "--rule", rule]
    done = subprocess.run(
        [sys.executable, "-m", "conformance", *words, "--format", "json"], capture_output=True, text=True, check=False
    )
    document = json.loads(done.stdout)
    [cell] = [cell for cell in document["cells"] if cell["rule"] == rule]
    if not cell["failures"]:
        pytest.skip(f"{library} does that right now")
    return document, cell


@cache
def program(name: str) -> str:
    return script(*failing(name))


def run(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in Python, in an empty folder, without anything of ours."""
    file = folder / "program.py"
    file.write_text(text, "utf-8")
    return subprocess.run(
        [sys.executable, "-I", str(file)], capture_output=True, text=True, timeout=60, cwd=folder, check=False
    )


def requests(printed: str) -> list[Any]:
    """The bodies of the requests that a program printed."""
    return [json.loads(body) for body in re.findall(r"^--> POST \S+\n(.+)$", printed, re.MULTILINE)]


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILURES)
def test_a_program_is_small_and_has_nothing_of_ours(name: str) -> None:
    text = program(name)
    lines = text.splitlines()
    assert len(lines) <= LINES and max(map(len, lines)) <= COLUMNS
    code = ast.unparse(ast.parse(text))
    assert "conformance" not in code
    assert set(re.findall(r"api_key='([^']*)'", code)) <= {"test-key"}
    document, cell = failing(name)
    assert lines[0] == "# " + installation(cell["adapter"], document["adapters"][0]["version"], cell["provider"])


@pytest.mark.slow
def test_the_request_that_a_program_prints_is_wrong(tmp_path: Path) -> None:
    ran = run(program("a null that goes back"), tmp_path)
    assert ran.returncode == 0, ran.stderr
    first, last = requests(ran.stdout)
    [call] = last["messages"][1]["tool_calls"]
    assert call["function"]["arguments"] is None
    assert first["messages"] == last["messages"][:1]


@pytest.mark.slow
def test_the_answer_that_a_program_prints_is_wrong(tmp_path: Path) -> None:
    ran = run(program("a stream without its reason"), tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "finish_reason=None" in ran.stdout.rpartition("<-- ")[2]


@pytest.mark.slow
def test_what_was_given_wrong_to_the_library_is_shown_where_it_comes_from(tmp_path: Path) -> None:
    """The request repeats an id that the stream before was misread to have: the program shows that stream."""
    ran = run(program("an id that grows"), tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert len(requests(ran.stdout)) == 1
    [call_id] = set(re.findall(r'"id":"(call_[A-Za-z0-9]+)"', program("an id that grows").replace("'\n        b'", "")))
    assert call_id * 2 in ran.stdout.rpartition("<-- ")[2]


@pytest.mark.slow
def test_a_library_that_raises_raises_in_the_program(tmp_path: Path) -> None:
    ran = run(program("an exception"), tmp_path)
    _, cell = failing("an exception")
    assert ran.returncode == 1
    assert re.split(r"raised | \[|\n", cell["failures"][0]["found"])[1].partition(":")[0] in ran.stderr


@pytest.mark.slow
def test_only_what_the_failure_needs_is_left() -> None:
    text = program("a null that goes back")
    assert "tools=" not in text and '"object"' not in text and "created" not in text
    assert text.count("ANSWERS = [") == 1 and text.count("(200, ") == 1


@pytest.mark.slow
def test_a_program_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document, cell = failing("a null that goes back")
    path = tmp_path / "result.json"
    path.write_text(json.dumps(document), "utf-8")
    name = f"{cell['adapter']}/{cell['provider']}/{cell['rule']}"
    assert main(["explain", name, "--result", str(path), "--script"]) == 0
    printed = capsys.readouterr().out
    matches("explain-cell-script.txt", re.sub(r"==[\d.]+", "==VERSION", printed))


# --- where there is none ---------------------------------------------------------------------------------------------


def refused(document: dict[str, Any]) -> str:
    with pytest.raises(NoScriptError) as problem:
        script(document, document["cells"][0])
    return str(problem.value)


def test_for_other_adapters_the_command_is_named() -> None:
    said = refused(result("mine", "openai-chat", "shell.success/blocking"))
    assert said.startswith("no program is known for mine") and said.endswith(REPRODUCE)


@pytest.mark.parametrize("name", ["common.stream.unmoved-by-another-beside", "common.stream.news-in-time"])
def test_what_one_call_does_not_show_is_no_program(name: str) -> None:
    document = result("openai", "openai-chat", "parallel_calls.text_beside_calls/stream:per-event")
    document["cells"][0]["rule"] = name
    said = refused(document)
    assert said.startswith("a program of one call does not show it") and said.endswith(REPRODUCE)


def test_answers_of_recordings_are_not_made_up() -> None:
    assert REPRODUCE in refused(result("openai", "openai-chat", "shell.success/blocking", responder="cassette"))


def test_a_scenario_that_is_not_here() -> None:
    assert "there is no scenario my.own here" in refused(result("openai", "openai-chat", "my.own/blocking"))


# --- what is published -----------------------------------------------------------------------------------------------


@each("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_published_program_is_small(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) <= LINES and max(map(len, lines)) <= COLUMNS
    code = "\n".join(line for line in lines if not line.startswith(("#", "//")))
    assert "conformance" not in code
    if path.suffix == ".py":
        ast.parse(code)


@pytest.mark.slow
@pytest.mark.usefixtures("environments_asked")
@pytest.mark.parametrize("distribution", BY_DISTRIBUTION)
def test_published_programs_run_where_their_library_is(distribution: str, tmp_path: Path) -> None:
    """Needs environments, which ``conformance env NAME`` makes: asked for by ``--environments``."""
    programs = BY_DISTRIBUTION[distribution]
    try:
        found = find(f"env:{programs[0].parent.name}")
    except AdapterError as problem:
        pytest.skip(str(problem))
    names = [shutil.copy(path, tmp_path / f"{path.parent.name}-{path.name}").name for path in programs]
    if found.python is not None:
        start([str(found.python), str(IN_TURN), ".", *names], tmp_path)
    else:
        node, shim = found.address.removeprefix("stdio:").split()
        (tmp_path / "node_modules").symlink_to(Path(shim).parents[1] / "node_modules")
        for name in names:
            start([node, name], tmp_path, name)
    every({name: (tmp_path, name) for name in names}, spoke)


def start(command: list[str], folder: Path, name: str = "all") -> None:
    """Run a command in the folder; what it prints is in ``NAME.out`` and ``NAME.err``."""
    with (folder / f"{name}.out").open("w") as out, (folder / f"{name}.err").open("w") as err:
        subprocess.run(
            command, stdout=out, stderr=err, timeout=600, cwd=folder, check=False,
            env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )  # fmt: skip


def spoke(folder: Path, name: str) -> None:
    """A program asked its provider, or said by an error why it did not."""
    printed, errors = ((folder / f"{name}{kind}").read_text("utf-8") for kind in (".out", ".err"))
    assert "--> POST" in printed or "Error" in errors, errors


# --- parts -----------------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON)
def test_what_is_taken_out_is_gone_and_nothing_else(value: Any) -> None:
    for pointer in members(value):
        smaller = without(value, pointer)
        left = list(members(smaller))
        inside = [other for other in members(value) if other[: len(pointer)] == pointer]
        assert pointer not in left and len(left) == len(list(members(value))) - len(inside)
        assert without(smaller, pointer) == smaller


@each("value", NASTY, ids=lambda value: repr(value)[:20])
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
    assert pieces("one\ntwo\n", 10, repr, dense=True) == [r"'one\ntwo'", r"'\n'"]


def test_what_to_install() -> None:
    assert installation("pydantic-ai", "1.0", "gemini") == "pip install pydantic-ai-slim[google]==1.0"
    assert installation("litellm", "1.106.2", "anthropic") == "pip install litellm[mcp]==1.106.2"
    assert installation("openai", "2.0", "azure") == "pip install openai==2.0"
    assert installation("ai-sdk-openai", "4.0.0", "openai-chat") == "npm install @ai-sdk/openai@4.0.0 ai"
