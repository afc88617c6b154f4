"""Calling a provider for real: one request over HTTP, and the answer as it arrives, piece by piece."""

from __future__ import annotations

import contextlib
import functools
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import httpx

from conformance.http import Request, url_parts
from conformance.recordings.bodies import MAX_RECORD, RecordError, Unpacker
from conformance.recordings.interaction import Ending, Headers, Interaction


class UpstreamError(Exception):
    """No answer, or none that can be used. The message is one line: the host, and what went wrong. No key is in it."""


_OF_CONNECTION = frozenset({
    "connection", "content-length", "transfer-encoding", "host", "accept-encoding", "keep-alive",
})  # fmt: skip
"""Headers of a request that belong to the connection and are made anew."""


@dataclass
class IncomingAnswer:
    """An answer that is arriving. ``ended`` and `interaction` are known when all of `chunks` has been taken."""

    request: Request
    status: int
    reason: str
    headers: Headers
    ended: Ending | None = None
    _source: Any = None
    _kept: list[bytes] = field(default_factory=list)
    _pieces: Iterator[bytes] | None = None

    def chunks(self) -> Iterator[bytes]:
        """The body, each piece as soon as it is there, without content coding. Asked again, it goes on.

        A connection that breaks ends it: `ended` is then ``cut``. Raises `UpstreamError` when nothing arrives for too
        long, or when the body is too large or cannot be decoded.
        """
        if self._pieces is None:
            self._pieces = self._read()
        return self._pieces

    def _read(self) -> Iterator[bytes]:
        host = _host(self.request)
        coding = ", ".join(value for name, value in self.headers if name == "content-encoding")
        size = 0
        try:
            unpacker = Unpacker(coding)
            for raw in self._source.iter_raw():
                piece = unpacker.feed(raw)
                size += len(piece)
                if size > MAX_RECORD:
                    raise UpstreamError(f"{host}: the answer is larger than {MAX_RECORD} bytes")
                if piece:
                    self._kept.append(piece)
                    yield piece
            self.ended = "whole"
        except httpx.TimeoutException:
            raise UpstreamError(f"{host}: after {size} bytes of the answer nothing more arrived in time") from None
        except RecordError as problem:
            raise UpstreamError(f"{host}: {problem}") from None
        except httpx.TransportError:
            self.ended = "cut"

    def interaction(self) -> Interaction:
        """The request and the whole answer. What of it was not taken yet is read first."""
        if self.ended is None:
            for _ in self.chunks():
                pass
        headers = tuple(item for item in self.headers if item[0] not in ("content-encoding", "content-length"))
        return Interaction(self.request, self.status, headers, tuple(self._kept), self.ended or "cut", self.reason)


class Upstream:
    """A connection pool. Nothing is retried, no redirect is followed, and proxies and ``.netrc`` count only if asked.

    ``timeout`` is in seconds, for sending and for each wait for more of the answer. ``accept_encoding`` is sent instead
    of what the request says, because the chunks of a compressed stream are not those that the provider wrote.
    """

    def __init__(
        self,
        *,
        timeout: float = 120.0,
        connect_timeout: float = 10.0,
        environment: bool = False,
        accept_encoding: str = "identity",
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._accept_encoding = accept_encoding
        self._client = httpx.Client(
            timeout=httpx.Timeout(timeout, connect=connect_timeout),
            trust_env=environment,
            follow_redirects=False,
            verify=_tls(),
            transport=transport,
        )

    def __enter__(self) -> Upstream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def send(self, request: Request) -> Interaction:
        """Send a request and wait for the whole answer. Raises `UpstreamError` when there is none."""
        with self.stream(request) as incoming:
            return incoming.interaction()

    @contextlib.contextmanager
    def stream(self, request: Request) -> Iterator[IncomingAnswer]:
        """Send a request and read the answer as it arrives. Raises `UpstreamError` when there is none."""
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _OF_CONNECTION}
        headers["accept-encoding"] = self._accept_encoding
        try:
            asked = self._client.build_request(request.method, request.url, headers=headers, content=request.body)
            response = self._client.send(asked, stream=True)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
            raise UpstreamError("the address is no HTTP URL") from None
        except httpx.ConnectTimeout:
            raise UpstreamError(f"{_host(request)}: cannot be reached in time") from None
        except httpx.TimeoutException:
            raise UpstreamError(f"{_host(request)}: no answer in time") from None
        except httpx.ConnectError as problem:
            raise UpstreamError(f"{_host(request)}: cannot connect: {problem}") from None
        except httpx.TransportError as problem:
            raise UpstreamError(f"{_host(request)}: the connection broke before an answer: {problem}") from None
        try:
            yield IncomingAnswer(
                request, response.status_code, response.reason_phrase, tuple(response.headers.multi_items()),
                _source=response,
            )  # fmt: skip
        finally:
            response.close()


def _host(request: Request) -> str:
    """The host of a request, without user and password."""
    return url_parts(request.url).netloc.rpartition("@")[2]


@functools.cache
def _tls() -> ssl.SSLContext:
    """One TLS context for all: making one takes longer than everything else that a client needs."""
    return httpx.create_ssl_context(trust_env=False)
