"""What came of a run: how far the script was played, what the workspace holds, and what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from conformance.agents.directing import ScriptDirector
from conformance.agents.findings import AgentFinding, FindingTable
from conformance.agents.script import AgentScript
from conformance.model import Json
from conformance.processes.confined import ConfinedResult
from conformance.server.log import Log

RunOutcome = Literal["pass", "warn", "fail", "not run"]
TAIL = 2_000
"""How many characters of what the agent said last are kept."""


@dataclass(slots=True)
class AgentVerdict:
    """The verdict. ``reason`` says why nothing was run."""

    agent: str
    title: str
    version: str
    script: str
    provider: str
    reason: str = ""
    played: int = 0
    length: int = 0
    requests: int = 0
    aside: int = 0
    streaming: bool = False
    contained: bool = True
    exit_code: int | None = None
    seconds: float = 0.0
    not_played: Mapping[str, str] = field(default_factory=dict)
    findings: Sequence[AgentFinding] = ()
    outsiders: Sequence[Mapping[str, Json]] = ()
    """Who else was asked (`conformance.sealed.outside`)."""
    said: str = ""

    @property
    def outcome(self) -> RunOutcome:
        """``fail`` where a rule that must hold was broken; ``warn`` where one that should was."""
        if self.reason:
            return "not run"
        levels = {finding.level for finding in self.findings}
        return "fail" if "must" in levels else "warn" if levels else "pass"

    def document(self) -> dict[str, Json]:
        """As JSON (``schemas/agent_verdicts.schema.json``)."""
        return {
            "agent": self.agent, "title": self.title, "version": self.version, "script": self.script,
            "provider": self.provider, "outcome": self.outcome, "reason": self.reason,
            "answers": {"played": self.played, "of": self.length}, "requests": self.requests, "aside": self.aside,
            "streaming": self.streaming, "contained": self.contained, "exit_code": self.exit_code,
            "seconds": round(self.seconds, 1), "not_played": dict(self.not_played),
            "findings": [finding.document() for finding in self.findings],
            "outsiders": [dict(one) for one in self.outsiders], "said": self.said,
        }  # fmt: skip


def concluded_findings(
    director: ScriptDirector, log: Log, ended: ConfinedResult, workspace: Path, limit: float
) -> FindingTable:
    """All findings: those of following the conversation, those of the rules, and those of the end."""
    found = director.findings
    for entry in log.entries:
        place = entry.served.place
        for item in entry.served.judgement.told:
            found.add_judged(item, None if place is None else place + 1)
    if director.gave_up:
        found.add("agent.loop.tries-again", "one more request after a failure that passes", "none")
    elif not director.ended:
        found.add("agent.loop.to-the-end", f"{director.length} answers", f"{director.played} of them")
    _check_end(ended, limit, director.gave_up, found)
    _check_files(director.script, director.untouched, workspace, found)
    return found


def _check_end(ended: ConfinedResult, limit: float, gave_up: bool, found: FindingTable) -> None:
    if ended.late:
        found.add("agent.ends.well", f"an end within {limit:g} s", "none")
    elif ended.cut:
        found.add("agent.ends.well", "an output of bounded size", "more than that")
    elif gave_up and not ended.code:
        found.add("agent.ends.well", "an exit code that tells that the task was given up", "exit code 0")
    elif ended.code and not gave_up:
        found.add("agent.ends.well", "exit code 0", f"exit code {ended.code}")


def _check_files(script: AgentScript, untouched: Set[str], workspace: Path, found: FindingTable) -> None:
    seeds = {name: content for name, content in script.files.items() if name not in script.after}
    told = {name: text for name, text in script.after.items() if name not in untouched}
    after = {name: None if text is None else text.encode() for name, text in told.items()}
    for name, content in {**seeds, **after}.items():
        path = workspace / name
        is_there = path.read_bytes() if path.is_file() else None
        if is_there != content:
            found.add("agent.file.as-meant", f"{name}: {_short(content)}", _short(is_there))


def _short(content: bytes | None) -> str:
    if content is None:
        return "no file"
    return repr(content[:120].decode("utf-8", "replace")) + ("…" if len(content) > 120 else "")
