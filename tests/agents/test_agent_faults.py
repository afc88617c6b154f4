"""An agent that does all right is told nothing of; each fault is told by the rule that it breaks, and the script goes
on to its end all the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from every import every
from playing_here import HereRun
from tiny_agent import FAULTS

from conformance.agents.named_files import known_files
from conformance.agents.script import load_script

TOLD_BY: Mapping[str, str] = {
    "drops_second_call": "agent.history.call-kept",
    "hides_exit_code": "agent.result.failure-visible",
    "flattens": "agent.history.not-flattened",
    "swaps_results": "agent.result.of-its-call",
    "rewrites_call": "common.history.calls-kept",
    "loses_output": "agent.result.says-what-the-tool-said",
    "forgets": "agent.history.answer-kept",
    "pretends_to_write": "agent.file.as-meant",
    "breaks_text": "agent.file.as-meant",
    "picture_as_text": "agent.result.picture-shown",
    "stops_early": "agent.loop.to-the-end",
    "goes_on": "agent.loop.ends",
    "asks_twice": "agent.loop.asks-once",
    "hides_missing_file": "agent.result.failure-visible",
    "hides_unknown_tool": "agent.result.failure-visible",
    "repeats_ids": "common.result.exactly-one-per-call",
    "cuts_silently": "agent.result.cut-is-told",
    "mangles_bytes": "agent.result.binary-told",
    "loses_stderr": "agent.result.says-what-the-tool-said",
}
SCRIPTS: Mapping[str, str] = {
    "swaps_results": "parallel_reads", "cuts_silently": "long_output", "mangles_bytes": "binary_files",
    "loses_stderr": "long_errors",
}  # fmt: skip
"""The script that shows a fault, where it is not the one with all roles."""

IMPATIENT = {"agent.loop.tries-again"}
"""What is told of a client that does not wait (`playing_here` asks again at once)."""


def test_every_fault_has_its_rule() -> None:
    assert set(TOLD_BY) == set(FAULTS)


def test_nothing_is_told_of_an_agent_that_does_all_right(tmp_path: Path) -> None:
    run = HereRun(tmp_path)
    assert run.played() == {}
    assert run.director.played == run.director.length > 5


@pytest.mark.slow
def test_nothing_is_told_whatever_script_is_played(tmp_path: Path) -> None:
    def plays(name: str) -> None:
        run = HereRun(tmp_path / name, name)
        assert run.played().keys() <= IMPATIENT
        assert run.director.played == run.director.length

    scripts = [name for name in known_files("script") if load_script(name).interruption is None]
    every({name: (name,) for name in scripts if name != "slow_tools"}, plays)


@pytest.mark.slow
def test_each_fault_is_told_by_its_rule_and_the_script_goes_on(tmp_path: Path) -> None:
    def told(fault: str) -> None:
        run = HereRun(tmp_path / fault, SCRIPTS.get(fault, "all_roles"))
        found = run.played(fault)
        assert TOLD_BY[fault] in found, list(found)
        assert run.director.ended is (fault != "stops_early")

    every({fault: (fault,) for fault in FAULTS}, told)


def test_no_id_is_given_out_twice(tmp_path: Path) -> None:
    """Not even to a client that asks the same again."""
    run = HereRun(tmp_path)
    run.played("asks_twice")
    assert len(set(run.issued)) == len(run.issued) > 10
