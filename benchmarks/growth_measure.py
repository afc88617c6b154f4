"""Measuring how work grows: the processor time of one work at several sizes, and the slope of the line through it."""

from __future__ import annotations

import gc
import json
import math
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

TELLING = 0.002
"""How many seconds a size must take for its place on the line to mean anything."""
MEASURABLE = 0.02
"""How many seconds the largest size must take for the line to mean anything."""
PATIENCE = 2.0
"""After how many seconds of processor time a measurement is stopped, unless it was to be expected."""
TOO_MUCH = 4
"""How many times as much as if it grew as the size does ends a measurement."""
AGAIN = 0.5
"""Until it took so long together a work is measured again, at most `TIMES`, and the shortest counts: other processes,
and memory that the system gives for the first time, only make it longer."""
TIMES = 8
WINDOW = 0.05
"""How many seconds a measurement takes at least: a work that takes less is done several times. Else a small size would
find a moment in which nobody else works, and a large one would not."""


class Stopped(BaseException):
    """A measurement took too long. No check catches it."""


def stop(signum: int, frame: object) -> None:
    """End what is being measured."""
    raise Stopped


@dataclass(frozen=True, order=True)
class Line:
    """How one work grows with one kind of size: the slope, and the seconds by size."""

    slope: float
    shape: str
    seconds: tuple[tuple[int, float], ...]
    stopped: bool

    def __str__(self) -> str:
        times = ", ".join(f"{size:,}: {seconds:.3f} s" for size, seconds in self.seconds)
        return f"{self.shape} ({times}{', where it was stopped' if self.stopped else ''})"


@dataclass
class Grown:
    """The seconds of one reader or rule, by shape and size."""

    seconds: defaultdict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    stopped: set[str] = field(default_factory=set)

    def patience(self, shape: str, size: int) -> float:
        """How many seconds this size may take."""
        before = self.seconds[shape]
        telling = ((smaller, seconds) for smaller, seconds in before.items() if seconds > TELLING)
        expected = max((seconds * size / smaller for smaller, seconds in telling), default=0)
        return max(PATIENCE, TOO_MUCH * expected)

    def slowest(self, most: int, end: str) -> list[str]:
        """Of the shapes whose names end so those that took longest, where anything took time."""
        last = {shape: max(taken.items())[1] for shape, taken in self.seconds.items() if shape.endswith(end)}
        return [shape for shape in sorted(last, key=lambda shape: -last[shape]) if last[shape] > TELLING / 4][:most]

    def lines(self) -> Iterator[Line]:
        """The line of each shape that took long enough."""
        for shape, taken in self.seconds.items():
            points = tuple(sorted(taken.items()))
            telling = [(math.log(size), math.log(seconds)) for size, seconds in points if seconds >= TELLING]
            if len(telling) > 1 and points[-1][1] >= MEASURABLE:
                yield Line(_slope(telling), shape, points, shape in self.stopped)


def _slope(points: list[tuple[float, float]]) -> float:
    """Of the line from which the points are away least (least squares)."""
    middle_x, middle_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / sum((x - middle_x) ** 2 for x, _ in points)


@dataclass
class Trial:
    """Everything that is measured: works and shapes that fit the globs, and only the ``wanted`` if it is set."""

    only: str = "*"
    shape: str = "*"
    wanted: set[tuple[str, str]] | None = None
    grown: defaultdict[str, Grown] = field(default_factory=lambda: defaultdict(Grown))

    def wants(self, name: str, shape: str) -> bool:
        """Whether a work is to be measured with a shape, as far as the globs say."""
        return fnmatchcase(name, self.only) and fnmatchcase(shape, self.shape)

    def chosen(self, shapes: Iterable[Callable[[int], T]], where: str) -> list[Callable[[int], T]]:
        """The shapes that are tried, which are called ``where`` with their name in it."""
        wanted = None if self.wanted is None else {shape for _, shape in self.wanted}
        named = ((where.format(shape.__name__), shape) for shape in shapes)
        return [
            shape for name, shape in named
            if fnmatchcase(name, f"{self.shape}*") and (wanted is None or name in wanted)
        ]  # fmt: skip

    def take(self, name: str, shape: str, size: int, work: Callable[[], object]) -> None:
        """Measure ``work``, unless nobody wants it, or it took too long already."""
        grown = self.grown[name]
        if not fnmatchcase(name, self.only) or shape in grown.stopped:
            return
        if self.wanted is not None and (name, shape) not in self.wanted:
            return
        patience = grown.patience(shape, size)
        taken = grown.seconds[shape][size] = _shortest(work, patience)
        if taken >= patience:
            grown.stopped.add(shape)


def _shortest(work: Callable[[], object], patience: float) -> float:
    """How many seconds the work takes: the shortest of several measurements, where it takes any time to speak of."""
    first = _seconds(work, patience)
    if not TELLING / 2 < first < AGAIN:
        return first
    each, times = max(1, int(WINDOW / first)), [first]
    started = time.process_time()
    while len(times) < TIMES and time.process_time() - started < AGAIN:
        times.append(sum(_seconds(work, patience) for _ in range(each)) / each)
    return min(times[1:])


def _forget() -> None:
    """Empty the caches that hold only so much: a small size would find there all of what was done before."""
    for name, module in list(sys.modules.items()):
        for cached in vars(module).values() if name.startswith("conformance.") else ():
            if isinstance(cached, _lru_cache_wrapper) and cached.cache_parameters()["maxsize"] is not None:
                cached.cache_clear()


def _seconds(work: Callable[[], object], patience: float) -> float:
    """How many seconds of processor time it takes, and ``patience`` where it was stopped."""
    _forget()
    gc.collect(0)
    gc.disable()  # it would look at all that is there, whatever is measured
    started = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, patience)
    try:
        work()
    except Stopped:
        return patience
    else:
        return min(patience, time.process_time() - started)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        gc.enable()


class Kept:
    """What was measured, in a file of JSON Lines: one line for each piece of work, once it has ended.

    A run that goes on from the file takes a piece that stands there as it was measured. Delete a line to measure it
    again.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._pieces: dict[str, list[tuple[str, str, dict[str, float], bool]]] = {}
        for line in path.read_text("utf-8").splitlines() if path is not None and path.exists() else ():
            self._pieces.update(json.loads(line))
        self._seen: set[tuple[str, str]] = set()

    def has(self, trial: Trial, piece: str) -> bool:
        """Whether the piece was measured; then the trial has its figures."""
        if piece not in self._pieces:
            return False
        for name, shape, seconds, stopped in self._pieces[piece]:
            grown = trial.grown[name]
            grown.seconds[shape] = {int(size): taken for size, taken in seconds.items()}
            grown.stopped |= {shape} if stopped else set()
            self._seen.add((name, shape))
        return True

    def keep(self, trial: Trial, piece: str) -> None:
        """Write what was measured since the last piece."""
        new = [
            (name, shape, seconds, shape in grown.stopped)
            for name, grown in trial.grown.items()
            for shape, seconds in grown.seconds.items()
            if (name, shape) not in self._seen and seconds
        ]
        self._seen |= {(name, shape) for name, shape, _, _ in new}
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({piece: new}) + "\n")
