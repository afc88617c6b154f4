"""What comes back over HTTP, for whatever carries it: a transport in this process, or a server on loopback."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from conformance.http import Request


class PacedChunks(Protocol):
    """Chunks that are given when it is time for each, with or without ``await``. One that raises `ConnectionError`
    breaks off."""

    def __iter__(self) -> Iterator[bytes]: ...

    def __aiter__(self) -> AsyncGenerator[bytes]: ...

    def watch(self, hung_up: Callable[[], bool]) -> None:
        """A server says how to find out whether the client is still there."""

    def close(self) -> None:
        """Nobody takes any more."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What the other end answers: ``chunks`` arrive one by one, or as ``paced`` gives them. Then the connection may be
    ``lost`` before the body has ended."""

    status: int
    headers: Mapping[str, str]
    chunks: tuple[bytes, ...]
    paced: PacedChunks | None = None
    lost: bool = False


HttpHandler = Callable[[Request], HttpAnswer]


class ChunkStream:
    """The chunks of a body for a stream that is read with or without ``await``. Each comes once, whoever takes it."""

    def __init__(self, served: HttpAnswer, broken: type[Exception] = ConnectionError) -> None:
        self._paced, self._broken = served.paced, broken
        self._left = iter(served.paced or (_then_lost(served.chunks) if served.lost else served.chunks))
        self._left_on_a_loop = self._on_a_loop()

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._left
        except ConnectionError as problem:
            raise self._broken(str(problem)) from None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._left_on_a_loop:
                yield chunk
        except ConnectionError as problem:
            raise self._broken(str(problem)) from None
        finally:
            await self._left_on_a_loop.aclose()

    async def _on_a_loop(self) -> AsyncGenerator[bytes]:
        if self._paced is None:
            for chunk in self._left:
                yield chunk
            return
        chunks = self._paced.__aiter__()
        try:
            async for chunk in chunks:
                yield chunk
        finally:
            await chunks.aclose()

    def close(self) -> None:
        """The body is not wanted any more."""
        if self._paced is not None:
            self._paced.close()

    async def aclose(self) -> None:
        self.close()


def _then_lost(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks, after which nothing comes, not even the end."""
    yield from chunks
    raise ConnectionError("the connection was lost before the body had ended")
