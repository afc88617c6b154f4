"""Whatever a child does, at whatever step, becomes an outcome in bounded time and leaves no process behind."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.contract import AdapterError
from conformance.adapters.stdio import pipes
from conformance.adapters.stdio.faces import StdioTranslator, introduced, open_adapter
from conformance.http import Response
from conformance.model import AssistantTurn, Conversation, UserTurn
from conformance.outcomes import OperationFailure

pytestmark = pytest.mark.slow  # each test starts a process
CHILD = Path(__file__).parent / "misbehaving_child.py"
TALK = Conversation((UserTurn("hi"),))
SECONDS = 0.4
PATIENT = {"answer_seconds": 20.0, "start_seconds": 20.0, "max_line": 1_000_000}


@pytest.fixture(autouse=True)
def short_goodbyes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for a child that does not end."""
    monkeypatch.setattr("conformance.adapters.stdio.child.END_SECONDS", 0.4)


def patience(kind: str) -> dict[str, float]:
    """Where a timeout is expected, it comes soon."""
    return {"answer_seconds": SECONDS, "start_seconds": SECONDS} if kind == "timeout" else {}


@contextmanager
def child(lie: str, at: str, *more: str, **limits: Any) -> Iterator[StdioTranslator]:
    """A child that lies at one step."""
    adapter = introduced("stdio:x", [sys.executable, "-S", str(CHILD), lie, at, *more], **(PATIENT | limits))
    assert isinstance(adapter, StdioTranslator)
    try:
        yield adapter
    finally:
        adapter.close()


OPERATIONS: dict[str, Callable[[BoundTranslator], object]] = {
    "build_request": lambda bound: bound.build_request(TALK, stream=False),
    "parse_response": lambda bound: bound.parse_response(Response(200, {}, b"{}"), TALK),
    "parse_stream": lambda bound: bound.parse_stream([b"a", b"", b"\xff"], TALK),
}

OUTCOMES = [
    ("silent", "timeout", "no answer to {} within 0.4 s"),
    ("stubborn", "timeout", "no answer to {} within 0.4 s"),
    ("floods_for_ever", "timeout", "no answer to {} within 0.4 s"),
    ("drips", "timeout", "no answer to {} within 0.4 s"),
    ("half_and_silent", "timeout", "no answer to {} within 0.4 s"),
    ("exits", "crash", "the child exited with 7 before it answered {}"),
    ("dies", "crash", "the child was killed by SIGKILL before it answered {}"),
    ("leaves_a_process", "crash", "the child exited with 3 before it answered {}"),
    ("half_and_exits", "crash", "the child exited with 0 before it answered {}, in the middle of a line: '{{"),
    ("garbage", "protocol_error", "the child wrote a line that is not JSON: 'Traceback (most recent call last):'"),
    ("not_a_number", "protocol_error", "the child wrote a line that is not JSON: "),
    ("deep", "protocol_error", "the child wrote a line that is not JSON: '[[[["),
    ("not_utf8", "protocol_error", "the child wrote a line that is not UTF-8: "),
    ("gigantic", "protocol_error", "the child wrote a line of more than 1000000 bytes: 'xxx"),
    ("empty_line", "protocol_error", "the child wrote more than one line: after its answer came "),
    ("not_a_message", "protocol_error", "the child wrote a line that is no JSON-RPC 2.0 message: '[1, 2]'"),
    ("old_version", "protocol_error", "the child wrote a line that is no JSON-RPC 2.0 message: "),
    ("wrong_id", "protocol_error", "the answer to {} has id '42', not 2"),
    ("text_id", "protocol_error", "the answer to {} has id '\"2\"', not 2"),
    ("no_id", "protocol_error", "the answer to {} has id 'null', not 2"),
    ("twice", "protocol_error", "the child wrote more than one line: after its answer came "),
    ("prints_before", "protocol_error", "the child wrote a line that is not JSON: 'thinking'"),
    ("prints_after", "protocol_error", "the child wrote more than one line: after its answer came 'done\\n'"),
    ("notifies", "protocol_error", "the child sent 'log' instead of an answer to {}"),
    ("closes", "protocol_error", "the child closed its standard output before it answered {}"),
    ("neither", "protocol_error", "the answer to {} must hold either result or error"),
    ("both", "protocol_error", "the answer to {} must hold either result or error"),
    ("wordless_error", "protocol_error", "the error that answers {} must have a message"),
    ("error", "error", "{} raised ValueError: no such luck"),
    ("no_method", "error", "the child has no {}: unknown"),
    ("null_result", "error", "{} answered with a wrong result: /: must be an object, found nothing"),
    ("wrong_result", "error", "{} answered with a wrong result: /: unknown field 'txet'; fields: "),
]
"""Each lie, the outcome that it counts as, and the words for it."""


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("lie", "kind", "words"), OUTCOMES, ids=[row[0] for row in OUTCOMES])
def test_what_a_child_does_becomes_an_outcome(lie: str, kind: str, words: str, operation: str) -> None:
    limits = {"answer_seconds": SECONDS} if kind == "timeout" else {}  # the good steps before may be slow
    with child(lie, operation, **limits) as adapter:
        failed = OPERATIONS[operation](BoundTranslator(adapter, "openai-chat"))
    assert isinstance(failed, OperationFailure)
    assert (failed.operation, failed.kind) == (operation, kind)
    assert failed.message.startswith(words.format(operation))


