"""A cell explained, and its program: that it runs where the library is, and compiles where it is not."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from test_writers import matches

from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.libraries.calls import CALLS, call_of_library, requirement
from conformance.cli import main
from conformance.report.script import NoScriptError, script

RULE = "common.result.no-orphan"
REPRODUCE = "conformance run somewhere"
MODULES = {"openai-responses": "openai", "google-genai": "google.genai"}
PROVIDERS = {"openai": "openai-chat", "openai-responses": "openai-responses", "google-genai": "gemini"}
OTHERS = {"any-llm": "gemini", "litellm": "anthropic", "aisuite": "gemini", "langchain-google-genai": "gemini"}


def provider_of(library: str) -> str:
    """A provider that the library speaks to."""
    known = {**PROVIDERS, **OTHERS, "ollama": "ollama", "langchain-ollama": "ollama"}
    if library in known:
        return known[library]
    return "anthropic" if "anthropic" in library else "openai-chat"


def result(adapter: str, provider: str, case: str, model_call: int = 1, **run: str) -> dict[str, Any]:
    """A result with one cell that fails in one case."""
    failure = {"case": case, "at": "/messages/0", "in": "request", "expected": "an id", "found": "a\nline",
               "evidence": "e1"}  # fmt: skip
    evidence = {
        "model_call": model_call,
        "request": {"method": "POST", "url": "http://localhost/x", "headers": {}, "body": {"n": list(range(90))}},
        "response": {"status": 200, "body": {"text": "hello"}},
        "understood": {"text": "hello", "opaque": "never shown"},
        "reproduce": REPRODUCE,
    }
    return {
        "schema": "https://toolcall-conformance.dev/schemas/result-1.json",
        "suite": {"version": "1", "rules": 1, "scenarios": 1},
        "run": {"started": "2026-01-15T10:20:30Z", "duration_s": 1, "profile": "portable", "command": "conformance run",
                "interrupted": False, "exit_code": 1, "cases": {"planned": 2, "finished": 2, "unsupported": 0}, **run},
        "adapters": [{"id": adapter, "name": adapter, "version": "1.2.3", "kind": "client", "providers": [provider]}],
        "rules": [{"id": RULE, "level": "must", "consequence": "rejected", "stage": "result", "side": "build",
                   "providers": [provider], "statement": "Every result has its call.", "source": ["a page"]}],
        "cells": [{"adapter": adapter, "provider": provider, "rule": RULE, "outcome": "fail",
                   "cases": {"fail": 2, "pass": 1}, "failed_cases": [case, "shell.success/blocking"],
                   "failures": [failure]}],
        "evidence": {"e1": evidence},
    }  # fmt: skip


def program(adapter: str, provider: str, case: str, model_call: int = 1) -> str:
    document = result(adapter, provider, case, model_call)
    return script(document, document["cells"][0])


@pytest.fixture
def ollama(tmp_path: Path) -> Path:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result("ollama", "ollama", "parallel_calls.two_reads/blocking", 2)), "utf-8")
    return path


def test_a_cell_as_text(ollama: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ollama.parent)
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["explain", f"ollama/ollama/{RULE}"]) == 0
    matches("explain-cell.txt", capsys.readouterr().out)


def test_a_cell_as_data(ollama: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"ollama/ollama/{RULE}", "--result", str(ollama), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["outcome"] == "fail"
    assert document["failures"][0]["evidence"]["request"]["body"] == {"n": list(range(90))}


def test_the_newest_report_is_read(
    ollama: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ollama.parent / "elsewhere"
    (folder / "reports" / "today").mkdir(parents=True)
    ollama.rename(folder / "reports" / "today" / "result.json")
    monkeypatch.chdir(folder)
    assert main(["explain", f"ollama/ollama/{RULE}"]) == 0
    assert "Every result has its call." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([f"olama/ollama/{RULE}"], "did you mean 'ollama'?"),
        ([f"ollama/olama/{RULE}"], "did you mean 'ollama'?"),
        (["ollama/ollama/common.result.no-orphans"], f"did you mean '{RULE}'?"),
        (["ollama/ollama"], "a cell is ADAPTER/PROVIDER/RULE"),
        ([f"ollama/ollama/{RULE}", "--result", "missing.json"], "No such file"),
        ([RULE, "--script"], "are for cells"),
    ],
)
def test_what_is_not_there_is_one_line(
    words: list[str],
    complaint: str,
    ollama: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ollama.parent)
    assert main(["explain", *words]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_without_any_result_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explain", f"ollama/ollama/{RULE}"]) == 2
    assert "name one with --result" in capsys.readouterr().err


# --- programs --------------------------------------------------------------------------------------------------------


def test_a_program(ollama: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"ollama/ollama/{RULE}", "--result", str(ollama), "--script"]) == 0
    text = capsys.readouterr().out
    assert "conformance." not in text.partition("# common.")[0]
    matches("explain-cell-script.txt", text)


@pytest.mark.parametrize("delivery", ["blocking", "stream:per-event"])
@pytest.mark.parametrize("library", ["openai", "openai-responses", "anthropic", "google-genai", "ollama"])
def test_a_program_runs(library: str, delivery: str, tmp_path: Path) -> None:
    module = MODULES.get(library, library)
    if find_spec(module.partition(".")[0]) is None or find_spec(module) is None:
        pytest.skip(f"needs {library}")
    file = tmp_path / "program.py"
    file.write_text(program(library, provider_of(library), f"parallel_calls.two_reads/{delivery}", 2), "utf-8")
    ran = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("--> POST") == 2
    assert ran.stdout.count("<-- ") == 2
    assert "read_file" in ran.stdout.partition("<-- ")[2]


@pytest.mark.parametrize("delivery", ["blocking", "stream:per-byte"])
@pytest.mark.parametrize("name", CALLS)
def test_every_program_compiles(name: str, delivery: str) -> None:
    library, _, provider = name.partition("/")
    provider = provider or provider_of(library)
    for case, last in (("parallel_calls.two_reads", 2), ("multi_turn.system_prompt", 1)):
        text = program(library, provider, f"{case}/{delivery}", last)
        compile(text, name, "exec")
        assert text.startswith(f"# pip install {LIBRARIES[library].distribution}")
        assert ("has no way to go on" in text) == (last == 2 and "calls[" not in text and library != "ollama")


def test_extras_are_those_of_the_provider() -> None:
    assert requirement("pydantic-ai", "1.0", "gemini") == "pydantic-ai-slim[google]==1.0"
    assert requirement("litellm", "1.106.2", "anthropic") == "litellm[mcp]==1.106.2"
    assert requirement("openai", "2.0", "azure") == "openai==2.0"


def test_every_python_library_has_a_program() -> None:
    own_surface = {"litellm-responses", "litellm-messages"}
    for name, library in LIBRARIES.items():
        there = library.kind == "python" and name not in own_surface
        assert (call_of_library(name, provider_of(name)) is not None) == there, name


def test_without_a_template_it_names_the_command() -> None:
    with pytest.raises(NoScriptError, match=f"no program is known for ai-sdk-openai.*{REPRODUCE}"):
        program("ai-sdk-openai", "openai-chat", "shell.success/blocking")


def test_answers_of_recordings_are_not_made_up() -> None:
    document = result("openai", "openai-chat", "shell.success/blocking", responder="cassette")
    with pytest.raises(NoScriptError, match=REPRODUCE):
        script(document, document["cells"][0])
