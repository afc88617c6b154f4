"""Parts: what came of a shard, as a file. A checkpoint is a part that is not ended yet.

A part is JSON Lines: the order, a line for each stretch, and at last how many stretches there are. A line is on the
disk before the next one is begun, so a kill loses the stretch that was being judged, and nothing else.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from conformance.traffic.shards import BEFORE_ALL, AuditOrder, JudgedStretch, merged


class PartEnd(msgspec.Struct, frozen=True, tag_field="kind", tag="end", forbid_unknown_fields=True):
    """The last line of a part that is whole."""

    stretches: int


class PartError(ValueError):
    """A file is no part, not whole, or of other work. The message says which and why."""


PartLine = AuditOrder | JudgedStretch | PartEnd


class PartWriter:
    """Writes a part, or goes on with one: ``after`` is the place of the last stretch that is in it already."""

    def __init__(self, path: Path, order: AuditOrder) -> None:
        """Raises `OSError`, and `PartError` when the file holds something else."""
        self.order, self.after, self._count, self._path = order, BEFORE_ALL, 0, path
        self._file: BinaryIO = path.open("r+b" if path.exists() else "w+b")
        try:
            self._take_up(path, order)
        except BaseException:
            self._file.close()
            raise

    def _take_up(self, path: Path, order: AuditOrder) -> None:
        """Read what is there, and cut off a line that was being written."""
        end = self._file.tell()
        for line in self._file:
            known = _known(line, path) if line.endswith(b"\n") else None
            if known is None or isinstance(known, PartEnd):
                break
            if end == 0 and known != order:
                raise PartError(f"{path}: it was made of other files, rules or shards: remove it, or name another")
            if isinstance(known, JudgedStretch):
                self.after, self._count = known.place, self._count + 1
            end += len(line)
        self._file.seek(end)
        self._file.truncate()
        if end == 0:
            self._write(order)

    def earlier(self) -> Iterator[JudgedStretch]:
        """The stretches that are in it already."""
        with self._path.open("rb") as file:
            for line in itertools.islice(file, 1, self._count + 1):
                known = _known(line, self._path)
                assert isinstance(known, JudgedStretch)
                yield known

    def adding(self, stretches: Iterable[JudgedStretch]) -> Iterator[JudgedStretch]:
        """The stretches, each written before it is told, and the end after the last. Raises `OSError`."""
        with self._file:
            for count, stretch in enumerate(stretches, self._count + 1):
                self._write(stretch)
                yield stretch
                self._count = count
            self._write(PartEnd(self._count))

    def _write(self, line: PartLine) -> None:
        self._file.write(_written(line))
        self._file.flush()
        os.fsync(self._file.fileno())


def part_lines(order: AuditOrder, stretches: Iterator[JudgedStretch]) -> Iterator[bytes]:
    """A part, line by line."""
    yield _written(order)
    count = 0
    for count, stretch in enumerate(stretches, 1):  # noqa: B007
        yield _written(stretch)
    yield _written(PartEnd(count))


def part_stretches(lines: Iterator[bytes], name: object) -> Iterator[JudgedStretch]:
    """The stretches in the lines of a part, after its order. Raises `PartError` at its end when it is not whole."""
    count = 0
    for line in lines:
        known = _known(line, name)
        if isinstance(known, PartEnd):
            if known.stretches != count:
                raise PartError(f"{name}: {known.stretches - count} of its lines are missing")
            return
        if isinstance(known, JudgedStretch):
            count += 1
            yield known
    raise PartError(f"{name}: it is not whole: its shard has not ended")


def merged_parts(paths: Sequence[Path]) -> tuple[AuditOrder, Iterator[JudgedStretch]]:
    """The work that the parts are of, and all stretches in them.

    Raises `OSError`, and `PartError` when they do not belong together, or one is missing or not whole.
    """
    orders = {path: _order_in(path) for path in paths}
    first = next(iter(orders.values()))
    by_shard: dict[int, Path] = {}
    for path, order in orders.items():
        if (order.whole(), order.of) != (first.whole(), first.of):
            raise PartError(f"{path}: it is of another audit than {paths[0]}: other files, rules, or shards")
        if order.shard in by_shard:
            raise PartError(f"{path}: {by_shard[order.shard]} is of shard {order.shard}/{order.of} too")
        by_shard[order.shard] = path
    missing = [f"{number}/{first.of}" for number in range(1, first.of + 1) if number not in by_shard]
    if missing:
        raise PartError(f"no part of shard {', '.join(missing)}")
    return first.whole(), merged(_stretches_in(path) for path in paths)


def _order_in(path: Path) -> AuditOrder:
    with path.open("rb") as file:
        order = _known(file.readline(), path)
    if not isinstance(order, AuditOrder):
        raise PartError(f"{path}: it is no part of an audit")
    return order


def _stretches_in(path: Path) -> Iterator[JudgedStretch]:
    with path.open("rb") as file:
        yield from part_stretches(iter(file), path)


def _written(line: PartLine) -> bytes:
    """The standard library's JSON, because it keeps what traffic may hold: lone surrogates, ``NaN``, long numbers."""
    return json.dumps(msgspec.to_builtins(line), separators=(",", ":")).encode() + b"\n"


def _known(line: bytes, name: object) -> PartLine:
    try:
        known: PartLine = msgspec.convert(json.loads(line), PartLine)
        return known
    except (ValueError, RecursionError):
        raise PartError(f"{name}: it is no part of an audit, or a line of it is damaged") from None