@pytest.mark.parametrize(("lie", "kind", "words"), OUTCOMES, ids=[row[0] for row in OUTCOMES])
def test_a_child_that_cannot_introduce_itself_is_one_clear_line(lie: str, kind: str, words: str) -> None:
    with pytest.raises(AdapterError) as caught, child(lie, "initialize", **patience(kind)):
        pass
    words = words.replace("'42'", "'41'").replace('"2', '"1').replace("not 2", "not 1")
    told = str(caught.value)
    assert "\n" not in told
    if lie not in ("null_result", "wrong_result"):
        assert told.startswith("stdio:x: " + words.format("initialize"))


@pytest.mark.parametrize(("lie", "kind", "words"), OUTCOMES, ids=[row[0] for row in OUTCOMES])
def test_a_lie_at_the_end_does_no_harm(lie: str, kind: str, words: str) -> None:
    with child(lie, "shutdown") as adapter:
        assert adapter.caller.child is not None
        pid = adapter.caller.child.pid
    assert gone(pid)


@pytest.mark.parametrize(
    ("hello", "words"),
    [
        ({"protocol": 2}, "it speaks protocol version 2, and this harness speaks 1"),
        ({"protocol": True}, "it speaks protocol version true, and this harness speaks 1"),
        ({"version": 1}, "it speaks protocol version null, and this harness speaks 1"),
        (5, "initialize must answer with an object, found an integer"),
        ({"protocol": 1}, "what it answers to initialize is wrong: /adapter: is missing"),
        ({"protocol": 1, "adapter": {"name": 5}}, "/adapter/name: must be a string, found an integer"),
        ({"protocol": 1, "adapter": {"name": "x"}}, "/adapter/language: is missing"),
        ({"x": 1, "adapter": {"name": "x"}, "protocol": 1}, "/: unknown field 'x'; fields: adapter, protocol"),
        ({"kind": "gateway"}, "/adapter/kind: must be translator, functions, client, agent, found 'gateway'"),
        ({"providers": {"openai-chat": "all"}}, "/adapter/providers/openai-chat: must be a list of capabilities"),
        ({"providers": {"openai": []}}, "info.providers has 'openai'; did you mean 'openai-chat'?"),
        ({"providers": {"zz": []}}, "info.providers has 'zz'; providers: openai-chat, "),
        ({"providers": {"gemini": ["telepathy"]}}, "unknown capability 'telepathy'; capabilities: "),
        ({"providers": {"gemini": ["bloking"]}}, "unknown capability 'bloking'; did you mean 'blocking'?"),
    ],
)
def test_a_wrong_introduction_is_one_clear_line(hello: Any, words: str) -> None:
    if isinstance(hello, dict) and hello.keys() & {"kind", "providers"}:
        usual = {"name": "x", "language": "python", "kind": "translator", "providers": {}}
        hello = {"protocol": 1, "adapter": usual | hello}
    with pytest.raises(AdapterError) as caught, child("good", "none", json.dumps({"initialize": hello})):
        pass
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("stdio:", "stdio:: write stdio:COMMAND, such as 'stdio:node dist/main.js'"),
        ("stdio:'", "stdio:': No closing quotation"),
        ("stdio:no-such-program x", "stdio:no-such-program x: there is no program 'no-such-program'"),
        ("stdio:/", "stdio:/: '/' cannot be started: Permission denied"),
        (f"stdio:{sys.executable} -c 'import no_such'", "; it printed: ModuleNotFoundError: No module named 'no_such'"),
        (
            f"stdio:{sys.executable} -c 'import os; os.write(2, b\"Error: no such file\\n\\nNode.js v22\"); exit(1)'",
            "; it printed: Error: no such file",
        ),
    ],
)
def test_what_cannot_be_started_is_one_clear_line(address: str, words: str) -> None:
    with pytest.raises(AdapterError) as caught:
        open_adapter(address)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


