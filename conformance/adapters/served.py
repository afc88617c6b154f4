"""What comes back over HTTP, for whatever carries it: a transport in this process, or a server on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from conformance.http import Request


class Paced(Protocol):
    """Chunks that are given when it is time for each, with or without ``await``. One that raises `ConnectionError`
    breaks off."""

    def __iter__(self) -> Iterator[bytes]: ...

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    def watch(self, hung_up: Callable[[], bool]) -> None:
        """A server says how to find out whether the client is still there."""

    def close(self) -> None:
        """Nobody takes any more."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What the other end answers: ``chunks`` arrive one by one, or as ``paced`` gives them."""

    status: int
    headers: Mapping[str, str]
    chunks: tuple[bytes, ...]
    paced: Paced | None = None


HttpHandler = Callable[[Request], HttpAnswer]


class ChunkStream:
    """The chunks of a body for a stream that is read with or without ``await``."""

    def __init__(self, served: HttpAnswer, broken: type[Exception] = ConnectionError) -> None:
        self._served, self._broken = served, broken

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._served.paced or self._served.chunks
        except ConnectionError as problem:
            raise self._broken(str(problem)) from None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        paced = self._served.paced
        if paced is None:
            for chunk in self._served.chunks:
                yield chunk
            return
        chunks = paced.__aiter__()
        try:
            async for chunk in chunks:
                yield chunk
        except ConnectionError as problem:
            raise self._broken(str(problem)) from None
        finally:
            await chunks.aclose()  # type: ignore[attr-defined]

    def close(self) -> None:
        """The body is not wanted any more."""
        if self._served.paced is not None:
            self._served.paced.close()

    async def aclose(self) -> None:
        self.close()
