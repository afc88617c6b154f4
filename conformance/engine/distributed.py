"""The groups of a run on the workers of a cluster: a piece of work is some groups of one adapter.

A worker of the cluster supervises a worker process of ours, as the pool does; so an adapter that hangs or dies is an
outcome of its case there, too. Libraries and environments are those of the machine that plays.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from conformance.clusters import cluster, cores_of, worked
from conformance.engine.cancellation import Cancellation
from conformance.engine.cases import Group, Selection
from conformance.engine.pool import CaseEvent, run_groups

PIECES_EACH = 4
"""How many pieces of work there are for each core, where there are groups enough: each loads its adapter once."""

LEAST = 20
"""How many groups a piece has at least: loading an adapter takes as long as playing so many."""


@dataclass(frozen=True, slots=True)
class GroupsOrder:
    """Some groups to play, all of one adapter. ``timeout`` is in seconds, for one case."""

    groups: tuple[Group, ...]
    selection: Selection
    timeout: float


def distributed_groups(
    groups: Sequence[Group],
    selection: Selection,
    *,
    engine: str,
    jobs: int,
    timeout: float,
    cancellation: Cancellation,
) -> Iterator[CaseEvent]:
    """The events of all cases, piece by piece, as `run_groups` has them. Raises `conformance.clusters.ClusterError`."""
    with cluster(engine, jobs) as client:
        orders = [GroupsOrder(piece, selection, timeout) for piece in pieces(groups, PIECES_EACH * cores_of(client))]
        with contextlib.closing(worked(client, play_groups, orders)) as done:  # type: ignore[type-var]
            for _, events in done:
                if cancellation.requested:
                    return
                yield from events


def pieces(groups: Sequence[Group], wanted: int) -> list[tuple[Group, ...]]:
    """The groups in about so many pieces, in their order."""
    size = max(LEAST, -(-len(groups) // max(1, wanted)))
    found = []
    for _, own in groupby(groups, key=lambda group: group.address):
        each = tuple(own)
        found += [each[start : start + size] for start in range(0, len(each), size)]
    return found


def play_groups(order: GroupsOrder) -> list[CaseEvent]:
    """On a worker: play some groups, and return what became of their cases."""
    return list(run_groups(order.groups, order.selection, jobs=1, timeout=order.timeout))
