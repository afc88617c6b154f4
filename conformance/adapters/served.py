"""What comes back over HTTP, for whatever carries it: a transport in this process, or a server on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass

from conformance.http import Request


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What the other end answers: ``chunks`` arrive one by one."""

    status: int
    headers: Mapping[str, str]
    chunks: tuple[bytes, ...]


HttpHandler = Callable[[Request], HttpAnswer]


class ChunkStream:
    """The chunks of a body for a stream that is read with or without ``await``."""

    def __init__(self, chunks: tuple[bytes, ...]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._chunks)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
