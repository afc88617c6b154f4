"""What a client or an agent in a child is given: an endpoint that it can only reach by HTTP, and tools by message."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlsplit

from conformance.adapters.endpoint import Endpoint
from conformance.adapters.served import Served
from conformance.adapters.stdio import reading, writing
from conformance.http import Request
from conformance.model import Json, ToolCall, ToolResult

_READ = 1 << 16


class RemoteEndpoint(Endpoint):
    """The harness's endpoint, in another process. A library that wants a transport gets one that forwards."""

    def __init__(self, provider: str, url: str) -> None:
        super().__init__(provider, forward)
        self._url = url

    @property
    def base_url(self) -> str:
        """The harness's own base URL."""
        return self._url

    @property
    def url(self) -> str:
        """The harness's own base URL."""
        return self._url

    def answer(self, request: Request) -> Served:
        """What the harness answers."""
        return forward(request)


def forward(request: Request) -> Served:
    """Send ``request`` over HTTP and return all that comes back, in the chunks in which it comes."""
    target = urlsplit(request.url)
    connection = http.client.HTTPConnection(target.netloc)
    hop = ("host", "connection", "content-length", "transfer-encoding")
    headers = {name: value for name, value in request.headers.items() if name.lower() not in hop}
    try:
        path = request.url[request.url.index(target.netloc) + len(target.netloc) :]
        connection.request(request.method, path or "/", request.body, headers)
        response = connection.getresponse()
        received = {name: value for name, value in response.getheaders() if name.lower() not in hop}
        return Served(response.status, received, tuple(_chunks(response)))
    finally:
        connection.close()


def _chunks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    while chunk := response.read1(_READ):
        yield chunk


class RemoteTools:
    """Has tools run by the harness. ``ask`` sends a request and returns its result."""

    def __init__(self, ask: Callable[[str, str], Json]) -> None:
        self._ask = ask
        self._asked = 0

    def __call__(self, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        self._asked += 1
        call = ToolCall(f"tool-{self._asked}", name, arguments)
        return reading.result(self._ask("call_tool", writing.call_text(call)))
