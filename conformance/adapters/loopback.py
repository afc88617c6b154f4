"""A real HTTP server on loopback for clients that take nothing but a base URL. One a process, kept open."""

from __future__ import annotations

import select
import socket
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from conformance.adapters.served import HttpAnswer, HttpHandler
from conformance.http import MAX_BODY, Request


class _TooLargeError(Exception):
    """A body of more bytes than any provider takes, or of a length that is no number."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no fault, and stderr belongs to the adapter."""


class Loopback:
    """A server that hands every request to ``serve``."""

    def __init__(self) -> None:
        self.serve: HttpHandler = _nobody
        self.problem: BaseException | None = None
        """What ``serve`` raised last, which a server thread cannot raise."""
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, name="loopback", daemon=True).start()

    @classmethod
    def shared(cls) -> Loopback:
        """The server of this process."""
        return _shared()

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"


@cache
def _shared() -> Loopback:
    return Loopback()


def _nobody(request: Request) -> HttpAnswer:
    return HttpAnswer(503, {"content-type": "text/plain"}, (b"no model call is expected now",))


def _handler(owner: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Takes one request after another on a connection."""

        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            try:
                body = self._body()
            except (_TooLargeError, ValueError):
                self.close_connection = True
                self._send(HttpAnswer(413, {"connection": "close"}, (b"that is no body of a request",)))
                return
            request = Request(self.command, owner.origin + self.path, dict(self.headers.items()), body)
            try:
                served = owner.serve(request)
            except BaseException as problem:
                owner.problem = problem
                served = HttpAnswer(500, {"content-type": "text/plain"}, (b"the harness failed",))
            self._send(served)

        do_GET = do_HEAD = do_PUT = do_DELETE = do_POST  # noqa: N815 - names that http.server calls

        def _body(self) -> bytes:
            if self.headers.get("transfer-encoding", "").lower() == "chunked":
                pieces, size = [], 0
                while piece := self._chunk(MAX_BODY - size):
                    pieces.append(piece)
                    size += len(piece)
                return b"".join(pieces)
            return self._piece(int(self.headers.get("content-length") or 0), MAX_BODY)

        def _chunk(self, most: int) -> bytes:
            data = self._piece(int(self.rfile.readline(100).split(b";")[0] or b"0", 16), most)
            self.rfile.readline(100)
            return data

        def _piece(self, size: int, most: int) -> bytes:
            if not 0 <= size <= most:
                raise _TooLargeError
            return self.rfile.read(size)

        def _send(self, served: HttpAnswer) -> None:
            self.send_response(served.status)
            for name, value in served.headers.items():
                self.send_header(name, value)
            if len(served.chunks) == 1 and served.paced is None and not served.lost:
                self.send_header("content-length", str(len(served.chunks[0])))
                self.end_headers()
                self.wfile.write(served.chunks[0])
                return
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            if served.paced is not None:
                served.paced.watch(self._is_gone)
            for chunk in served.paced or served.chunks:
                if chunk:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            if served.lost:
                self.close_connection = True
                return
            self.wfile.write(b"0\r\n\r\n")

        def _is_gone(self) -> bool:
            """Whether the client hung up."""
            readable, _, _ = select.select([self.connection], [], [], 0)
            return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

        def log_message(self, *words: Any) -> None:
            """Say nothing: stderr belongs to the adapter."""

    return Handler
