"""What a responder is: the provider, as far as a session sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.answers import Answer
from conformance.deliveries import Delivery
from conformance.http import Request
from conformance.model import Conversation, Json
from conformance.wires.facts import Facts


@dataclass(frozen=True, slots=True)
class DeliveredAnswer:
    """An answer as it reaches the adapter: complete, or in ``chunks``, after which the connection may be ``lost``."""

    answer: Answer
    chunks: list[bytes] | None = None
    lost: bool = False


class UnansweredError(Exception):
    """A request that was not recorded. ``at`` is where it differs from the nearest that was, ``nearest`` names that."""

    def __init__(self, at: str, expected: Json, found: Json, nearest: str) -> None:
        super().__init__(f"no recording of this request; the nearest is {nearest}, which differs at {at or '/'}")
        self.at, self.expected, self.found, self.nearest = at, expected, found, nearest


class Responder(Protocol):
    """Answers the model calls of one scenario on one provider."""

    @property
    def free(self) -> bool:
        """Whether a real model decides what to say, or decided when it was recorded. Else the scenario does."""

    @property
    def model(self) -> str | None:
        """The model to ask for; ``None`` where any name will do."""

    @property
    def replays(self) -> bool:
        """Whether it answers only what was recorded."""

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> DeliveredAnswer:
        """The answer to the model call number ``place``. Raises `UnansweredError`."""

    def ends(self, *, as_meant: bool) -> list[str]:
        """The case has ended; ``as_meant`` unless the model did something else. Returns what nobody asked for."""
