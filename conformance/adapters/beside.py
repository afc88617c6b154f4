"""Reading a stream while another conversation goes on, or after one that broke off, with the same adapter.

Chunks are given in turn, one to each reader: a gate, and no clock. Only who reads one stream after the other, as with a
lock, never comes to the gate; it is opened after a while, and nothing is held against them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from conformance.model import Conversation

PATIENCE = 0.3
"""How many seconds a reader waits for the other one at most, once in a stream."""

Near = Literal["before", "beside", "on-a-loop"]
"""When the other conversation's stream is read: before, and then it breaks off; or at the same time, in another
thread or on the same event loop."""

Reader = Callable[[Iterator[bytes], Mapping[str, Any]], Any]
"""Reads chunks, with further arguments. What it returns may have to be awaited."""


@dataclass(frozen=True, slots=True)
class OtherStream:
    """The stream of another conversation."""

    near: Near
    chunks: Sequence[bytes]
    conversation: Conversation


def read_near(
    read: Reader, chunks: Sequence[bytes], options: Mapping[str, Any], other: OtherStream, others: Mapping[str, Any]
) -> Any:
    """What ``read`` makes of ``chunks``, with the other stream before or beside it. What becomes of that, nobody asks.

    ``options`` and ``others`` are the further arguments with which the two are read.
    """
    if other.near == "before":
        with suppress(Exception):
            awaited(read(iter(BrokenChunks(other.chunks)), others))
        return awaited(read(iter(chunks), options))
    gate = Gate()
    return in_threads(
        lambda: read(gate.through(0, chunks), options), lambda: read(gate.through(1, other.chunks), others), gate
    )


def in_threads(own: Callable[[], Any], other: Callable[[], Any], gate: Gate) -> Any:
    """What ``own`` comes to while ``other`` runs in a second thread. What becomes of that, nobody asks."""
    thread = threading.Thread(target=_ignoring, args=(other, gate), daemon=True)
    thread.start()
    try:
        return awaited(own())
    finally:
        gate.leave(0)
        thread.join(PATIENCE * 10)


def _ignoring(other: Callable[[], Any], gate: Gate) -> None:
    try:
        awaited(other())
    except BaseException:  # it is the other one that is looked at
        pass
    finally:
        gate.leave(1)


async def on_a_loop(own: Callable[[], Any], other: Callable[[], Any], gate: Gate) -> Any:
    """What ``own`` comes to while ``other`` runs in a second task of the same event loop."""
    import asyncio

    async def ignoring() -> None:
        try:
            await other()
        except Exception:  # it is the other one that is looked at
            pass
        finally:
            gate.leave(1)

    beside = asyncio.ensure_future(ignoring())
    await asyncio.sleep(0)
    try:
        return await own()
    finally:
        gate.leave(0)
        await asyncio.wait([beside], timeout=PATIENCE * 10)
        beside.cancel()


@dataclass(frozen=True, slots=True)
class BrokenChunks:
    """The first half of a stream, whose connection then is lost."""

    chunks: Sequence[bytes]

    def __iter__(self) -> Iterator[bytes]:
        yield from self.chunks[: max(1, len(self.chunks) // 2)]
        raise ConnectionError("the connection was lost")

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        for chunk in self:
            yield chunk

    def watch(self, hung_up: Callable[[], bool]) -> None:
        """Nobody wants to know."""

    def close(self) -> None:
        """There is nothing to close."""


class Gate:
    """Lets two readers take chunks in turn, until one of them is done or does not come."""

    def __init__(self) -> None:
        self._turn = 0
        self._open = False
        self._changed = threading.Condition()

    def through(self, reader: int, chunks: Sequence[bytes]) -> Iterator[bytes]:
        """The chunks, each when it is this reader's turn."""
        for chunk in chunks:
            with self._changed:
                if not self._changed.wait_for(lambda: self._open or self._turn == reader, PATIENCE):
                    self._open = True  # the other one is not coming
                self._turn = 1 - reader
                self._changed.notify_all()
            yield chunk

    async def through_on_a_loop(self, reader: int, chunks: Sequence[bytes]) -> AsyncGenerator[bytes]:
        """The same for a reader on an event loop, which goes on meanwhile."""
        import asyncio

        for chunk in chunks:
            until = time.monotonic() + PATIENCE
            while not self._open and self._turn != reader:
                if time.monotonic() > until:
                    self._open = True
                await asyncio.sleep(0)
            self._turn = 1 - reader
            yield chunk

    def leave(self, reader: int) -> None:
        """The reader takes no more: the other one need not wait."""
        with self._changed:
            self._open = True
            self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class GatedChunks:
    """The chunks of one of two readers at a gate."""

    gate: Gate
    reader: int
    chunks: Sequence[bytes]

    def __iter__(self) -> Iterator[bytes]:
        return self.gate.through(self.reader, self.chunks)

    def __aiter__(self) -> AsyncGenerator[bytes]:
        return self.gate.through_on_a_loop(self.reader, self.chunks)

    def watch(self, hung_up: Callable[[], bool]) -> None:
        """Nobody wants to know."""

    def close(self) -> None:
        """The other one need not wait any more."""
        self.gate.leave(self.reader)


def awaited(value: Any) -> Any:
    """``value``, or what it comes to when it is awaited."""
    if not isinstance(value, Coroutine) and not hasattr(value, "__await__"):
        return value
    import asyncio  # a tenth of what loading an adapter costs, and few need it

    async def wait() -> Any:
        return await value

    return asyncio.run(wait())
