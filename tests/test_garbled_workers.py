"""What comes through a worker's pipe and is no message is an outcome, and never ends the supervisor."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import time

import pytest

from conformance.adapters.contract import AdapterError
from conformance.engine import messages, pool
from conformance.engine.cases import Group, Selection
from conformance.engine.messages import GarbledError, message_of
from conformance.engine.pool import LostCase, probe, run_groups
from conformance.engine.report import CaseReport, RuleReport
from conformance.scenarios import load_scenarios

HEAD = """
import os, sys, time
from multiprocessing.connection import Connection
from conformance.adapters.contract import AdapterInfo
pipe = Connection(int(sys.argv[1]))
"""
LOADED = "pipe.send(('loaded', AdapterInfo('x', {'openai-chat': ['blocking']}), 'translator'))\n"
GARBAGE = "os.write(pipe.fileno(), b'\\0\\0\\0\\4spam'); time.sleep(60)\n"
HALF = "os.write(pipe.fileno(), b'\\0\\0\\4\\0spam'); time.sleep(60)\n"
GROUP = Group("x", "openai-chat", "shell.success", ("blocking", "stream:whole"))


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "BREAK_SECONDS", 1)


@pytest.mark.slow
@pytest.mark.parametrize(("program", "words"), [(GARBAGE, "no message"), (HALF, "in the middle of a message")])
def test_a_worker_that_garbles_while_it_loads(program: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_PROGRAM", HEAD + program)
    with pytest.raises(AdapterError, match=words):
        probe("x", timeout=30)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "kind", "words"),
    [(GARBAGE, "crash", "no message"), (HALF, "timeout", "in the middle of a message")],
)
def test_a_worker_that_garbles_while_it_plays(
    program: str, kind: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each case is lost by itself, and the run goes on."""
    monkeypatch.setattr(pool, "_PROGRAM", HEAD + LOADED + program)
    before = time.monotonic()
    lost = list(run_groups([GROUP], Selection(scenarios=("shell.success",)), jobs=1, timeout=30))
    assert [one.kind for one in lost if isinstance(one, LostCase)] == [kind, kind]
    assert all(isinstance(one, LostCase) and words in one.message for one in lost)
    assert time.monotonic() - before < 25
    assert load_scenarios()


@pytest.mark.parametrize(
    "sent",
    [
        b"", b"spam", pickle.dumps(()), pickle.dumps(["finished"]), pickle.dumps(("unknown",)),
        pickle.dumps(("reports", 5)), pickle.dumps(("begins",)), pickle.dumps(("loads", 1)),
        pickle.dumps(("begins", os.getcwd)), b"cos\ngetpid\n(tR.",
        b"cconformance.engine.messages\nmessage_of\n(C\x01.tR.", pickle.dumps(("broke", "x", multiprocessing.Pipe)),
    ],
)  # fmt: skip
def test_what_is_no_message(sent: bytes) -> None:
    with pytest.raises(GarbledError):
        message_of(sent)


def test_messages_come_as_they_were_sent() -> None:
    report = CaseReport("x", "gemini", "s", "blocking", {"r": RuleReport("pass", 1, [], {"w"})}, evidence={"e": [None]})
    for message in (("reports", report), ("loads",), ("refused", "no", None)):
        ours, theirs = multiprocessing.Pipe()
        theirs.send(message)
        assert messages.received(ours) == message