# --- what comes after ------------------------------------------------------------------------------------------------


def build(adapter: StdioTranslator) -> object:
    return OPERATIONS["build_request"](BoundTranslator(adapter, "openai-chat"))


def parse(adapter: StdioTranslator) -> object:
    return OPERATIONS["parse_response"](BoundTranslator(adapter, "openai-chat"))


def pid_of(adapter: StdioTranslator) -> int | None:
    return adapter.caller.child.pid if adapter.caller.child is not None else None


def test_a_child_is_kept_over_all_calls() -> None:
    with child("good", "none") as adapter:
        first = pid_of(adapter)
        for _ in range(20):
            assert isinstance(parse(adapter), AssistantTurn)
        assert pid_of(adapter) == first


def test_an_error_is_an_answer_and_costs_no_child() -> None:
    with child("error", "parse_response") as adapter:
        first = pid_of(adapter)
        for _ in range(20):
            failed = parse(adapter)
            assert isinstance(failed, OperationFailure) and failed.detail == "at 5"
        assert pid_of(adapter) == first


@pytest.mark.parametrize("lie", ["exits", "garbage", "wrong_id", "closes"])
def test_after_a_loss_another_child_is_started(lie: str) -> None:
    with child(lie, "parse_response") as adapter:
        first = pid_of(adapter)
        assert isinstance(parse(adapter), OperationFailure)
        assert pid_of(adapter) is None and first is not None and gone(first)
        assert not isinstance(build(adapter), OperationFailure)
        assert pid_of(adapter) not in (None, first)


def test_a_second_answer_that_comes_later_is_told_at_the_next_call() -> None:
    with child("twice_later", "build_request") as adapter:
        assert not isinstance(build(adapter), OperationFailure)
        time.sleep(0.2)
        failed = parse(adapter)
    assert isinstance(failed, OperationFailure)
    assert failed.kind == "protocol_error"
    told = ("the child answered request 2 twice, instead of parse_response", "the child wrote more than one line")
    assert failed.message.startswith(told)  # the second answer is read alone, or, from a slow child, with the third


def test_a_closed_adapter_stays_closed() -> None:
    with child("good", "none") as adapter:
        adapter.close()
        failed = build(adapter)
    assert isinstance(failed, OperationFailure)
    assert (failed.kind, failed.message) == ("crash", "the adapter was closed")


def test_a_child_that_is_lost_again_and_again_is_left_alone() -> None:
    with child("exits", "build_request", in_a_row=2) as adapter:
        told = [build(adapter) for _ in range(5)]
    words = [one.message for one in told if isinstance(one, OperationFailure)]
    lost = "the child exited with 7 before it answered build_request"
    assert words == [lost] * 3 + ["the child was lost 3 times and is not started again"] * 2


def test_a_child_that_answers_in_between_is_started_more_often_but_not_for_ever() -> None:
    with child("exits", "parse_response", in_a_row=1, in_all=4) as adapter:
        told = [(build(adapter), parse(adapter))[1] for _ in range(6)]
    words = [one.message for one in told if isinstance(one, OperationFailure)]
    lost = "the child exited with 7 before it answered parse_response"
    assert words == [lost] * 5 + ["the child was lost 5 times and is not started again"]


