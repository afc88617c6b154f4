"""What a client or an agent in a child is given: the harness's own endpoint and tools, reached by message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.adapters.endpoint import Endpoint, too_large
from conformance.adapters.served import HttpAnswer
from conformance.adapters.stdio import conversations, writing
from conformance.http import Request
from conformance.model import Json, ToolCall, ToolResult

Ask = Callable[[str, str], Json]
"""Sends a request to the harness and returns its result."""


class RemoteEndpoint(Endpoint):
    """The harness's endpoint, in another process. ``url`` is the harness's own server on loopback.

    A library that takes a transport, or a function that answers, gets one that asks over the pipe.
    """

    def __init__(self, provider: str, url: str, ask: Ask) -> None:
        self.provider = provider
        self._url, self._ask = url, ask

    @property
    def requests(self) -> list[Request]:  # type: ignore[override]
        """The model calls that have come to the harness so far, whichever way they took."""
        return [conversations.request(item) for item in self._ask("requests", "{}")]

    @property
    def addresses(self) -> tuple[str, ...]:
        return self.base_url, self._url

    @property
    def answered(self) -> str:
        return str(self._ask("answered", "{}"))

    @property
    def url(self) -> str:
        """The harness's own base URL."""
        return self._url

    def answer(self, request: Request) -> HttpAnswer:
        """What the harness answers. Where it does not wait for anything, nobody answers."""
        if request.excess:
            return too_large(request)
        try:
            answered = self._ask("http", writing.request_text(request))
        except OSError:
            return HttpAnswer(503, {"content-type": "text/plain"}, (b"no model call is expected now",))
        return conversations.answer_in(answered)


@dataclass
class RemoteTools:
    """Has tools run by the harness."""

    ask: Ask
    asked: int = 0

    def __call__(self, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        self.asked += 1
        call = ToolCall(f"tool-{self.asked}", name, arguments)
        return conversations.result(self.ask("call_tool", writing.call_text(call)))
