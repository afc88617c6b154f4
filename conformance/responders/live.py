"""The real provider, over the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.deliveries import Delivery
from conformance.http import Request
from conformance.model import Conversation
from conformance.recordings.accounts import Access
from conformance.recordings.interaction import Interaction
from conformance.recordings.secrets import masked_text
from conformance.responders.contract import Delivered
from conformance.responders.recorded import delivered
from conformance.wires.facts import Facts

NO_ACCESS = frozenset({401, 402, 403, 404, 408, 409, 429})
"""Statuses that have to do with key, model, quota or load, and nothing with what was sent."""


class AccessError(Exception):
    """The provider could not be asked. The message has its words, shortened."""


class Line(Protocol):
    """Sends requests for real."""

    def send(self, request: Request) -> Interaction:
        """What came back. Raises when nothing did."""


@dataclass
class Live:
    """Sends each request to the provider, with the key that the adapter never sees."""

    provider: str
    access: Access
    line: Line
    model: str | None = None
    free: bool = True
    replays: bool = False

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> Delivered:
        """What the provider answers. Raises `AccessError` where the reason is not in the request."""
        return delivered(self.ask(request), self.provider, facts, intent, delivery)

    def ask(self, request: Request) -> Interaction:
        """The answer to one request. Raises `AccessError`."""
        answered = self.line.send(self.access.addressed(request))
        if self.free and (answered.status in NO_ACCESS or answered.status >= 500):
            raise AccessError(f"{self.provider} answered {answered.status}: {_message(answered)}")
        return answered

    def ends(self, *, as_meant: bool) -> list[str]:
        """Nothing is left: a real provider has no end."""
        return []


def _message(answered: Interaction) -> str:
    return masked_text(" ".join(answered.body.decode("utf-8", "replace").split())[:300])
