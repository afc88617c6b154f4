"""What came of one release, in a few words for each case: what is kept, and what a history is put together from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from conformance.outcomes import FAILURES, Outcome

ReleaseStanding = Literal[
    "played", "lacking", "misfit", "installation", "network", "not_installed", "unusable", "out_of_time"
]
"""``played``: something was judged. The others blame nobody: the release lacks what all cases need; the shim does not
fit it; it cannot be used as it is installed; it asks the network; there is no environment; it cannot be loaded; the
time was over."""

Rank = Literal[0, 1, 2]
RANKS: Mapping[Outcome, Rank] = {"pass": 0, "warn": 1, **dict.fromkeys(FAILURES - {"harness_error"}, 2)}
"""How bad an outcome is. What is not here says nothing about the library."""

Cases = Mapping[str, Mapping[str, Outcome]]
"""By case (``scenario/delivery``) the outcome of each rule that examined something."""


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """What came of one release. ``cases`` and ``lacks`` are by provider, ``packages`` is all that was installed.

    ``lacks`` says by case why it could not be played. ``cells`` has by provider the outcome of each rule.
    """

    version: str
    uploaded: str
    standing: ReleaseStanding
    why: str = ""
    exit_code: int | None = None
    cells: Mapping[str, Mapping[str, Outcome]] = field(default_factory=dict)
    cases: Mapping[str, Cases] = field(default_factory=dict)
    lacks: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_judged(self) -> bool:
        """Whether it says anything about its library."""
        return self.standing == "played"

    def ranks(self, provider: str, rule: str) -> dict[str, Rank]:
        """How bad each case is in which the rule judged the library."""
        return {
            case: RANKS[outcomes[rule]]
            for case, outcomes in self.cases.get(provider, {}).items()
            if rule in outcomes and outcomes[rule] in RANKS
        }

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> ReleaseRecord:
        """From JSON data. Raises `TypeError`."""
        return cls(**data)
