"""A relay before a server: any client reaches it by its base URL, and what goes through is kept and judged.

Each piece of an answer goes on as it comes. The request goes on as it is, but for the key and the model: clients are
not given the one, and many know only models of their own.
"""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from conformance.http import Request
from conformance.model import compact_json
from conformance.server.running import END_SECONDS, ServerThread, open_socket
from conformance.server.settings import PATIENCE
from conformance.servers.address import AskedServer
from conformance.servers.asking import STREAMS, ServerAnswer, read_answer
from conformance.traffic.records import RecordedExchange
from conformance.wires import routing, wire

if TYPE_CHECKING:
    import httpx
    from starlette.requests import Request as Asked
    from starlette.responses import Response

MOST = 200
"""How many exchanges of a client are kept."""

OF_CONNECTION = frozenset({"host", "content-length", "connection", "transfer-encoding", "accept-encoding"})
"""Headers that are made anew."""

IN_PATH = re.compile(r"(/models/)[^/:?]+(?=:)")
"""Where Gemini's requests name the model."""

METHODS = ["GET", "HEAD", "POST"]

PREFIXED = re.compile(r"^/p/[a-z-]+(?=/)")
"""What recipes of agents put before a path, because `conformance serve` tells providers apart by it."""


@dataclass
class WatchedServer:
    """What went through. ``origin`` is where clients find the relay."""

    server: AskedServer
    answers: list[ServerAnswer] = field(default_factory=list)
    origin: str = ""
    client: httpx.AsyncClient | None = None

    def listen(self, stack: contextlib.ExitStack, at: socket.socket) -> str:
        """Listen at an open socket until the stack is left. Returns its origin."""
        from starlette.applications import Starlette
        from starlette.routing import Route

        routes = [Route("/{path:path}", self.relay, methods=METHODS)]
        thread = ServerThread(Starlette(routes=routes), at, PATIENCE)
        stack.callback(thread.stop, END_SECONDS)
        return thread.origin

    async def relay(self, asked: Asked) -> Response:
        """Send a request on, and its answer back."""
        from starlette.responses import Response, StreamingResponse

        body = await asked.body()
        path = PREFIXED.sub("", asked.url.path) + (f"?{asked.url.query}" if asked.url.query else "")
        headers = {name: value for name, value in asked.headers.items() if name not in OF_CONNECTION}
        request = self._of_its_model(Request(asked.method, self.server.card.origin + path, headers, body))
        sent = self.server.addressed(request)
        headers = {**sent.headers, "accept-encoding": "identity"}
        client = self.client = self.client or _client()
        try:
            going = client.build_request(sent.method, sent.url, headers=headers, content=sent.body)
            answer = await client.send(going, stream=True)
        except OSError as problem:
            return Response(str(problem), 502)
        except Exception as problem:
            return Response(type(problem).__name__, 502)
        kept = {name: value for name, value in answer.headers.items() if name not in OF_CONNECTION}
        return StreamingResponse(self._passing(request, answer), answer.status_code, kept)

    def _of_its_model(self, request: Request) -> Request:
        """The request with the server's model instead of the client's."""
        url = IN_PATH.sub(lambda found: found[1] + quote(self.server.model, safe=""), request.url)
        document = request.document
        if not isinstance(document, dict) or "model" not in document:
            return replace(request, url=url)
        return replace(request, url=url, body=compact_json({**document, "model": self.server.model}).encode())

    async def _passing(self, request: Request, answer: httpx.Response) -> AsyncIterator[bytes]:
        import httpx

        started, pieces, arrived = time.monotonic(), list[bytes](), list[float]()
        try:
            async for piece in answer.aiter_raw():
                pieces.append(piece)
                arrived.append(time.monotonic() - started)
                yield piece
        except httpx.HTTPError:
            self._keep(request, answer, b"".join(pieces), tuple(arrived), whole=False)
            raise
        else:  # a client that goes away ends it, too: then nobody knows what would have come
            self._keep(request, answer, b"".join(pieces), tuple(arrived), whole=True)
        finally:
            await answer.aclose()

    def _keep(
        self, request: Request, answer: httpx.Response, body: bytes, arrived: tuple[float, ...], *, whole: bool
    ) -> None:
        """Keep a call of the model. What else is asked, such as a list of models, is nobody's concern here."""
        if len(self.answers) >= MOST or request.method != "POST" or not routing.is_model_call(request.path):
            return
        streamed = wire(self.server.provider).facts(request).stream
        record = RecordedExchange(
            request.path, len(self.answers) + 1, None, request, answer.status_code, dict(answer.headers), body,
            STREAMS if streamed else None,
        )  # fmt: skip
        name = f"request {len(self.answers) + 1}"
        self.answers.append(read_answer(self.server, name, record, arrived, streamed=streamed, whole=whole))


def _client() -> httpx.AsyncClient:
    import httpx

    return httpx.AsyncClient(trust_env=False, timeout=httpx.Timeout(120.0, connect=10.0))


@contextlib.contextmanager
def watched_server(server: AskedServer) -> Iterator[WatchedServer]:
    """A relay before a server, on a free port of loopback."""
    watching = WatchedServer(server)
    with contextlib.ExitStack() as stack:
        watching.origin = watching.listen(stack, open_socket("127.0.0.1", 0))
        yield watching
