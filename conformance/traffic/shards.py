"""An audit as work for many: an order is plain data, and so is what comes of it.

    order of shard 1/3 ──▶ judged stretches ┐
    order of shard 2/3 ──▶ judged stretches ├─ merged ──▶ what one run finds
    order of shard 3/3 ──▶ judged stretches ┘

A shard is a share of the stretches (`conformance.traffic.stretches`). Small files belong to one shard as a whole; those
that are larger than half a fair share are dealt, stretch by stretch. Every shard tells its stretches in the order of
files and numbers, so merging looks at the next one of each, and keeps nothing else.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from conformance.model import Profile
from conformance.traffic.audit import Audit
from conformance.traffic.files import file_weight, find_files, is_of_lines
from conformance.traffic.rates import RateCounter, RateRow
from conformance.traffic.stretches import STRETCH

StretchPlace = tuple[int, int]
"""The number of a file in the order, and that of a stretch in it. From 0."""

BEFORE_ALL: StretchPlace = (-1, 0)


class AuditOrder(msgspec.Struct, frozen=True, tag_field="kind", tag="order", forbid_unknown_fields=True):
    """What is to be judged, and by which rules. ``files`` have their weights beside them: files that have changed since
    are not what was ordered. A shard is counted from 1."""

    files: tuple[tuple[str, int], ...]
    profile: Profile = "native"
    globs: tuple[str, ...] = ()
    rates: bool = False
    """Whether rates are counted, too."""
    shard: int = 1
    of: int = 1

    def shards(self, count: int) -> list[AuditOrder]:
        """The same work, dealt to so many."""
        return [msgspec.structs.replace(self, shard=number, of=count) for number in range(1, count + 1)]

    def whole(self) -> AuditOrder:
        """The work that this is a shard of."""
        return msgspec.structs.replace(self, shard=1, of=1)


class JudgedStretch(msgspec.Struct, frozen=True, tag_field="kind", tag="stretch", forbid_unknown_fields=True):
    """What was found in a stretch. ``rules`` are those that examined something: how often, and how often that was
    wrong. Secrets are masked that the stretch itself gives away."""

    file: int
    number: int
    exchanges: int
    judged: int
    rules: dict[str, tuple[int, int]]
    findings: list[dict[str, Any]] = []
    unreadable: list[dict[str, Any]] = []
    broken: list[dict[str, Any]] = []
    rates: list[RateRow] = []
    """Hour, model, host, rule; how many things were examined, and how many were wrong."""

    @property
    def place(self) -> StretchPlace:
        """Where it stands among all."""
        return (self.file, self.number)


def order_of(
    paths: Iterable[Path], profile: Profile = "native", globs: Sequence[str] = (), *, rates: bool = False
) -> AuditOrder:
    """The order to judge these files and folders."""
    files = tuple((str(path), file_weight(path)) for path in find_files(paths))
    return AuditOrder(files, profile, tuple(globs), rates)


def useful_shards(order: AuditOrder, most: int) -> int:
    """How many shards are worth a process each: one for each stretch that there may be, and at most ``most``."""
    return max(1, min(most, round(sum(size for _, size in order.files) / STRETCH)))


def dealt(order: AuditOrder) -> list[tuple[int, ...]]:
    """For each file the shards that judge it. Where there are several, its stretches go to one after another."""
    total, next_shard, found = sum(size for _, size in order.files), 0, []
    for path, size in order.files:
        many = -(-2 * size * order.of // total) if total and is_of_lines(Path(path)) else 1
        count = max(1, min(many, order.of))
        found.append(tuple((next_shard + number) % order.of + 1 for number in range(count)))
        next_shard = (next_shard + count) % order.of
    return found


def judged_stretches(order: AuditOrder, after: StretchPlace = BEFORE_ALL) -> Iterator[JudgedStretch]:
    """Do the work of an order, but for what comes not ``after`` a place: that was done already."""
    audit = Audit(order.profile, order.globs, rates=RateCounter() if order.rates else None)
    for file, ((path, _), shards) in enumerate(zip(order.files, dealt(order), strict=True)):
        if file < after[0] or order.shard not in shards:
            continue

        def wanted(number: int, file: int = file, shards: tuple[int, ...] = shards) -> bool:
            return (file, number) > after and shards[number % len(shards)] == order.shard

        for number in audit.read(Path(path), wanted):
            if number is not None:
                yield _taken(audit, file, number)


def _taken(audit: Audit, file: int, number: int) -> JudgedStretch:
    """What an audit has found in a stretch. It forgets that."""
    told = audit.told()
    rules = {rule: (tally.checked, tally.failed) for rule, tally in audit.tallies.items() if tally.checked}
    taken = JudgedStretch(
        file, number, audit.exchanges, audit.judged, rules, told.findings, told.unreadable, told.broken, told.rates
    )
    audit.forget()
    return taken


def merged(shards: Iterable[Iterable[JudgedStretch]]) -> Iterator[JudgedStretch]:
    """The stretches of all shards, in the order in which one run judges them."""
    return heapq.merge(*shards, key=lambda stretch: stretch.place)
