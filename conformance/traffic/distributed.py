"""The shards of an audit on the workers of a cluster. What each comes to is put aside as a part, until all
are there."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.clusters import cluster, cores_of, worked
from conformance.files.scratch import scratch
from conformance.traffic.parts import merged_parts, part_lines
from conformance.traffic.pool import collecting_less
from conformance.traffic.shards import AuditOrder, JudgedStretch, judged_stretches, useful_shards

SHARDS_EACH = 4
"""How many shards there are for each worker, where the traffic is large enough: so fast ones do more."""


def distributed_stretches(order: AuditOrder, engine: str, workers: int) -> Iterator[JudgedStretch]:
    """Do the work of an order on a cluster. Raises `conformance.clusters.ClusterError`."""
    with scratch() as folder, cluster(engine, workers) as client:
        shards = order.shards(useful_shards(order, SHARDS_EACH * cores_of(client)))
        for place, part in worked(client, part_of, shards):
            (folder / str(place)).write_bytes(part)
        yield from merged_parts([folder / str(place) for place in range(len(shards))])[1]


def part_of(shard: AuditOrder) -> bytes:
    """On a worker: the part of a shard."""
    with collecting_less():
        return b"".join(part_lines(shard, judged_stretches(shard)))
