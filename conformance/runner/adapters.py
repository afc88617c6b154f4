"""The adapters of a run: loaded once, in workers, to learn what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.adapters.contract import AdapterError, AdapterInfo
from conformance.adapters.libraries.ways import split_way
from conformance.engine.cancellation import Cancellation
from conformance.engine.pool import AdapterProbe, WarmWorkers, probe
from conformance.runner.errors import UsageError


def probed_adapters(
    addresses: Iterable[str], warm: WarmWorkers, cancellation: Cancellation
) -> Iterator[AdapterProbe]:
    """The adapters at the addresses. Several versions of one are told apart by name and version.

    Several ways into one library are one adapter by name.
    ``warm`` keeps their workers. Raises `UsageError` for an address that leads nowhere, or not to an adapter, and
    `CancelledError`.
    """
    try:
        probed = [_probed(address, warm, cancellation) for address in dict.fromkeys(addresses)]
    except AdapterError as problem:
        raise UsageError(str(problem)) from None
    for one in probed:
        if one.kind == "gateway":
            raise UsageError(f"{one.address} is a gateway; this version runs translators, clients and agents")
    bases: dict[str, AdapterInfo] = {}
    for one in probed:
        bases.setdefault(split_way(one.address)[0], one.info)
    names = Counter(info.name for info in bases.values())
    seen: dict[str, str] = {}
    for base, info in bases.items():
        name = info.name if names[info.name] == 1 else f"{info.name} {info.version}"
        if name in seen.values():
            other = next(one for one, known in seen.items() if known == name)
            raise UsageError(f"{base} and {other} are both named {name!r}: give them different info.name")
        seen[base] = name
    for one in probed:
        yield replace(one, info=replace(one.info, name=seen[split_way(one.address)[0]]))


def _probed(address: str, warm: WarmWorkers, cancellation: Cancellation) -> AdapterProbe:
    """An adapter. One that a release or an installation stands against is told as such, and plays nothing."""
    try:
        return probe(address, warm=warm, cancellation=cancellation)
    except AdapterError as problem:
        if problem.obstacle is None:
            raise
        met = problem.obstacle
        return AdapterProbe(address, AdapterInfo(met.library, {}, met.version), "client", met)
