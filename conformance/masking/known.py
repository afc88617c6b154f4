"""Secrets whose values are known, and where in a text they are: also in other spellings, and in pieces.

There may be a hundred thousand of them. A text is looked at once, eight characters at a time; only where these begin or
end a secret is it compared, with the neighbours in a sorted list. So the work grows with the text and, for the sorting,
by n log n with the secrets, and no text makes it grow faster: what agrees for long is removed, and not looked at again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from conformance.masking.spellings import spellings
from conformance.masking.words import LEAST, PLACEHOLDER, is_always_removed, is_telling_piece

FoundSecret = tuple[int, int, str]
"""Start, end, and what to put there."""

_QUERY = 64
"""How much of a text is compared at first."""
_CERTAIN = 64
"""A piece of so many characters is removed whatever it is."""
_FEW, _ONE_SEARCH = 100, 100
"""Fewer beginnings and ends than so many are searched for one by one; and what a search costs, in characters."""
_LONGEST = 24
"""From so many characters on, a telling piece is removed however long the secret is."""


class _Edges:
    """Spellings by the eight characters with which they begin; or, written backwards, by those with which they end."""

    def __init__(self) -> None:
        self._by_edge: dict[str, str | list[str]] = {}  # mostly there is one, and no list, which saves much
        self._unsorted: set[str] = set()

    def add(self, edge: str, written: str) -> None:
        known = self._by_edge.setdefault(edge, written)
        if isinstance(known, list):
            known.append(written)
            self._unsorted.add(edge)
        elif known != written:
            self._by_edge[edge] = sorted((known, written))

    def agreement(self, edge: str, text: str, at: int) -> tuple[int, str]:
        """How many characters from ``at`` on agree with a spelling that has this edge, and with which."""
        known = self._by_edge[edge]
        if isinstance(known, str):
            return _agreement(known, text[at : at + len(known)]), known
        if edge in self._unsorted:
            known.sort()
            self._unsorted.discard(edge)
        size = _QUERY
        while True:
            query = text[at : at + size]
            place = bisect_left(known, query)
            near = known[max(0, place - 1) : place + 1]
            length, written = max((_agreement(one, query), one) for one in near)
            if length < size or len(query) < size:
                break
            size *= 4
        return length, written


def _agreement(one: str, other: str) -> int:
    """How many characters two texts have in common from their beginning on."""
    high = min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    low = 0
    while low + 1 < high:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low if one[low] != other[low] else low + 1


def _is_piece(piece: str, written: str) -> bool:
    """Whether the beginning, or the end, of a secret is enough of it to be removed."""
    if len(piece) >= _CERTAIN:
        return True
    return len(piece) >= max(LEAST, min(_LONGEST, len(written) // 4)) and is_telling_piece(piece)


class KnownSecrets:
    """Secrets whose values are known. Those that are short, or words of ours, are kept apart: see `is_weak`."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._weak: set[str] = set()
        self._values: dict[str, str] = {}
        self._begin, self._end = _Edges(), _Edges()
        self._edges: dict[str, int] = {}
        for value in values:
            self.add(value)

    def add(self, value: str) -> bool:
        """Take one more. Returns whether it is new, and removed wherever it stands."""
        value = value.strip()
        if not is_always_removed(value):
            if value and value != PLACEHOLDER:
                self._weak.add(value)
            return False
        if self._values.get(value) == value:
            return False
        for written, _ in spellings(value):
            if written not in self._values:
                first, last = written[:LEAST], written[-LEAST:]
                self._begin.add(first, written)
                self._end.add(last, written[::-1])
                self._edges[first] = self._edges.get(first, 0) | 1
                self._edges[last] = self._edges.get(last, 0) | 2
                self._values[written] = value
        self._values[value] = value
        return True

    def __len__(self) -> int:
        return len(self._values)

    def is_weak(self, value: str) -> bool:
        """Whether a value is known, and removed only where it stands as a credential."""
        return value in self._weak

    def value_of(self, written: str) -> str | None:
        """The secret of which this is a spelling."""
        return self._values.get(written)

    def find(self, text: str) -> Iterator[FoundSecret]:
        """Where in ``text`` they are, whole or in pieces, from left to right."""
        done = 0
        for at, kind in self._candidates(text):
            if at + LEAST <= done:
                continue
            length = self._beginning(text, at) if kind & 1 and at >= done else 0
            if length:
                done = at + length
                yield at, done, self._instead(text[at:done])
            elif kind & 2:
                end = at + LEAST
                length = self._ending(text, done, end)
                if length:
                    done = end
                    yield end - length, end, PLACEHOLDER

    def _instead(self, written: str) -> str:
        """What to put in the place of a spelling, or of a piece of one."""
        value = self._values.get(written)
        return PLACEHOLDER if value is None else dict(reversed(list(spellings(value))))[written]

    def _beginning(self, text: str, at: int) -> int:
        """How many characters from ``at`` on are a spelling, or enough of its beginning; 0 if they are none."""
        length, written = self._begin.agreement(text[at : at + LEAST], text, at)
        if length == len(written) or _is_piece(text[at : at + length], written):
            return length
        return next((end for end in range(length, LEAST - 1, -1) if text[at : at + end] in self._values), 0)

    def _ending(self, text: str, start: int, end: int) -> int:
        """How many characters before ``end`` are the end of a spelling that began elsewhere, or nowhere."""
        edge, width = text[end - LEAST : end], 4 * _QUERY
        while True:
            piece = text[max(start, end - width) : end][::-1]
            length, written = self._end.agreement(edge, piece, 0)
            if length < width:
                return length if _is_piece(piece[:length][::-1], written) else 0
            width *= 4

    def _candidates(self, text: str) -> Iterator[tuple[int, int]]:
        """Where a spelling begins or ends, perhaps: places, and which of the two."""
        edges = self._edges
        if len(edges) * (len(text) + _ONE_SEARCH) < _FEW * len(text):
            found: Iterable[int] = sorted(at for edge in edges for at in _places(edge, text))
        else:
            found = range(len(text) - LEAST + 1)
        for at in found:
            kind = edges.get(text[at : at + LEAST])
            if kind:
                yield at, kind


def _places(edge: str, text: str) -> Iterator[int]:
    at = text.find(edge)
    while at >= 0:
        yield at
        at = text.find(edge, at + 1)
