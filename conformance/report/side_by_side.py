"""Two documents compared line by line: in columns beside each other, or one below the other where there is no room.

Lines that differ are marked, ``-`` in the first and ``+`` in the second. Of long documents only the surroundings of the
difference are shown, with the lines that say where in the document that is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from rich.cells import cell_len, chop_cells

from conformance.report.summary import plain

ROOM = 96
"""From which width on there is room for two columns."""
LONG = 40
"""How many lines a document may have that is shown whole."""
AROUND = 2
"""How many lines are shown around one that differs."""

LinePair = tuple[str | None, str | None]
"""A line of each document; ``None`` where a document has none beside the other's."""


def compared(one: Any, other: Any, titles: tuple[str, str], width: int) -> Iterator[str]:
    """Two JSON documents as lines of at most ``width`` columns. ``titles`` may have several lines."""
    rows = list(_rows(_lines(one), _lines(other)))
    shown = _shown(rows)
    if width >= ROOM:
        yield from _columns(rows, shown, titles, width)
        return
    for side, mark in ((0, "-"), (1, "+")):
        yield from _title(titles[side], width)
        for text, differs in _side(rows, shown, side):
            yield from _marked(text, mark if differs else " ", width)
        if not side:
            yield ""


def _lines(document: Any) -> list[str]:
    return [plain(line) for line in json.dumps(document, ensure_ascii=False, indent=2, default=str).split("\n")]


# --- which lines -----------------------------------------------------------------------------------------------------


def _rows(one: Sequence[str], other: Sequence[str]) -> Iterator[LinePair]:
    """The lines of both, those that are the same beside each other. A comma after them makes no difference."""
    first, second = ([line.rstrip(",") for line in lines] for lines in (one, other))
    for _, start, end, start2, end2 in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        yield from zip_longest(one[start:end], other[start2:end2])


def _differs(row: LinePair) -> bool:
    one, other = row
    return one is None or other is None or one.rstrip(",") != other.rstrip(",")


def _shown(rows: Sequence[LinePair]) -> list[bool]:
    """Which rows are shown: all of a short document, else those around a difference and those that hold them."""
    if len(rows) <= LONG:
        return [True] * len(rows)
    shown = [False] * len(rows)
    for place in (place for place, row in enumerate(rows) if _differs(row)):
        for near in range(max(0, place - AROUND), min(len(rows), place + AROUND + 1)):
            shown[near] = True
        for holder in _holders(rows, place):
            shown[holder] = True
    for place in range(len(rows)):
        if all(shown[near] for near in (place - 1, place + 1) if 0 <= near < len(rows)):
            shown[place] = True  # saying that a line is left out takes a line, too
    return shown


def _holders(rows: Sequence[LinePair], place: int) -> Iterator[int]:
    """The rows that open the objects and arrays around a row."""
    indent = _indent(rows[place])
    for above in range(place - 1, -1, -1):
        if _indent(rows[above]) < indent:
            indent = _indent(rows[above])
            yield above


def _indent(row: LinePair) -> int:
    text = row[0] if row[0] is not None else row[1] or ""
    return len(text) - len(text.lstrip())


def _gaps(shown: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The places of what is to be printed: ``(place, 0)`` for a row, ``(place, n)`` for ``n`` rows left out."""
    place = 0
    while place < len(shown):
        if shown[place]:
            yield place, 0
            place += 1
        else:
            end = next((later for later in range(place, len(shown)) if shown[later]), len(shown))
            yield place, end - place
            place = end


# --- how they look ---------------------------------------------------------------------------------------------------


def _columns(rows: Sequence[LinePair], shown: Sequence[bool], titles: tuple[str, str], width: int) -> Iterator[str]:
    column = (width - len(" | ")) // 2
    heads = [list(_title(title, column)) for title in titles]
    yield from (_beside(left, right, column) for left, right in zip_longest(*heads, fillvalue=""))
    for place, gap in _gaps(shown):
        if gap:
            words = " " * (2 + _indent(rows[place])) + f"... {gap} lines"
            yield _beside(words, words, column)
            continue
        marks = ("-", "+") if _differs(rows[place]) else (" ", " ")
        halves = [
            list(_marked(text, mark, column)) if text is not None else []
            for text, mark in zip(rows[place], marks, strict=True)
        ]
        for left, right in zip_longest(*halves, fillvalue=""):
            yield _beside(left, right, column)


def _beside(left: str, right: str, column: int) -> str:
    return f"{left}{' ' * (column - cell_len(left))} | {right}".rstrip()


def _side(rows: Sequence[LinePair], shown: Sequence[bool], side: int) -> Iterator[tuple[str, bool]]:
    """The lines of one of the documents, and whether they differ."""
    for place, gap in _gaps(shown):
        if gap:
            yield " " * _indent(rows[place]) + f"... {gap} lines", False
        elif (text := rows[place][side]) is not None:
            yield text, _differs(rows[place])


def _title(title: str, width: int) -> Iterator[str]:
    for line in title.split("\n"):
        yield from _folded(line, width)


def _marked(text: str, mark: str, width: int) -> Iterator[str]:
    """A line with its mark, folded where it is too long."""
    yield from (f"{mark} {piece}" for piece in _folded(text, width - 2))


def _folded(text: str, width: int) -> Iterator[str]:
    if cell_len(text) <= width:
        yield text
        return
    first = chop_cells(text, width)[0]
    hanging = " " * min(len(text) - len(text.lstrip()) + 4, width // 2)
    yield first
    yield from (hanging + piece for piece in chop_cells(text[len(first) :], width - len(hanging)))
