"""A gateway of our own, made of the reference wires: it shows that the rules can be kept, and what breaks them.

    python -m conformance.gateways.reference --port 4000 --upstream http://127.0.0.1:8080

It takes every format at its usual path, and talks to the provider whose name stands before the model's:
``anthropic.test-model``. What a format cannot carry through the client (signatures), it remembers; what a provider's
format cannot say, it refuses.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import select
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from conformance.answers import answer_of_events, script_of, thinking_in
from conformance.gateways.translating import (
    RefusedError,
    StreamTranslator,
    TurnMemory,
    conversation_of,
    error_of,
)
from conformance.http import MAX_BODY, Request, Response, StreamEvent, frame
from conformance.model import AssistantTurn, Conversation
from conformance.script import ScriptError, Voice
from conformance.wires import card, known_ids, wire
from conformance.wires.base import stream_headers
from conformance.wires.models import model_asked
from conformance.wires.routing import by_path_end
from conformance.wires.unanswered import with_all_answered

SECONDS = 60.0
BODY = 1 << 16


class ReferenceGateway:
    """What the gateway does. The methods are where a wrong one goes wrong (tests/gateways)."""

    streams_at_once = True
    """Whether words are passed on as they come."""
    hangs_up = True
    """Whether the provider is left alone when the client is gone."""

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.memory = TurnMemory()
        self._answers = 0
        self._lock = threading.Lock()

    def asks(self, conversation: Conversation) -> Conversation:
        """The conversation that the provider is asked to go on with."""
        return conversation

    def sends(self, request: Request) -> Request:
        """The request to the provider."""
        return request

    def answers(self, turn: AssistantTurn) -> AssistantTurn:
        """The turn that the client is given."""
        return turn

    def responds(self, response: Response) -> Response:
        """The blocking answer, or the failure, that the client is given."""
        return response

    def streams(self, events: Iterator[StreamEvent]) -> Iterator[StreamEvent]:
        """The events that the client is given."""
        return events

    def times(self, *, broke: bool) -> int:
        """How often the provider is asked once its stream ``broke``."""
        return 1

    def tells_a_break(self) -> bool:
        """Whether the client's stream breaks off where the provider's did."""
        return True

    def seed(self) -> str:
        """What the ids of the next answer are made from."""
        with self._lock:
            self._answers += 1
            return f"answer/{self._answers}"

    def serve(self, port: int) -> ThreadingHTTPServer:
        """A server for it."""
        return _Server(("127.0.0.1", port), _handler(self))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no fault."""


class _Asked:
    """One request of a client's, understood."""

    def __init__(self, gateway: ReferenceGateway, inbound: str, request: Request) -> None:
        self.gateway, self.inbound, self.request = gateway, inbound, request
        self.facts = wire(inbound).facts(request)
        self.asked_model = model_asked(request.path, self.facts.document)
        self.outbound, _, self.model = self.asked_model.partition(".")
        if self.outbound not in known_ids():
            raise RefusedError(f"There is no model {self.asked_model!r}.")
        told = conversation_of(self.facts, inbound, self.outbound, self.model, gateway.memory)
        self.conversation = gateway.asks(told)
        self.voice = Voice(self.asked_model, {}, gateway.seed())

    def sent(self) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """The request to the provider, under way."""
        own = wire(self.outbound).build(with_all_answered(self.conversation), stream=self.facts.stream)
        own = self.gateway.sends(own)
        parts, at = urlsplit(own.url), urlsplit(self.gateway.upstream)
        connection = http.client.HTTPConnection(at.hostname or "", at.port, timeout=SECONDS)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, own.body, dict(own.headers))
        return connection, connection.getresponse()

    def turned(self, turn: AssistantTurn) -> AssistantTurn:
        """The turn for the client. As it was said, it is remembered."""
        given = self.gateway.answers(turn)
        self.gateway.memory.keep(self.outbound, replace(given, opaque=turn.opaque))
        return given

    def failure(self, error: ScriptError) -> Response:
        """A failure in the client's format."""
        return wire(self.inbound).render_error(error)


