"""What a file is cut into, so that many can judge it: stretches, which are the same whoever judges them.

A stretch of a file of lines is the lines that begin in `STRETCH` bytes of it, counted from its first byte, unpacked.
Stretch 0 begins at byte 0, stretch 1 at byte `STRETCH`. Conversations go on from one to the next. So who judges a
stretch first reads the lines that begin in the `MEMORY` bytes before it, without judging them, and knows what they
said. What was said before that is unknown to all, also to one that reads the file from its beginning to its end. A file
of any other kind is one stretch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.traffic.files import UNPACKING_ERRORS, broken_off, opened_lines, read_file
from conformance.traffic.jsonl import TrafficLines
from conformance.traffic.records import RecordedExchange, UnreadableRecord

STRETCH = 64_000_000
"""How many bytes a stretch has."""
MEMORY = 24_000_000
"""How many bytes before a stretch can be continued in it. In the recorded traffic that lies beside the repository
(`tests/traffic/test_corpus.py`), the farthest exchange that another one continues lies 21.6 MB before it."""

WantedStretches = Callable[[int], bool]
"""Whether a stretch, by its number, is to be judged."""


def every_stretch(number: int) -> bool:
    """All stretches of a file."""
    return number >= 0


@dataclass(frozen=True, slots=True)
class PlacedRecord:
    """A record and the stretch that it is judged in, if that is wanted, and the next one, if that must know of it."""

    record: RecordedExchange | UnreadableRecord
    stretch: int
    judged: bool = True
    told: bool = False
    """Whether it is told to the stretch after its own."""


def placed_records(path: Path, wanted: WantedStretches) -> Iterator[PlacedRecord]:
    """The records of a file that the wanted stretches need, in the file's order."""
    try:
        with opened_lines(path) as lines:
            if lines is not None:
                yield from _of_lines(path, lines, wanted)
            elif wanted(0):
                yield from (PlacedRecord(record, 0) for record in read_file(path))
    except (OSError, *UNPACKING_ERRORS) as problem:
        if wanted(0):
            yield PlacedRecord(broken_off(path, problem), 0)


def _of_lines(path: Path, lines: TrafficLines, wanted: WantedStretches) -> Iterator[PlacedRecord]:
    while not lines.ended:
        number = lines.at // STRETCH
        try:
            if not _passed_over(lines, number, wanted):
                told = wanted(number + 1) and lines.at >= (number + 1) * STRETCH - MEMORY
                for record in lines.read():
                    yield PlacedRecord(record, number, wanted(number), told)
        except (OSError, *UNPACKING_ERRORS) as problem:
            if wanted(number):
                yield PlacedRecord(broken_off(path, problem), number)
            return


def _passed_over(lines: TrafficLines, number: int, wanted: WantedStretches) -> bool:
    """Whether lines that nobody wants were passed over: up to those that the next stretch must know, or up to it."""
    if wanted(number):
        return False
    end = (number + 1) * STRETCH
    to = end - MEMORY if wanted(number + 1) else end
    if lines.at >= to:
        return False
    lines.skip(to)
    return True
