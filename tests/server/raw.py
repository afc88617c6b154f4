"""Talking to the server with nothing in between: bytes out, bytes in."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from conformance.http import Request
from conformance.server import Running


@dataclass(frozen=True, slots=True)
class Heard:
    """What came back: the status (0 where none came), the body without its chunking, and whether that came whole."""

    status: int
    body: bytes
    whole: bool
    head: bytes = b""


def address(server: Running) -> tuple[str, int]:
    """Where a server listens."""
    parts = urlsplit(server.origin)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


def as_bytes(server: Running, provider: str, request: Request, **more: str) -> bytes:
    """A request as it goes over the wire, to one provider of the server. ``more`` are headers of the server's own."""
    headers = {
        **request.headers, "host": urlsplit(server.origin).netloc, "connection": "close",
        "content-length": str(len(request.body)), "x-conformance-provider": provider,
        **{f"x-conformance-{name}": value for name, value in more.items()},
    }  # fmt: skip
    path = request.path + (f"?{request.query}" if request.query else "")
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{request.method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + request.body


def exchange(server: Running, sent: bytes, timeout: float = 20) -> Heard:
    """Send bytes, and read until the server closes the connection."""
    with socket.create_connection(address(server), timeout=timeout) as line:
        line.sendall(sent)
        pieces = []
        try:
            while piece := line.recv(65_536):
                pieces.append(piece)
        except ConnectionResetError:
            pass
    return heard(b"".join(pieces))


def heard(data: bytes) -> Heard:
    """The response in the bytes of a connection."""
    head, _, rest = data.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 "):
        return Heard(0, data, whole=False)
    status = int(head[9:12])
    lower = head.lower()
    if b"transfer-encoding: chunked" in lower:
        return Heard(status, *_unchunked(rest), head)
    length = next((int(line[15:]) for line in lower.split(b"\r\n") if line.startswith(b"content-length:")), 0)
    return Heard(status, rest[:length], len(rest) >= length, head)


def _unchunked(data: bytes) -> tuple[bytes, bool]:
    body = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        if size == b"0":
            return body, True
        if not size:
            break
        body += data[: int(size, 16)]
        data = data[int(size, 16) + 2 :]
    return body, False
