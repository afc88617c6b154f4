"""Whatever an adapter does, the run ends in time, says what happened in one line, and never passes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SCENARIO = "shell.success"


def conformance(*words: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "conformance", *words],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def run_one(name: str, *words: str) -> tuple[int, dict[str, Any]]:
    """Run one scenario against one misbehaving adapter. Returns the exit code and the result."""
    done = conformance(
        "run", f"python:misbehaving:{name}", "--scenario", SCENARIO, "--delivery", "blocking", "--format", "json",
        "--timeout", "5", *words,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)


def cell(result: dict[str, Any], rule: str) -> dict[str, Any]:
    """The cell of a rule."""
    found: dict[str, Any] = next(cell for cell in result["cells"] if cell["rule"] == rule)
    return found


@pytest.mark.parametrize(
    ("adapter", "outcome", "words"),
    [
        ("Raises", "error", "parse_response raised ValueError: no such luck"),
        ("RaisesOnBuild", "error", "build_request raised KeyError: 'messages'"),
        ("WrongType", "error", "parse_response must return AssistantTurn, returned a dict"),
        ("WrongTypeInside", "error", "parse_response returned a turn whose calls[0] must be ToolCall, found a dict"),
        (
            "WrongErrorInside", "error",
            "parse_response returned a turn whose error must have a message of type str, found a ValueError",
        ),
        ("ReturnsNothing", "error", "build_request must return Request, returned None"),
        ("Hangs", "timeout", "no answer within 5 s"),
        ("Exits", "crash", "parse_response exited the interpreter (7)"),
        ("Dies", "crash", "the process exited with 9"),
    ],
)
def test_what_an_adapter_does_becomes_an_outcome(adapter: str, outcome: str, words: str) -> None:
    code, result = run_one(adapter)
    assert code == 1
    contract = cell(result, "common.adapter.completes")
    assert contract["outcome"] == outcome
    assert contract["failures"][0]["found"] == words
    assert result["evidence"][contract["failures"][0]["evidence"]]["reproduce"].startswith("conformance run python:")


def test_one_failure_is_not_the_fault_of_every_rule() -> None:
    _, result = run_one("Raises")
    red = [cell["rule"] for cell in result["cells"] if cell["outcome"] not in ("pass", "not_applicable", "unsupported")]
    assert 1 <= len(red) <= 4


def test_what_a_dying_adapter_printed_is_evidence() -> None:
    _, result = run_one("Dies")
    assert any("about to die" in item["failure"]["output"] for item in result["evidence"].values())


def test_where_a_hanging_adapter_hangs_is_evidence() -> None:
    _, result = run_one("Hangs")
    printed = [item["failure"]["output"] for item in result["evidence"].values()]
    assert any("misbehaving.py" in text and "in parse_response" in text for text in printed)


@pytest.mark.parametrize("adapter", ["Prints", "Coroutines", "Litters"])
def test_noise_coroutines_and_garbage_are_no_fault(adapter: str) -> None:
    code, result = run_one(adapter)
    assert code == 0
    assert cell(result, "common.adapter.completes")["outcome"] == "pass"


def test_a_hanging_stream_costs_only_its_own_cases() -> None:
    done = conformance(
        "run", "python:misbehaving:HangsInStreams", "--scenario", SCENARIO, "--format", "json", "--timeout", "2",
        "--delivery", "blocking", "--delivery", "stream:whole", "--delivery", "stream:per-line", "-j", "1",
    )  # fmt: skip
    cases = cell(json.loads(done.stdout), "common.adapter.completes")["cases"]
    assert done.returncode == 1
    assert cases == {"timeout": 1, "pass": 2}


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("python:misbehaving:NoParse", "NoParse is no adapter: a translator needs parse_response"),
        ("python:misbehaving:NoStream", "NoStream declares streaming for openai-chat but has no parse_stream"),
        ("python:misbehaving:NoInfo", "NoInfo.info must be a conformance.AdapterInfo, found nothing"),
        ("python:misbehaving:NOT_AN_ADAPTER", "must be a conformance.AdapterInfo, found nothing"),
        ("python:misbehaving:CannotBeMade", "making the adapter raised RuntimeError: no configuration"),
        ("python:misbehaving:Raise", "misbehaving has no 'Raise'; did you mean 'Raises'?"),
        ("python:misbehaving", "write python:package.module:attribute"),
        ("python:no_such_module:Adapter", "there is no module 'no_such_module'"),
        ("python:imports_missing:Adapter", "importing imports_missing needs 'not_installed_anywhere': install it"),
        ("python:exits_on_import:Adapter", "the process exited with 3 while it was loaded"),
        ("referense", "unknown adapter 'referense'; did you mean 'reference'?"),
    ],
)
def test_an_unusable_adapter_is_one_clear_line(address: str, words: str) -> None:
    done = conformance("run", address)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