def _handler(gateway: ReferenceGateway) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Takes one request after another on a connection."""

        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._respond(Response.of_json(200, {"status": "ready"}))

        def do_POST(self) -> None:
            body = self.rfile.read(min(int(self.headers.get("content-length") or 0), MAX_BODY))
            request = Request("POST", f"http://localhost{self.path}", dict(self.headers.items()), body)
            inbound = by_path_end(request.path, "")
            if inbound is None:
                self._respond(Response.of_json(404, {"error": {"message": "There is no such path."}}))
                return
            try:
                asked = _Asked(gateway, inbound, request)
            except RefusedError as problem:
                refused = ScriptError("invalid_request", str(problem))
                self._respond(wire(inbound).render_error(refused))
                return
            self._answer(asked)

        def _answer(self, asked: _Asked) -> None:
            connection, response = asked.sent()
            with contextlib.closing(connection):
                if response.status >= 400:
                    status, headers, body = response.status, dict(response.getheaders()), response.read()
                    error = wire(asked.outbound).read_error(status, headers, body)
                    self._respond(gateway.responds(asked.failure(error_of(error, status))))
                elif asked.facts.stream:
                    self._stream(asked, connection, response)
                else:
                    self._respond(gateway.responds(_blocking(asked, response)))

        def _respond(self, response: Response) -> None:
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(response.body)))
            self.end_headers()
            self.wfile.write(response.body)

        def _stream(
            self, asked: _Asked, connection: http.client.HTTPConnection, response: http.client.HTTPResponse
        ) -> None:
            framing = card(asked.inbound).framing(asked.request.query)
            translated = gateway.streams(_translated(asked, response, self._is_gone))
            first = next(translated, None) if not gateway.streams_at_once else None
            self.send_response(200)
            for name, value in stream_headers(framing).items():
                self.send_header(name, value)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            self.wfile.flush()
            try:
                for event in [first] if first is not None else []:
                    self._write(frame([event], framing))
                for event in translated:
                    self._write(frame([event], framing))
                self.wfile.write(b"0\r\n\r\n")
            except (OSError, _BrokenError):
                self.close_connection = True
                connection.close()

        def _write(self, pieces: Sequence[bytes]) -> None:
            for piece in pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

        def _is_gone(self) -> bool:
            readable, _, _ = select.select([self.connection], [], [], 0)
            return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    return Handler


class _BrokenError(Exception):
    """The provider's stream broke off, and so must the client's."""


def _blocking(asked: _Asked, response: http.client.HTTPResponse) -> Response:
    got = Response(response.status, dict(response.getheaders()), response.read())
    turn = wire(asked.outbound).read_response(got, asked.conversation)
    return wire(asked.inbound).respond(script_of(asked.turned(turn), thinking_in(got.document)), asked.voice)


def _translated(asked: _Asked, response: http.client.HTTPResponse, is_gone: Any) -> Iterator[StreamEvent]:
    """The client's events, as the provider's come."""
    gateway, speaker = asked.gateway, wire(asked.outbound)
    said, translator = "", StreamTranslator(asked.inbound, asked.voice)
    events: list[StreamEvent] = []
    for event in speaker.events(_pieces(asked, response)):
        if gateway.hangs_up and is_gone():
            raise _BrokenError
        events.append(event)
        if not gateway.streams_at_once:
            continue
        so_far = answer_of_events(speaker, events)
        text = so_far.offered.text
        if text.startswith(said) and text != said:
            yield from translator.words(text[len(said) :], thinking_in(so_far.body))
            said = text
    assembly = speaker.assembled(events)
    turn = speaker.finish(assembly, asked.conversation)
    if turn.stop in ("incomplete", "error") and gateway.tells_a_break():
        raise _BrokenError
    yield from translator.rest(asked.turned(turn), thinking_in(assembly.body))


def _pieces(asked: _Asked, response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The provider's bytes as they come. A stream that breaks just ends."""
    for _ in range(10):
        broke = False
        try:
            while piece := response.read1(BODY):
                yield piece
        except (OSError, http.client.HTTPException):
            broke = True
        if not broke or asked.gateway.times(broke=True) < 2:
            return
        _, response = asked.sent()


def main() -> None:
    """Serve until the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--upstream", required=True)
    options = parser.parse_args()
    ReferenceGateway(options.upstream).serve(options.port).serve_forever()


if __name__ == "__main__":
    main()


