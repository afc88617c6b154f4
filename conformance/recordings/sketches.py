"""How far two texts begin and end alike, by a few bytes that are kept of each.

Of each text the checksums of its beginnings are kept, of 16 bytes, 20, 25, and so on to all of it, and those of its
endings. Two texts begin alike at least as far as the longest beginning whose checksums are equal. So ten thousand texts
are compared without reading one of them; which of the nearest is the nearest, the texts themselves tell.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

_BITS = 16


def _grown() -> tuple[int, ...]:
    lengths = [0, 16]
    while lengths[-1] < 512_000_000:
        lengths.append(lengths[-1] * 5 // 4)
    return tuple(lengths)


_LENGTHS = _grown()
"""Of what beginnings there are checksums, each a quarter longer than the one before, up to the largest cassette's."""


class Sketch(NamedTuple):
    """What is kept of a text: its length, and the checksums of its beginnings and endings, the shortest lowest."""

    size: int
    heads: int
    tails: int

    def window(self, other: Sketch) -> int:
        """How many bytes the longer of the two has at most between what they begin and what they end with alike; fewer
        only where checksums are equal by chance."""
        shorter, longer = sorted((self.size, other.size))
        head = _alike(self.heads ^ other.heads, shorter)
        return longer - head - min(_alike(self.tails ^ other.tails, shorter), shorter - head)


def sketch(text: bytes) -> Sketch:
    """The sketch of a text."""
    return Sketch(len(text), _sums(text), _sums(text[::-1]))


def _sums(text: bytes) -> int:
    total, sums = 0, bytearray()
    for start, end in pairwise(_LENGTHS):
        if end > len(text):
            break
        total = crc32(text[start:end], total)
        sums += (total & 0xFFFF).to_bytes(2, "little")
    return int.from_bytes(sums, "little")


def _alike(different: int, shorter: int) -> int:
    """How many bytes are alike at least, by the first bit that differs between the checksums."""
    most = bisect_right(_LENGTHS, shorter) - 1
    if not different:
        return _LENGTHS[most]
    return _LENGTHS[min(most, ((different & -different).bit_length() - 1) // _BITS)]
