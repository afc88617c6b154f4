"""A server on loopback that sends exactly the bytes that a test wants, and may break off anywhere."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

Answer = Callable[[bytes], Iterable[bytes]]


@dataclass
class Server:
    """Answers each connection once. ``answer`` is given the whole request, and yields what to send, piece by piece."""

    answer: Answer
    requests: list[bytes] = field(default_factory=list)
    reset: bool = False
    """Break connections off with a reset, not with an end."""

    def __post_init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            request = _read(connection)
            self.requests.append(request)
            for piece in self.answer(request):
                connection.sendall(piece)
            if self.reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def close(self) -> None:
        """Take no more connections."""
        self._socket.close()


def _read(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextlib.contextmanager
def serving(answer: Answer, *, reset: bool = False) -> Iterator[Server]:
    """A server for as long as it is needed."""
    server = Server(answer, reset=reset)
    try:
        yield server
    finally:
        server.close()


def head(*headers: str, status: str = "200 OK") -> bytes:
    """The beginning of an answer."""
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "Connection: close", "", ""]).encode()


CHUNKED = head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body; an empty one is the last."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def stream(*pieces: bytes) -> Answer:
    """An answer in chunks."""
    return lambda _: [CHUNKED, *map(chunk, pieces), chunk(b"")]


def whole(body: bytes, *headers: str, status: str = "200 OK") -> Answer:
    """An answer in one piece."""
    return lambda _: [head(f"Content-Length: {len(body)}", *headers, status=status) + body]
