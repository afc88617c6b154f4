"""A provider on loopback whose model does what a test wants: a real HTTP server, one thread for each connection."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from conformance.http import Request, Response, frame
from conformance.scenarios import load_scenarios
from conformance.script import ScriptError, ScriptTurn, Voice
from conformance.wires import wire
from conformance.wires.base import stream_headers

OFFICIAL = "https://provider.test"


@dataclass(frozen=True)
class Dies:
    """The answer, of which the connection lets half through."""

    says: ScriptTurn


Says = ScriptTurn | ScriptError | Response | Dies
Model = Callable[[int, Request], Says]
"""What the model says: to which request of a conversation (from 0), and with what in it."""


def obeying(scenario: str) -> Model:
    """A model that does what the scenario is about."""
    answers = load_scenarios()[scenario].answers
    return lambda place, request: answers[place]


@dataclass
class Fake:
    """The server. ``before`` is called ahead of each answer, and may wait."""

    provider: str
    model: Model
    before: Callable[[int], None] = lambda number: None
    requests: list[Request] = field(default_factory=list)
    url: str = ""

    def answer(self, request: Request) -> tuple[Response | list[bytes], bool]:
        """A response or the chunks of a stream, and whether it is cut off."""
        speaker, facts = wire(self.provider), wire(self.provider).facts(request)
        place = len(facts.rounds)
        self.requests.append(request)
        self.before(len(self.requests))
        says = self.model(place, request)
        cut = isinstance(says, Dies)
        says = says.says if isinstance(says, Dies) else says
        if isinstance(says, Response):
            return says, cut
        if isinstance(says, ScriptError):
            return speaker.render_error(says), cut
        names = {str(tool.name): str(tool.name) for tool in facts.functions}
        voice = Voice("some-model", names, f"fake/{len(self.requests)}")
        if facts.stream:
            return frame(speaker.render_stream(says, voice), speaker.card.framings[0]), cut
        return speaker.respond(says, voice), cut


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: Fake

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        given, cut = self.fake.answer(Request("POST", OFFICIAL + self.path, dict(self.headers), body))
        with contextlib.suppress(OSError):
            if isinstance(given, Response):
                self._whole(given, cut)
            else:
                self._chunks(given, cut)
        self.close_connection = True

    def _whole(self, response: Response, cut: bool) -> None:
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(response.body)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(response.body[: len(response.body) // 2] if cut else response.body)

    def _chunks(self, chunks: list[bytes], cut: bool) -> None:
        speaker = wire(self.fake.provider)
        self.send_response(200)
        for name, value in stream_headers(speaker.card.framings[0]).items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")
        self.end_headers()
        for chunk in chunks[: len(chunks) // 2] if cut else chunks:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        if not cut:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *words: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def faking(provider: str, model: Model, before: Callable[[int], None] = lambda number: None) -> Iterator[Fake]:
    """A provider for as long as it is needed."""
    fake = Fake(provider, model, before)
    handler = type("Handler", (_Handler,), {"fake": fake})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
