"""Whatever an adapter does, the run ends in time, says what happened in one line, and never passes."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from conformance.cli import main

SCENARIO = "shell.success"


@dataclass(frozen=True)
class Done:
    """What a command left."""

    code: int
    stdout: str
    stderr: str


def conformance(*words: str) -> Done:
    """Run a command in this process. The adapter runs in another anyway, and finds its module where this one does."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(list(words))
    return Done(code, out.getvalue(), err.getvalue())


@cache
def run_one(name: str) -> tuple[int, dict[str, Any]]:
    """Run one scenario against one misbehaving adapter, once. Returns the exit code and the result."""
    done = conformance(
        "run", f"python:misbehaving:{name}", "--scenario", SCENARIO, "--delivery", "blocking", "--format", "json",
        "--timeout", "5",
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done.code, json.loads(done.stdout)


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
        pytest.param("Hangs", "timeout", "no answer to parse_response within 5 s", marks=pytest.mark.slow),
        ("Exits", "crash", "parse_response exited the interpreter (7)"),
        ("Dies", "crash", "the child exited with 9 before it answered parse_response"),
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
    assert any("about to die" in item["failure"].get("output", "") for item in result["evidence"].values())


@pytest.mark.slow
def test_where_a_hanging_adapter_hangs_is_evidence() -> None:
    _, result = run_one("Hangs")
    printed = [item["failure"].get("output", "") for item in result["evidence"].values()]
    assert any("misbehaving.py" in text and "in parse_response" in text for text in printed)


@pytest.mark.parametrize("adapter", ["Prints", "Coroutines", "Litters"])
def test_noise_coroutines_and_garbage_are_no_fault(adapter: str) -> None:
    code, result = run_one(adapter)
    assert code == 0
    assert cell(result, "common.adapter.completes")["outcome"] == "pass"


@pytest.mark.slow
def test_a_hanging_stream_costs_only_its_own_cases() -> None:
    done = conformance(
        "run", "python:misbehaving:HangsInStreams", "--scenario", SCENARIO, "--format", "json", "--timeout", "2",
        "--delivery", "blocking", "--delivery", "stream:whole", "--delivery", "stream:per-line", "-j", "1",
    )  # fmt: skip
    cases = cell(json.loads(done.stdout), "common.adapter.completes")["cases"]
    assert done.code == 1
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
        ("python:misbehavin:Raises", "did you mean 'misbehaving'?"),
        ("python:conformance.adapters.referense:X", "did you mean 'conformance.adapters.reference'?"),
        ("python:imports_missing:Adapter", "importing imports_missing needs 'not_installed_anywhere': install it"),
        ("python:exits_on_import:Adapter", "the child exited with 3 before it answered initialize"),
        ("referense", "unknown adapter 'referense'; did you mean 'reference'?"),
    ],
)
def test_an_unusable_adapter_is_one_clear_line(address: str, words: str) -> None:
    done = conformance("run", address)
    assert done.code == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


PASSES, ENDS = {"pass"}, {"crash", "protocol_error"}
HOSTILE: dict[str, tuple[set[str], str]] = {
    "Garbage": ({"protocol_error"}, "the child wrote "),
    "HalfAMessage": ({"crash"}, "in the middle of a line"),
    "HalfAMessageAndSilence": ({"timeout"}, "no answer to parse_response within 5 s"),
    "FourBytesOfLength": ({"timeout"}, "no answer to parse_response within 5 s"),
    "HugeLine": ({"protocol_error"}, "the child wrote a line of more than 16000000 bytes"),
    "Silent": ({"timeout"}, "no answer to parse_response within 5 s"),
    "DeafToSignals": ({"timeout"}, "no answer to parse_response within 5 s"),
    "PrintsToItsOutput": (PASSES, ""),
    "Forks": (PASSES, ""),
    "ForksAndHangs": (PASSES, ""),
    "PatchesJson": ({"error"}, "raised RuntimeError: patched"),
    "PatchesOutput": (PASSES, ""),
    "FewFiles": (PASSES, ""),
    "LittleMemory": ({"error", "crash"}, "parse_response"),
    "LittleTime": ({"crash"}, "SIG"),
    "StrRaises": ({"error"}, "parse_response raised UnspeakableError, which cannot be shown"),
    "StrIsNoText": ({"error"}, "parse_response raised NumberError, which cannot be shown"),
    "StrExits": ({"error"}, "parse_response raised ExitingError, which cannot be shown"),
    "Interrupts": ({"error"}, "parse_response raised KeyboardInterrupt"),
    "LeavesQuietly": ({"crash"}, "parse_response exited the interpreter (None)"),
    "Exits": ({"crash"}, "the child exited with 0 before it answered parse_response"),
    "ClosesFiles": (ENDS, "before it answered parse_response"),
    "ClosesLowFiles": (PASSES, ""),
    "KillsItsParent": ({"crash"}, "the process was killed by SIGKILL"),
    "LeavesThreads": (PASSES, ""),
    "DeepOpaque": (PASSES, ""),
    "RefusesToBeMade": ({"error"}, "build_request raised RuntimeError: no more"),
}
"""What adapters that attack come to, and words of it."""


@pytest.mark.slow
@pytest.mark.parametrize("adapter", HOSTILE)
def test_an_attack_is_the_outcome_of_the_adapter_and_of_its_case_alone(adapter: str) -> None:
    """Always in bounded time, never the harness's fault, and no case is missing."""
    outcomes, words = HOSTILE[adapter]
    done = conformance(
        "run", f"python:hostile:{adapter}", "--scenario", SCENARIO, "--delivery", "blocking",
        "--delivery", "stream:whole", "--format", "json", "--timeout", "5",
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    result = json.loads(done.stdout)
    contract = cell(result, "common.adapter.completes")
    assert contract["outcome"] in outcomes
    assert result["run"]["cases"]["finished"] == result["run"]["cases"]["planned"] == 2
    assert not any("harness_error" in one["cases"] for one in result["cells"])
    assert contract["outcome"] == "pass" or words in contract["failures"][0]["found"]
    assert done.code == (0 if outcomes == PASSES else 1)


@pytest.mark.slow
def test_a_worker_that_was_stopped_is_not_waited_for() -> None:
    done = conformance(
        "run", "python:hostile:StopsItsParent", "--scenario", SCENARIO, "--delivery", "blocking", "--format", "json",
        "--timeout", "2",
    )  # fmt: skip
    assert cell(json.loads(done.stdout), "common.adapter.completes")["outcome"] == "timeout"


@pytest.mark.slow
def test_who_edits_schemas_in_place_hides_nothing_and_is_told_what_was_changed() -> None:
    done = conformance(
        "run", "python:hostile:StripsSchemas", "--scenario", "declare.*", "--delivery", "blocking", "--format", "json",
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert cell(result, "common.declare.schema-passthrough")["outcome"] == "fail"
    told = cell(result, "common.adapter.leaves-what-it-is-given")
    assert told["outcome"] == "warn"
    assert told["failures"][0]["expected"].startswith("/conversation/tools/0/parameters/properties/")
    assert told["failures"][0]["found"] == "build_request left null"
    honest = cell(run_one("Prints")[1], "common.adapter.leaves-what-it-is-given")
    assert honest["outcome"] == "pass"
