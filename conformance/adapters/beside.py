"""Reading a stream while another conversation goes on, or after one that broke off, with the same adapter.

Chunks are given in turn, one to each reader: a gate, and no clock. Only who reads one stream after the other, as with a
lock, never comes to the gate; it is opened after a while, and nothing is held against them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from conformance.model import Conversation

PATIENCE = 0.3
"""How many seconds a reader waits for the other one at most, once in a stream."""

Near = Literal["before", "beside"]
"""When the other conversation's stream is read: before, and then it breaks off; or at the same time."""

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
            awaited(read(_broken(other.chunks), others))
        return awaited(read(iter(chunks), options))
    gate = _Gate()
    thread = threading.Thread(target=_ignoring, args=(read, gate.through(1, other.chunks), others, gate), daemon=True)
    thread.start()
    try:
        return awaited(read(gate.through(0, chunks), options))
    finally:
        gate.leave(0)
        thread.join(PATIENCE * 10)


def _broken(chunks: Sequence[bytes]) -> Iterator[bytes]:
    """The first half of a stream, whose connection then is lost."""
    yield from chunks[: max(1, len(chunks) // 2)]
    raise ConnectionError("the connection was lost")


def _ignoring(read: Reader, chunks: Iterator[bytes], options: Mapping[str, Any], gate: _Gate) -> None:
    try:
        awaited(read(chunks, options))
    except BaseException:  # it is the other one that is looked at
        pass
    finally:
        gate.leave(1)


class _Gate:
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

    def leave(self, reader: int) -> None:
        """The reader takes no more: the other one need not wait."""
        with self._changed:
            self._open = True
            self._changed.notify_all()


def awaited(value: Any) -> Any:
    """``value``, or what it comes to when it is awaited."""
    if not isinstance(value, Coroutine) and not hasattr(value, "__await__"):
        return value
    import asyncio  # a tenth of what loading an adapter costs, and few need it

    async def wait() -> Any:
        return await value

    return asyncio.run(wait())
