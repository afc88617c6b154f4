"""The closed vocabulary of outcomes, the worst first, and what can be wrong with one operation of an adapter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.obstacles import Obstacle

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


Operation = Literal["build_request", "parse_response", "parse_stream", "stream_news", "complete", "run"]
Mishap = Literal["error", "timeout", "crash", "protocol_error"]


@dataclass(frozen=True, slots=True)
class OperationFailure:
    """An operation of the adapter that gave no result. ``kind`` is the outcome that this counts as."""

    operation: str
    """An `Operation`, or ``initialize``."""
    kind: Mishap
    message: str
    detail: str = ""
    """The adapter's own traceback, for evidence."""
    output: str = ""
    """The end of what its process printed, for evidence."""
    obstacle: Obstacle | None = None
    """What it met, where it is no fault of how it holds conversations."""
    raised: BaseException | None = field(default=None, repr=False, compare=False)
    """What it raised, where the adapter is in this process."""


@dataclass(frozen=True, slots=True)
class InputChange:
    """A place in what an operation was given that is not as it was before.

    ``at`` is a JSON pointer that begins with the argument: ``/conversation/tools/0/parameters``.
    """

    operation: Operation
    at: str
    before: Any
    after: Any
