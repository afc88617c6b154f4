"""What was found in a run, each once, at its first place and with the number of times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.agents.rules import AGENT_RULES
from conformance.model import Json
from conformance.server.judging import RequestFinding

_NUMBERS = re.compile(r"(?<=/)\d+(?=/|$)")


@dataclass(slots=True)
class AgentFinding:
    """One finding. ``at`` is a pointer into the request that went for answer number ``answer``; ``refused`` says that
    the provider would not have taken it."""

    rule: str
    level: str
    statement: str
    at: str
    expected: Json
    found: Json
    answer: int | None
    refused: bool = False
    consequence: str = ""
    times: int = 1
    also: list[str] = field(default_factory=list)
    """Further rules that tell the same of the same place."""

    def document(self) -> dict[str, Json]:
        """As JSON."""
        return {
            "rule": self.rule, "level": self.level, "statement": self.statement, "at": self.at, "answer": self.answer,
            "expected": self.expected, "found": self.found, "refused": self.refused, "consequence": self.consequence,
            "times": self.times, "also": list(self.also),
        }  # fmt: skip


@dataclass(slots=True)
class FindingTable:
    """The findings of a run. What is the same but for the numbers in its place is one."""

    _found: dict[tuple[str, str], AgentFinding] = field(default_factory=dict)
    _told: dict[tuple[str, str], str] = field(default_factory=dict)
    """The rule that first told something, by where and what should be there: others name what is there in other forms
    (arguments as an object, and as text)."""

    def __iter__(self) -> Iterator[AgentFinding]:
        yield from self._found.values()

    def add(self, rule: str, expected: Json, found: Json, *, at: str = "", answer: int | None = None) -> None:
        """Something of the agent's (`conformance.agents.rules`)."""
        own = AGENT_RULES[rule]
        self._enter((rule, str(expected)), AgentFinding(rule, own.level, own.statement, at, expected, found, answer))

    def add_judged(self, item: RequestFinding, answer: int | None) -> None:
        """Something that a rule of the catalogue tells of a request."""
        rule = item.rule
        place = _NUMBERS.sub("*", item.at)
        told = self._told.setdefault((place, str(item.expected)), rule.id)
        if told != rule.id and (first := self._found.get((told, place))) is not None:
            first.also += [] if rule.id in first.also else [rule.id]
            return
        self._enter((rule.id, place), AgentFinding(
            rule.id, rule.level, rule.statement, item.at, item.expected, item.found, answer, item.refused,
            str(item.weight.consequence),
        ))  # fmt: skip

    def _enter(self, key: tuple[str, str], finding: AgentFinding) -> None:
        known = self._found.setdefault(key, finding)
        if known is not finding:
            known.times += 1
