"""Where a client makes its model call: a base URL on loopback, or a transport for its HTTP library.

Both end in the same function, so a library is judged alike however it is reached. What the client sends is written
down as if it had gone to the provider's own host: an address on loopback is the harness's doing, not the client's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from conformance.adapters.served import HttpAnswer, HttpHandler
from conformance.http import MAX_BODY, Request, url_parts
from conformance.wires import card
from conformance.wires.routing import is_model_call

if TYPE_CHECKING:
    from conformance.adapters.loopback import Loopback

NOT_FOUND = HttpAnswer(404, {"content-type": "application/json"}, (b'{"error":{"message":"not found"}}',))
ENOUGH = HttpAnswer(429, {"content-type": "application/json"}, (b'{"error":{"message":"that is enough"}}',))
"""What everything else than a model call is answered with."""


MAX_REQUESTS = 100
MAX_BYTES = 4 * MAX_BODY
"""How many requests of one model call are taken, and how many bytes they may have together."""


def too_large(request: Request) -> HttpAnswer:
    """What a request is answered with that is more than any provider takes."""
    return _said(413, f"the request's {request.excess}")


def _said(status: int, words: str) -> HttpAnswer:
    return HttpAnswer(status, {"content-type": "application/json"}, (b'{"error":{"message":"%s"}}' % words.encode(),))


def is_a_model_call(request: Request) -> bool:
    """Whether a request is a model call of any provider."""
    return request.method == "POST" and is_model_call(request.path)


@dataclass
class Endpoint:
    """The other end of a client's HTTP calls on one provider.

    ``serve`` answers model calls; whatever else the client asks for (a list of models, say) is not found. What came is
    in ``requests``. A client makes one model call, and if it tries again it gets the same answer again; with
    ``repeats=False``, for agents, only the same request gets the same answer.
    """

    provider: str
    serve: HttpHandler
    repeats: bool = True
    requests: list[Request] = field(default_factory=list)
    _answer: HttpAnswer | None = None
    _taken: int = 0
    _loopback: Loopback | None = None

    api_key = "test-key"
    """The key to give to the library. Nobody checks it."""

    @property
    def base_url(self) -> str:
        """The provider's own base URL, for use with `transport`: nothing is sent there."""
        return card(self.provider).base_url

    @property
    def url(self) -> str:
        """A base URL on loopback with the same path. The first use opens a server; real HTTP goes through it."""
        if self._loopback is None:
            from conformance.adapters.loopback import Loopback

            self._loopback = Loopback.shared()
        self._loopback.serve = self.answer
        return self._loopback.origin + urlsplit(self.base_url).path

    @property
    def addresses(self) -> tuple[str, ...]:
        """The base URLs that lead here. Asking opens nothing."""
        return (self.base_url, *([self.url] if self._loopback is not None else []))

    @property
    def answered(self) -> str:
        """The body of the last answer, as text."""
        chunks = self._answer.chunks if self._answer is not None else ()
        return b"".join(chunks).decode("utf-8", "replace")

    def transport(self, library: str) -> Any:
        """A transport, sync and async at once, for clients of ``library``: ``httpx`` or ``httpx2``."""
        from conformance.adapters.transports import transport

        return transport(library, self.answer)

    def answer(self, request: Request) -> HttpAnswer:
        """What comes back for a request."""
        if not is_a_model_call(request):
            return NOT_FOUND
        if request.excess:
            return too_large(request)
        self._taken += len(request.body)
        if len(self.requests) >= MAX_REQUESTS or self._taken > MAX_BYTES:
            return ENOUGH
        request = self.as_sent_to_the_provider(request)
        again = bool(self.requests) and (self.repeats or request.body == self.requests[-1].body)
        self.requests.append(request)
        if self._answer is None or not again:
            self._answer = self.serve(request)
        return self._answer

    def as_sent_to_the_provider(self, request: Request) -> Request:
        """The request as if it had gone to the provider's own host."""
        own, sent = urlsplit(self.base_url), url_parts(request.url)
        url = urlunsplit((own.scheme, own.netloc, sent.path, sent.query, ""))
        return Request(request.method, url, request.headers, request.body)
