"""Recorded answers for HTTP libraries and for plain code.

    player = Player([read_cassette(path)])
    client = openai.OpenAI(http_client=httpx2.Client(transport=replay_transport("httpx2", player.answer)))

A body comes in the pieces in which it once came. Where the connection broke, it breaks again, with the exception that
the library raises for a broken connection. What describes a body on its way is put right for the body that is played:
it has no content coding any more, and a length only if it is whole.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from conformance.http import Request
from conformance.recordings.interaction import Headers, Interaction

LIBRARIES = ("httpx", "httpx2")

InteractionSource = Callable[[Request], Interaction]
"""Answers a request: `conformance.recordings.player.Player.answer`, as a rule."""

_BROKEN = "peer closed connection without sending complete message body (as recorded)"


class BrokenError(ConnectionResetError):
    """The connection broke here when this was recorded."""


class ReplayedAnswer(NamedTuple):
    """An answer. ``chunks`` raises `BrokenError` where the connection broke."""

    status: int
    headers: Headers
    chunks: Iterator[bytes]


def replay(answer: InteractionSource, request: Request) -> ReplayedAnswer:
    """The recorded answer to a request, for code that has no HTTP library. Raises what ``answer`` raises."""
    played = answer(request)
    return ReplayedAnswer(played.status, played_headers(played), _chunks(played, BrokenError))


def replay_transport(library: str, answer: InteractionSource) -> Any:
    """A transport of httpx or httpx2 (``BaseTransport`` and ``AsyncBaseTransport``) that ends in ``answer``.

    Raises `ValueError` for another library and `ModuleNotFoundError` when it is not installed.
    """
    if library not in LIBRARIES:
        raise ValueError(f"no transport for {library!r}; there is one for {' and '.join(LIBRARIES)}")
    return _class(library)(answer)


def played_headers(played: Interaction) -> Headers:
    """The recorded header fields, without those that describe another body than the one that is played.

    A content-encoding goes, because it is undone. The length of a whole body is its own; that of a broken one stays as
    it was announced, unless the coding, for which it counted, is gone. A chunked body has none (RFC 9112, 6.3).
    """
    names = {name.lower() for name, _ in played.headers}
    if not names & _ABOUT_BODY:
        return played.headers
    coded, chunked = "content-encoding" in names, "transfer-encoding" in names
    fields: list[tuple[str, str]] = []
    for name, value in played.headers:
        match name.lower():
            case "content-encoding":
                continue
            case "content-length" if chunked or (coded and played.ended == "cut"):
                continue
            case "content-length" if played.ended == "whole" and played.request.method.upper() != "HEAD":
                fields.append((name, str(sum(map(len, played.chunks)))))
            case _:
                fields.append((name, value))
    return tuple(fields)


_ABOUT_BODY = frozenset({"content-encoding", "content-length"})


def _chunks(played: Interaction, broken: Callable[[str], Exception]) -> Iterator[bytes]:
    yield from played.chunks
    if played.ended == "cut":
        raise broken(_BROKEN)


@cache
def _class(name: str) -> Any:
    library: Any = importlib.import_module(name)

    class Body(library.SyncByteStream, library.AsyncByteStream):  # type: ignore[misc]
        """A recorded body."""

        def __init__(self, played: Interaction) -> None:
            self._played = played

        def __iter__(self) -> Iterator[bytes]:
            return _chunks(self._played, library.RemoteProtocolError)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for chunk in _chunks(self._played, library.RemoteProtocolError):
                yield chunk

    class ReplayTransport(library.BaseTransport, library.AsyncBaseTransport):  # type: ignore[misc]
        """Plays recordings. It has no connection that could be opened."""

        def __init__(self, answer: InteractionSource) -> None:
            self._answer = answer

        def handle_request(self, request: Any) -> Any:
            return self._response(request, request.read())

        async def handle_async_request(self, request: Any) -> Any:
            return self._response(request, await request.aread())

        def _response(self, request: Any, body: bytes) -> Any:
            played = self._answer(Request(request.method, str(request.url), request.headers, body))
            extensions = {"reason_phrase": played.reason.encode("latin-1", "replace")} if played.reason else {}
            return library.Response(
                played.status, headers=list(played_headers(played)), stream=Body(played), extensions=extensions
            )

    return ReplayTransport
