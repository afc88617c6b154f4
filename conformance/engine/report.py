"""What one case came to. Plain data, so that it can cross to another process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conformance.capabilities import Lack
from conformance.engine.halts import Halt
from conformance.model import Json
from conformance.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Failure:
    """One finding in one case. ``at`` is a JSON pointer into the request (``document`` is ``request``) or the turn."""

    at: str
    expected: Json
    found: Json
    document: str
    evidence: str


@dataclass(slots=True)
class RuleReport:
    """One rule in one case: the worst outcome, how many verdicts there were, and the findings."""

    outcome: Outcome
    checked: int = 0
    failures: list[Failure] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    """What the findings are in a word each; an empty one where there is none."""
    lightened: bool = False
    """Whether its findings are a warning at most, because only others than the provider itself do this."""


@dataclass(slots=True)
class CaseReport:
    """One case: adapter × provider × scenario × delivery. ``rules`` holds the rules that examined something."""

    address: str
    provider: str
    scenario: str
    delivery: str
    rules: dict[str, RuleReport] = field(default_factory=dict)
    unsupported: Lack | None = None
    """Why it was not played."""
    halt: Halt | None = None
    """What ended it, and would end every case that comes after."""
    lost: str = ""
    """What became of it where nothing came back: words for people."""
    attempt: int = 0
    """Which repetition it is, counted from 1; 0 where each case is played once."""
    evidence: dict[str, Any] = field(default_factory=dict)
    learned: tuple[str, ...] = field(default=(), repr=False)
    """Secrets that the adapter sent as credentials, so that whoever writes the result removes them everywhere."""
    seconds: float = 0.0
    adapter_seconds: float = 0.0

    @property
    def name(self) -> str:
        """The name of the case, without its provider."""
        return f"{self.scenario}/{self.delivery}" + (f"#{self.attempt}" if self.attempt else "")
