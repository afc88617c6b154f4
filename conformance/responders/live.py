"""The real provider, over the network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from conformance.deliveries import Delivery
from conformance.http import Request
from conformance.masking.environment import keys_of_environment
from conformance.model import Conversation
from conformance.recordings.accounts import Access
from conformance.recordings.interaction import Interaction
from conformance.recordings.scrub import Scrubber
from conformance.responders.contract import DeliveredAnswer
from conformance.responders.recorded import delivered, is_stream
from conformance.wires.facts import Facts

NO_ACCESS = frozenset({401, 402, 403, 404, 408, 409, 429})
"""Statuses that have to do with key, model, quota or load, and nothing with what was sent."""


NO_KEY = frozenset({401, 402, 403})
"""Those that the next request would get too."""


class AccessError(Exception):
    """The provider could not be asked. The message has its words, shortened."""


class NoAccessError(AccessError):
    """The key is wrong, or may not do this: asking again is no use."""


class LiveLine(Protocol):
    """Sends requests for real."""

    def send(self, request: Request) -> Interaction:
        """What came back. Raises when nothing did."""


@dataclass
class LiveResponder:
    """Sends each request to the provider, with the key that the adapter never sees."""

    provider: str
    access: Access
    line: LiveLine
    model: str | None = None
    free: bool = True
    replays: bool = False

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> DeliveredAnswer:
        """What the provider answers. Raises `AccessError` where the reason is not in the request."""
        return delivered(self.ask(request, delivery), self.provider, facts, intent, delivery)

    def ask(self, request: Request, delivery: Delivery) -> Interaction:
        """The answer to one request, without secrets. Raises `AccessError`."""
        answered = self._scrubbed(self.line.send(self.access.addressed(request)), request)
        if self.free and (answered.status in NO_ACCESS or answered.status >= 500):
            problem = NoAccessError if answered.status in NO_KEY else AccessError
            raise problem(f"{self.provider} answered {answered.status}: {_message(answered)}")
        if answered.ended == "cut" and not is_stream(answered, self.provider, delivery):
            raise AccessError(f"{self.provider}: the connection broke in the middle of the answer")
        return answered

    def ends(self, *, as_meant: bool) -> list[str]:
        """Nothing is left: a real provider has no end."""
        return []


    def _scrubbed(self, answered: Interaction, request: Request) -> Interaction:
        """The answer as a cassette would hold it: providers repeat keys, and evidence shows what they say.

        ``request`` is the adapter's own, so that nothing is left of the one with the key.
        """
        key = self.access.key
        scrubber = Scrubber((*keys_of_environment(), *([key] if key else [])))
        return replace(scrubber.scrub(replace(answered, request=request)), request=request)


def _message(answered: Interaction) -> str:
    return " ".join(answered.body.decode("utf-8", "replace").split())[:300]
