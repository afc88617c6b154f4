"""Many texts, looked for in other texts all at once.

One by one, each text would be a search through all that was said: that grows as the square of a conversation. So where
there are many, they are sorted, and what stands at each place of what was said is looked up among them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

QUICK = 1_000_000
"""Up to so many characters to look at, texts are searched for one by one."""
_EACH = 50
"""What a search costs besides, in characters."""
_EDGE = 8
"""With how many characters a place is looked up at first."""
_QUERY = 64
"""With how many it is compared at first."""


class ManyTexts:
    """Texts to be looked for. Empty ones are left out."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._sorted = sorted({text for text in texts if text})

    def found_in(self, said: Sequence[str]) -> dict[str, int]:
        """The texts that stand anywhere in what was said: for each the number of the first that has it."""
        if len(self._sorted) * (sum(map(len, said)) + _EACH * len(said)) <= QUICK:
            first = {text: next((n for n, one in enumerate(said) if text in one), None) for text in self._sorted}
            return {text: number for text, number in first.items() if number is not None}
        found: dict[str, int] = {}
        size, edges = self._edges
        for number, one in enumerate(said):
            for at in range(len(one) - size + 1):
                text = self._longest_at(one, at) if one[at : at + size] in edges else None
                while text is not None and text not in found:  # what begins it was found with it
                    found[text] = number
                    text = self._beginnings.get(text)
        return found

    @cached_property
    def _edges(self) -> tuple[int, frozenset[str]]:
        """How many characters all have at least, and with which they begin."""
        size = min(_EDGE, *map(len, self._sorted)) if self._sorted else _EDGE
        return size, frozenset(text[:size] for text in self._sorted)

    @cached_property
    def _beginnings(self) -> dict[str, str]:
        """For each text the longest other one with which it begins."""
        found: dict[str, str] = {}
        open_: list[str] = []
        for text in self._sorted:
            while open_ and not text.startswith(open_[-1]):
                open_.pop()
            if open_:
                found[text] = open_[-1]
            open_.append(text)
        return found

    def _longest_at(self, said: str, at: int) -> str | None:
        """The longest text that stands at a place. It begins the one that is sorted before what stands there."""
        size = _QUERY
        while True:
            query = said[at : at + size]
            place = bisect_right(self._sorted, query)
            near = self._sorted[max(0, place - 1) : place + 1]
            if len(query) < size or not any(text.startswith(query) for text in near):
                break
            size *= 4
        text = self._sorted[place - 1] if place else None
        while text is not None and not query.startswith(text):
            text = self._beginnings.get(text)
        return text
