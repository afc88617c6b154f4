"""Where an adapter sits in a session. One seam for all kinds: "make this model call, here is who answers".

A translator is taken through its three operations by `TranslatorSeat`. A client is given an endpoint that ends in the
same ``respond``; an agent or a gateway is played by a session of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from conformance.adapters.bound import BoundTranslator
from conformance.deliveries import Delivery
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation
from conformance.outcomes import InputChange, OperationFailure
from conformance.responders import DeliveredAnswer, UnansweredError

Respond = Callable[[Request], DeliveredAnswer]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One model call: what the adapter sent, what it got, what it understood.

    After a failure, or where nobody answers, the rest is ``None``.
    """

    request: Request | OperationFailure
    delivered: DeliveredAnswer | None = None
    understood: AssistantTurn | OperationFailure | None = None
    changes: tuple[InputChange, ...] | None = None
    """What the adapter changed of that which it was given; ``None`` where that cannot be seen."""


class Seat(Protocol):
    """Makes model calls with one adapter on one provider."""

    @property
    def seconds(self) -> float:
        """The time spent inside the adapter."""

    def call(self, conversation: Conversation, delivery: Delivery, respond: Respond) -> ModelCall:
        """Send ``conversation``, get the answer from ``respond``, and read it."""

    def read(
        self, chunks: list[bytes], conversation: Conversation, delivery: Delivery
    ) -> AssistantTurn | OperationFailure:
        """What the adapter understands of a stream that answers ``conversation``."""


class TranslatorSeat:
    """Composes build → respond → parse."""

    def __init__(self, translator: BoundTranslator) -> None:
        self.bound = translator

    @property
    def seconds(self) -> float:
        return self.bound.seconds

    def at(self, provider: str) -> TranslatorSeat:
        """Where the same adapter sits at another provider."""
        return TranslatorSeat(self.bound.at(provider))

    def call(self, conversation: Conversation, delivery: Delivery, respond: Respond) -> ModelCall:
        self.bound.changes = ()
        made = self._made(conversation, delivery, respond)
        return replace(made, changes=self.bound.changes)

    def _made(self, conversation: Conversation, delivery: Delivery, respond: Respond) -> ModelCall:
        request = self.bound.build_request(conversation, stream=delivery.streaming)
        if isinstance(request, OperationFailure):
            return ModelCall(request)
        try:
            delivered = respond(request)
        except UnansweredError:
            return ModelCall(request)
        if delivered.chunks is not None:
            understood = self.bound.parse_stream(delivered.chunks, conversation)
        else:
            assert delivered.answer.response is not None
            understood = self.bound.parse_response(delivered.answer.response, conversation)
        return ModelCall(request, delivered, understood)

    def read(
        self, chunks: list[bytes], conversation: Conversation, delivery: Delivery
    ) -> AssistantTurn | OperationFailure:
        return self.bound.parse_stream(chunks, conversation)
