"""Where a client sits: it calls an endpoint that ends in the responder."""

from __future__ import annotations

from dataclasses import replace

from conformance.adapters.bound import BoundClient
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.nearby import streamed_answer
from conformance.adapters.served import HttpAnswer
from conformance.deliveries import Delivery
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation
from conformance.outcomes import OperationFailure
from conformance.responders import DeliveredAnswer, UnansweredError
from conformance.session.seat import ModelCall, Respond


class ClientSeat:
    """Lets a client make each model call itself."""

    def __init__(self, client: BoundClient, provider: str) -> None:
        self.bound = client
        self._provider = provider

    @property
    def seconds(self) -> float:
        """The time spent inside the adapter, the harness's answers included."""
        return self.bound.seconds

    def at(self, provider: str) -> ClientSeat:
        """Where the same client sits at another provider."""
        return ClientSeat(self.bound.at(provider), provider)

    def call(self, conversation: Conversation, delivery: Delivery, respond: Respond) -> ModelCall:
        given: list[DeliveredAnswer] = []
        problems: list[Exception] = []

        def serve(request: Request) -> HttpAnswer:
            try:
                given.append(respond(request))
            except Exception as problem:  # not the client's business, and it must not swallow it
                problems.append(problem)
                return HttpAnswer(503, {"content-type": "text/plain"}, (b"nobody answers this",))
            return http_answer(given[-1], self._provider)

        endpoint = Endpoint(self._provider, serve)
        self.bound.changes = ()
        understood = self.bound.complete(conversation, endpoint, stream=delivery.streaming)
        changes = self.bound.changes
        if given:
            return ModelCall(endpoint.requests[0], given[0], understood, changes)
        if problems and not isinstance(problems[0], UnansweredError):
            raise problems[0]
        return ModelCall(endpoint.requests[0] if problems else _unsent(understood), changes=changes)

    def read(
        self, chunks: list[bytes], conversation: Conversation, delivery: Delivery
    ) -> AssistantTurn | OperationFailure:
        endpoint = Endpoint(self._provider, lambda request: streamed_answer(self._provider, chunks))
        return self.bound.complete(conversation, endpoint, stream=True)


def http_answer(delivered: DeliveredAnswer, provider: str) -> HttpAnswer:
    """An answer as HTTP."""
    if delivered.chunks is not None:
        return replace(streamed_answer(provider, delivered.chunks), lost=delivered.lost)
    response = delivered.answer.response
    assert response is not None
    return HttpAnswer(response.status, response.headers, (response.body,))


def _unsent(understood: AssistantTurn | OperationFailure) -> OperationFailure:
    if isinstance(understood, OperationFailure):
        return understood
    return OperationFailure("complete", "error", "complete returned a turn without making a model call at the endpoint")
