"""SDKs on a real wire: their own HTTP clients, over sockets, to a server. What is sent is noted on the way out."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from conformance.adapters.bound import BoundClient
from conformance.adapters.contract import Client
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries import load_shim
from conformance.adapters.served import HttpAnswer
from conformance.deliveries import Delivery
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation
from conformance.outcomes import OperationFailure
from conformance.server import Running
from conformance.session.seat import ModelCall, Respond
from conformance.wires import cards

SHIMS = {one.id: one.sdk for one in cards() if one.sdk is not None}
"""For each provider the shim around its SDK."""

Rewrite = Callable[[Request], Request]


class Wired(Endpoint):
    """An endpoint that is the server: the SDK's transport is its HTTP library's own. ``rewrite`` changes what is sent
    after the SDK has made it."""

    def __init__(self, provider: str, url: str, headers: dict[str, str], rewrite: Rewrite | None = None) -> None:
        super().__init__(provider, self._forwarded)
        self._url, self.headers, self.rewrite = url, headers, rewrite

    @property
    def base_url(self) -> str:
        return self._url

    def transport(self, library: str) -> Any:
        return noting(library)(self)

    def _forwarded(self, request: Request) -> HttpAnswer:
        """What the server answers to an SDK that brings its own HTTP, and calls an address on loopback."""
        httpx: Any = importlib.import_module("httpx")
        lower = {key.lower(): value for key, value in request.headers.items()}
        sent = replace(request, headers=lower)
        sent = self.rewrite(sent) if self.rewrite else sent
        apart = ("content-length", "host", "transfer-encoding")
        headers = {key: value for key, value in sent.headers.items() if key.lower() not in apart}
        url = self._url.rstrip("/") + urlsplit(sent.url).path
        answer = httpx.request(sent.method, url, headers={**headers, **self.headers}, content=sent.body)
        kept = {key: value for key, value in answer.headers.items() if key not in apart}
        return HttpAnswer(answer.status_code, kept, (answer.content,))


@cache
def noting(name: str) -> Any:
    """A transport of an HTTP library that notes each request in its endpoint, and really sends it."""
    library: Any = importlib.import_module(name)
    inner = library.HTTPTransport(limits=library.Limits(max_connections=None))

    class Noting(library.BaseTransport):
        def __init__(self, endpoint: Wired | None = None) -> None:
            self.endpoint = endpoint

        def handle_request(self, request: Any) -> Any:
            assert self.endpoint is not None
            noted = Request(request.method, str(request.url), dict(request.headers), request.read())
            self.endpoint.requests.append(noted)
            sent = self.endpoint.rewrite(noted) if self.endpoint.rewrite else noted
            headers = {key: value for key, value in sent.headers.items() if key.lower() != "content-length"}
            again = library.Request(
                sent.method, sent.url, headers={**headers, **self.endpoint.headers}, content=sent.body,
                extensions=request.extensions,
            )  # fmt: skip
            return inner.handle_request(again)

    return Noting


@cache
def sdk(provider: str) -> Client:
    """The shim around a provider's SDK."""
    made: Client = load_shim(SHIMS[provider])()
    return made


def google(origin: str, line: Any) -> Any:
    """A client of google-genai, which takes too long to make to make it often."""
    genai = importlib.import_module("google.genai")
    http = importlib.import_module("httpx2").Client(transport=line)
    options = genai.types.HttpOptions(base_url=origin, httpx_client=http)
    return genai.Client(api_key=Endpoint.api_key, vertexai=False, http_options=options)


class GoogleLine:
    """What stands for the line of the google shim: from now on its client belongs to the endpoint it leads to."""

    def __init__(self, origin: str) -> None:
        self.transport = noting("httpx2")()
        self.client = google(origin, self.transport)

    def leads_to(self, endpoint: Wired) -> None:
        self.transport.endpoint = endpoint


_LINES: dict[str, GoogleLine] = {}


def lead_google_to(server: Running) -> None:
    """Let the google shim call a server."""
    shim = importlib.import_module("conformance.adapters.libraries.google_genai")
    if server.origin not in _LINES:
        _LINES[server.origin] = GoogleLine(server.origin)
    line = _LINES[server.origin]
    shim._on_a_line = lambda: (line, line.client)


class WiredSeat:
    """Lets an SDK make each model call to a server. The harness's own responder says what that will have answered."""

    seconds = 0.0

    def __init__(self, provider: str, server: Running, scenario: str, session: str) -> None:
        self.provider = provider
        self.headers = {} if provider != "gemini" else {
            "x-conformance-scenario": scenario, "x-conformance-session": session,
        }  # fmt: skip
        self.url = server.url(provider, scenario, session)
        if provider == "gemini":
            lead_google_to(server)

    def call(self, conversation: Conversation, delivery: Delivery, respond: Respond) -> ModelCall:
        """One call, over the network."""
        endpoint = Wired(self.provider, self.url, self.headers)
        understood = BoundClient(sdk(self.provider), self.provider).complete(
            conversation, endpoint, stream=delivery.streaming
        )
        if not endpoint.requests:
            assert isinstance(understood, OperationFailure), understood
            return ModelCall(understood, None, understood)
        delivered = respond(endpoint.requests[0])
        return ModelCall(endpoint.requests[0], delivered, understood)

    def read(
        self, chunks: list[bytes], conversation: Conversation, delivery: Delivery
    ) -> AssistantTurn | OperationFailure:
        """Nothing is read that did not come over the network."""
        raise AssertionError("streams come over the network")
