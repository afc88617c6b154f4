"""The closed vocabulary of outcomes, the worst first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Outcome = Literal[
    "harness_error",
    "crash",
    "timeout",
    "error",
    "protocol_error",
    "fail",
    "warn",
    "pass",
    "model_choice",
    "unsupported",
    "not_applicable",
]

ORDER: tuple[Outcome, ...] = (
    "harness_error",
    "crash",
    "timeout",
    "error",
    "protocol_error",
    "fail",
    "warn",
    "pass",
    "model_choice",
    "unsupported",
    "not_applicable",
)
"""From worst to best: a cell takes the worst outcome of its cases. Only ``pass`` is a pass.

``model_choice``: a real model did something else than the scenario is about, so nothing was seen of the rule.
"""

FAILURES: frozenset[Outcome] = frozenset({"harness_error", "crash", "timeout", "error", "protocol_error", "fail"})
"""The outcomes that make a run fail."""

_RANK = {outcome: rank for rank, outcome in enumerate(ORDER)}


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The worst outcome; ``not_applicable`` when there is none."""
    return min(outcomes, key=_RANK.__getitem__, default="not_applicable")