def test_standard_error_is_evidence_and_never_a_verdict(capfd: pytest.CaptureFixture[str]) -> None:
    with child("floods_stderr", "parse_response") as adapter:
        assert isinstance(parse(adapter), AssistantTurn)
        assert adapter.caller.child is not None
        said = adapter.caller.child.said
    assert 0 < len(said) <= pipes.STDERR_KEPT
    assert len(capfd.readouterr().err) <= pipes.STDERR_PASSED_ON + 65536
    with child("exits", "parse_response") as adapter:
        failed = parse(adapter)
    assert isinstance(failed, OperationFailure) and failed.output == "about to exit"


# --- nobody is left behind -------------------------------------------------------------------------------------------


def gone(pid: int, seconds: float = 5.0) -> bool:
    """Whether a process ends (or is a zombie that nobody waited for) soon."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def family(pid: int) -> list[int]:
    """The processes of a group."""
    members = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, group = path.read_text().rpartition(")")[2].split()[:3]
            if int(group) == pid and state != "Z":
                members.append(int(path.parent.name))
    return members


linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


@linux
@pytest.mark.parametrize("lie", ["stubborn", "leaves_a_process", "gigantic", "closes"])
def test_a_lost_child_is_ended_with_all_that_it_started(lie: str) -> None:
    with child(lie, "parse_response", answer_seconds=SECONDS if lie == "stubborn" else 20.0) as adapter:
        group = pid_of(adapter)
        assert group is not None and family(group) == [group]
        assert isinstance(parse(adapter), OperationFailure)
        assert all(gone(pid) for pid in family(group))


HOLDS = """
import sys, threading, time
sys.path.insert(0, {here!r})
import test_stdio_misbehaviour as t
from conformance.adapters.stdio.faces import introduced
adapter = introduced("x", [sys.executable, str(t.CHILD), "stubborn", "parse_response"])
threading.Thread(target=t.parse, args=(adapter,), daemon=True).start()
time.sleep(0.7)
print(t.pid_of(adapter), flush=True)
{then}
"""


@linux
@pytest.mark.parametrize("then", ["time.sleep(60)", "sys.exit(0)", "import os; os._exit(3)"])
def test_when_we_die_the_child_dies_too(then: str) -> None:
    script = HOLDS.format(here=str(Path(__file__).parent), then=then)
    holder = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    assert holder.stdout is not None
    group = int(holder.stdout.readline())
    processes = family(group)
    if then.startswith("time"):
        assert len(processes) == 2
        os.killpg(holder.pid, signal.SIGKILL)
    holder.wait(20)
    holder.stdout.close()
    assert all(gone(pid) for pid in processes)


# --- as part of a run ------------------------------------------------------------------------------------------------


@linux
@pytest.mark.slow
@pytest.mark.parametrize(
    ("lie", "outcome", "words"),
    [
        ("stubborn", "timeout", "no answer to parse_response within 3 s"),
        ("exits", "crash", "the child exited with 7 before it answered parse_response"),
        ("garbage", "protocol_error", "the child wrote a line that is not JSON: 'Traceback (most recent call last):'"),
        ("error", "error", "parse_response raised ValueError: no such luck"),
    ],
)
def test_a_run_tells_it_and_ends_everything(lie: str, outcome: str, words: str) -> None:
    ours = f"child of {uuid.uuid4()}"  # other tests have such children at the same time
    address = f"stdio:{shlex.join([sys.executable, str(CHILD), lie, 'parse_response', '{}', ours])}"
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", address, "--scenario", "shell.success", "--delivery", "blocking",
         "--format", "json", "--timeout", "3"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert done.returncode == 1
    (cell,) = [cell for cell in result["cells"] if cell["rule"] == "common.adapter.completes"]
    assert cell["outcome"] == outcome
    assert cell["failures"][0]["found"] == words
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            assert ours.encode() not in (path / "cmdline").read_bytes()
