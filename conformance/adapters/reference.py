"""The reference adapters: the client half of every wire, behind the adapter contract."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from conformance.adapters.contract import AdapterInfo
from conformance.capabilities import ACCUMULATED
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation, News
from conformance.version import VERSION
from conformance.wires import card, known_ids, wire
from conformance.wires.unanswered import with_all_answered


class ReferenceAdapter:
    """A translator: as the provider documents it, for every provider and host. See `conformance.wires` for how."""

    def __init__(self) -> None:
        self.info = _info()

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        return wire(provider).build(self.closes(conversation), stream=stream)

    def closes(self, conversation: Conversation) -> Conversation:
        """The conversation in which each call is answered that the user passed over."""
        return with_all_answered(conversation)

    def parse_response(
        self, provider: str, response: Response, *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        return wire(provider).read_response(response, conversation)

    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        return wire(provider).read_stream(chunks, conversation)

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        return wire(provider).news(chunks, conversation)


@cache
def _info() -> AdapterInfo:
    claims = {provider: card(provider).capabilities - ACCUMULATED for provider in known_ids()}
    return AdapterInfo(name="reference", version=VERSION, providers=claims)
