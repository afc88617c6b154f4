"""An agent is ended in the middle of a call and started again: what it need not know, and what it must not claim."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from every import every
from playing_here import HereRun
from tiny_agent import TinyAgent, tools

from conformance.agents.script import load_script
from conformance.processes.confined import Interruption, Limits, run_confined
from conformance.processes.running import Sizes

SCRIPT = load_script("interrupted")
CLIENT = """
import pathlib, signal, sys, time
def stop(*_):
    print("stopped", flush=True)
    sys.exit(7)
signal.signal(signal.SIGINT, stop)
pathlib.Path("begun").touch()
time.sleep(30)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_signal_comes_when_it_is_due(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C can be listened to; a kill cannot."""
    interruption = Interruption(number, lambda: (tmp_path / "begun").exists())
    limits = Limits(20, 1_000, Sizes())
    ended = run_confined((sys.executable, "-c", CLIENT), tmp_path, {}, limits, interruption=interruption)
    assert interruption.happened
    assert not ended.late
    listened = number == signal.SIGINT
    assert (b"stopped" in ended.output, ended.code == 7) == (listened, listened)


def test_nothing_happens_before_it_is_due(tmp_path: Path) -> None:
    interruption = Interruption(signal.SIGKILL, lambda: False)
    ended = run_confined((sys.executable, "-c", "print(1)"), tmp_path, {}, Limits(20, 99, Sizes()), b"", interruption)
    assert (ended.code, ended.output, interruption.happened) == (0, b"1\n", False)


RESUMED: dict[str, tuple[str | None, set[str]]] = {
    "knows nothing of the answer": (None, set()),
    "says that the call was aborted": ("aborted", set()),
    "says that there is no result": ("No result provided", set()),
    "says that it worked": ("jasper-2195", {"agent.result.failure-visible"}),
}


def test_what_is_told_after_the_agent_was_started_again(tmp_path: Path) -> None:
    def told(result: str | None, rules: set[str]) -> None:
        run = HereRun(tmp_path / str(result), SCRIPT)
        agent = _interrupted(run)
        assert run.director.is_to_be_interrupted
        run.director.interrupted()
        if result is None:
            del agent.messages[-1:]
        else:
            call = agent.messages[-1]["tool_calls"][0]["id"]
            agent.messages.append({"role": "tool", "tool_call_id": call, "content": result})
        agent.messages.append({"role": "user", "content": SCRIPT.resumes})
        _goes_on(run, agent)
        (run.workspace / "begun.txt").write_text("begun\n")  # the call made it before the signal came
        assert set(run.found()) == rules
        assert run.director.played == run.director.length == 5

    every(RESUMED, told)


def test_who_forgets_what_came_before_is_told_so(tmp_path: Path) -> None:
    run = HereRun(tmp_path, SCRIPT)
    agent = _interrupted(run)
    run.director.interrupted()
    agent.messages[1:] = [{"role": "user", "content": SCRIPT.resumes}]
    _goes_on(run, agent)
    assert "agent.history.answer-kept" in run.found()


def _interrupted(run: HereRun) -> TinyAgent:
    """The agent in the middle of the second answer: its call is there, and has no result."""
    agent = TinyAgent(run.post, run.workspace)
    agent.messages = [{"role": "system", "content": "You are an agent."}, {"role": "user", "content": SCRIPT.task}]
    agent._goes_on(_said(run, agent))
    agent.messages.append(_said(run, agent))
    return agent


def _goes_on(run: HereRun, agent: TinyAgent) -> None:
    for _ in range(10):
        said = _said(run, agent)
        if not said.get("tool_calls"):
            return
        agent._goes_on(said)


def _said(run: HereRun, agent: TinyAgent) -> dict[str, Any]:
    answer = run.post({"model": "tiny", "messages": agent.messages, "tools": tools()})
    said: dict[str, Any] = answer["choices"][0]["message"]
    kept = {name: said[name] for name in ("content", "tool_calls") if said.get(name)}
    return {"role": "assistant", "content": None, **kept}
