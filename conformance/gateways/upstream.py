"""The provider behind a gateway: a real HTTP server on loopback that says what the script says, chunk by chunk.

Whose format is spoken is told by the path of each request, whatever the gateway was told to do. It can wait before a
chunk until the client has got what came before, and see when the gateway hangs up.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from conformance.answers import growing
from conformance.deliveries import DELIVERIES
from conformance.gateways.crossing import CrossedCall, UpstreamCall
from conformance.http import MAX_BODY, Request
from conformance.responders import DeliveredAnswer
from conformance.responders.scripted import ScriptedResponder
from conformance.scenarios import AnswerStep, Scenario
from conformance.script import ScriptTurn
from conformance.server.address import address_of
from conformance.wires import card, wire
from conformance.wires.base import stream_headers
from conformance.wires.routing import by_path_end

GATE_SECONDS = 5.0
"""How long the provider waits for the client to have something. It takes milliseconds."""
FIRST_BYTE, WORDS = "the first byte", "words"
"""The gates: what the client has before the provider's second event, and before the third with words."""
PACE_SECONDS, PACED = 0.05, 60
"""How fast, and how often, the provider goes on talking to find out whether somebody still listens."""
MOST_CALLS = 20


@dataclass
class NextAnswer:
    """What the provider is about to say: answer number ``place`` of the scenario, to whoever asks.

    ``gated`` makes it wait for the client, ``endless`` makes it go on until the gateway hangs up.
    """

    crossing: CrossedCall
    scenario: Scenario
    place: int
    gated: bool = False
    endless: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A gateway that hangs up is seen elsewhere."""


class ScriptedUpstream:
    """The providers, all at one origin. ``upcoming`` says what comes next."""

    def __init__(self) -> None:
        self.upcoming: NextAnswer | None = None
        self.problems: list[str] = []
        """What went wrong in the harness itself."""
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, name="upstream", daemon=True).start()

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def stop(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()


def provider_of(request: Request) -> str | None:
    """Whose format a request speaks, by its path. A prefix (``/p/mistral``) tells hosts of one format apart."""
    address = address_of(request)
    found = by_path_end(address.path, "")
    named = address.provider if request.path != address.path else None
    return named if named is not None and found and card(named).format == card(found).format else found


def _at_home(provider: str, request: Request) -> Request:
    """The request as if it had gone to the provider's own host."""
    query = f"?{request.query}" if request.query else ""
    return replace(request, url=f"{card(provider).origin}{address_of(request).path}{query}")


def _answered(upcoming: NextAnswer, call: UpstreamCall) -> DeliveredAnswer:
    """The scripted answer in the provider's format. A fault that only streams have is left out of a blocking answer."""
    place, scenario = upcoming.place, upcoming.scenario
    says = scenario.answers[place]
    stream = call.facts.stream
    if not stream and isinstance(says, ScriptTurn) and says.only_streams:
        says = replace(says, cut=None, fails_with=None, damaged=False)
    delivery = DELIVERIES["stream:per-event" if stream else "blocking"]
    delivery = replace(delivery, framing=card(call.provider).framing(call.request.query) if stream else None)
    responder = ScriptedResponder(_only(scenario, place, says), call.provider)
    return responder.respond(0, call.request, call.facts, upcoming.crossing.intent, delivery)


def _only(scenario: Scenario, place: int, says: Any) -> Scenario:
    return replace(scenario, id=f"{scenario.id}/{place}", steps=(AnswerStep(says),))


def _handler(owner: ScriptedUpstream) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers one request after another on a connection."""

        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            request = Request(self.command, owner.origin + self.path, dict(self.headers.items()), self._body())
            provider, upcoming = provider_of(request), owner.upcoming
            if provider is None or upcoming is None or len(upcoming.crossing.upstream) >= MOST_CALLS:
                self._send(404, {"content-type": "application/json"}, [b'{"error":{"message":"not found"}}'])
                return
            request = _at_home(provider, request)
            call = UpstreamCall(provider, request, wire(provider).facts(request))
            with upcoming.lock:
                upcoming.crossing.upstream.append(call)
            try:
                delivered = _answered(upcoming, call)
            except Exception as problem:
                owner.problems.append(f"{type(problem).__name__}: {problem}")
                self._send(500, {"content-type": "text/plain"}, [b"the harness failed"])
                return
            call.answer, call.streaming = delivered.answer, delivered.chunks is not None
            if delivered.chunks is None:
                response = delivered.answer.response
                assert response is not None
                self._send(response.status, response.headers, [response.body])
            else:
                self._stream(upcoming, call, delivered.chunks)
            call.finished = True

        def do_GET(self) -> None:
            self._send(404, {"content-type": "application/json"}, [b'{"error":{"message":"not found"}}'])

        do_HEAD = do_PUT = do_DELETE = do_GET  # noqa: N815 - names that http.server calls

        def _body(self) -> bytes:
            if self.headers.get("transfer-encoding", "").lower() == "chunked":
                pieces = []
                while size := int(self.rfile.readline(100).split(b";")[0] or b"0", 16):
                    pieces.append(self.rfile.read(min(size, MAX_BODY)))
                    self.rfile.readline(100)
                self.rfile.readline(100)
                return b"".join(pieces)
            return self.rfile.read(min(int(self.headers.get("content-length") or 0), MAX_BODY))

        def _send(self, status: int, headers: Mapping[str, str], chunks: Sequence[bytes]) -> None:
            body = b"".join(chunks)
            with contextlib.suppress(OSError):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

        def _stream(self, upcoming: NextAnswer, call: UpstreamCall, chunks: list[bytes]) -> None:
            framing = card(call.provider).framing(call.request.query)
            try:
                self.send_response(200)
                for name, value in stream_headers(framing).items():
                    self.send_header(name, value)
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                for chunk in _paced(upcoming, call, chunks):
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                    if self._is_gone():
                        raise ConnectionError
                if call.answer is not None and not call.answer.complete:
                    self.close_connection = True  # the connection ends, and so does the stream
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.wfile.write(b"0\r\n\r\n")
            except OSError:
                call.gone_at = time.monotonic()
                self.close_connection = True

        def _is_gone(self) -> bool:
            readable, _, _ = select.select([self.connection], [], [], 0)
            return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    return Handler


def _paced(upcoming: NextAnswer, call: UpstreamCall, chunks: list[bytes]) -> Iterator[bytes]:
    """The chunks, each when it is time for it."""
    if not (upcoming.gated or upcoming.endless):
        yield from chunks
        return
    crossing, worded = upcoming.crossing, _with_words(call, chunks)
    for number, chunk in enumerate(chunks):
        if upcoming.gated and number == 1:
            crossing.awaits(FIRST_BYTE, lambda: bool(crossing.status), GATE_SECONDS)
        if upcoming.gated and len(worded) > 2 and number == worded[2]:
            crossing.awaits(WORDS, lambda: bool(crossing.text_so_far), GATE_SECONDS)
        yield chunk
        if upcoming.endless and len(worded) > 1 and number == worded[1]:
            for _ in range(PACED):
                time.sleep(PACE_SECONDS)
                yield chunk


def _with_words(call: UpstreamCall, chunks: list[bytes]) -> list[int]:
    """The places of the chunks that bring words."""
    places, before = [], ""
    for so_far in growing(wire(call.provider), chunks):
        if so_far.turn.text != before:
            before = so_far.turn.text
            places.append(so_far.given - 1)
    return places


