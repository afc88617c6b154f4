"""The reference adapter, with a hook at every place where an adapter can go wrong.

A lie overrides one hook, in a few lines, and tells the lie in its docstring. What it does not override is right.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import ClassVar

from conformance.adapters.contract import AdapterInfo
from conformance.adapters.reference import ReferenceAdapter
from conformance.http import FramingError, Request, Response, StreamEvent
from conformance.model import AssistantTurn, Conversation, Json, ProviderError
from conformance.wires import wire
from conformance.wires.facts import decode


class Liar(ReferenceAdapter):
    """The reference adapter under another name, still telling the truth.

    The hooks, in the order in which a model call meets them: `means`, `closes`, `sends`, `posts`; then for complete
    answers `receives`, for streams `hears` and `collects`, and for both `reads` and `understands`. Hooks get values of
    their own, which they may change in place, and return what is to be used instead.
    """

    aims: ClassVar[tuple[str, ...]] = ()
    """The rules that the lie is to break."""
    providers: ClassVar[tuple[str, ...]] = ()
    """Where the lie is told; where nothing is said, wherever one of those rules applies."""
    deliveries: ClassVar[tuple[str, ...]] = ()
    """In which deliveries it shows, if not in the plain ones."""
    scenarios: ClassVar[tuple[str, ...]] = ()
    """In which scenarios it is told, as globs, if not in all."""

    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo(type(self).__name__, self.info.providers)

    def means(self, conversation: Conversation) -> Conversation:
        """What it takes the application's conversation for."""
        return conversation

    def sends(self, body: Json) -> Json:
        """The request's JSON document, as it sends it."""
        return body

    def posts(self, request: Request) -> Request:
        """The whole HTTP request, as it sends it."""
        return request

    def receives(self, response: Response) -> Response:
        """The HTTP response, as it comes to know it."""
        return response

    def hears(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        """The bytes of a stream, as it comes to know them."""
        return chunks

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        """The events of a stream, as it takes them."""
        return events

    def reads(self, body: Json) -> Json:
        """The answer's JSON document, as it reads it. A stream's is the one that its events amount to."""
        return body

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        """What it makes of the turn that it read."""
        return turn

    # --- the contract's operations -----------------------------------------------------------------------------------

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        request = super().build_request(provider, self.means(conversation), stream=stream)
        if _own(self, "sends"):
            request = Request.post_json(request.url, self.sends(decode(request)), request.headers)
        return self.posts(request)

    def parse_response(
        self, provider: str, response: Response, *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        response = self.receives(response)
        if _own(self, "reads"):
            response = Response(response.status, response.headers, _encoded(self.reads(json.loads(response.body))))
        return self.understands(super().parse_response(provider, response, conversation=conversation))

    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        speaker = wire(provider)
        try:
            events = list(speaker.events(self.hears(chunks)))
            assembly = speaker.assembled(self.collects(events))
        except FramingError as problem:
            return self.understands(AssistantTurn(stop="error", error=ProviderError(str(problem))))
        assembly.body = self.reads(assembly.body)
        return self.understands(speaker.finish(assembly, conversation))


def _own(liar: Liar, hook: str) -> bool:
    """Whether a lie has a hook of its own."""
    return getattr(type(liar), hook) is not getattr(Liar, hook)


def _encoded(body: Json) -> bytes:
    return Response.of_json(200, body).body
