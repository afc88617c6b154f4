"""Lies about what an adapter keeps from one stream to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from conformance.mutants.liar import Liar
from conformance.mutants.lies.streams import SAID_ONCE


class KeepsWhatBrokeOff(Liar):
    """The buffer of a stream is emptied when the stream has come to its end."""

    aims = ("common.stream.unmoved-by-one-that-broke-off",)
    providers = SAID_ONCE

    def __init__(self) -> None:
        super().__init__()
        self._buffer: list[bytes] = []

    def hears(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._buffer.append(chunk)
        yield b"".join(self._buffer)
        self._buffer.clear()


class SharesItsBuffer(Liar):
    """There is one buffer for streams, and it is empty when a stream begins."""

    aims = ("common.stream.unmoved-by-another-beside",)
    providers = SAID_ONCE
    buffer: ClassVar[list[bytes]] = []

    def hears(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        self.buffer.clear()
        for chunk in chunks:
            self.buffer.append(chunk)
        yield b"".join(self.buffer)
