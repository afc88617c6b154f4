"""The adapters of a run: loaded once, in workers, to learn what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.adapters.contract import AdapterError, AdapterInfo
from conformance.engine.cancellation import Cancellation
from conformance.engine.pool import AdapterProbe, WarmWorkers, probe
from conformance.runner.errors import UsageError


def probed_adapters(
    addresses: Iterable[str], warm: WarmWorkers, cancellation: Cancellation
) -> Iterator[AdapterProbe]:
    """The adapters at the addresses. Several versions of one are told apart by name and version.

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
    names = Counter(one.info.name for one in probed)
    seen: dict[str, str] = {}
    for one in probed:
        name = one.info.name if names[one.info.name] == 1 else f"{one.info.name} {one.info.version}"
        if name in seen:
            raise UsageError(f"{one.address} and {seen[name]} are both named {name!r}: give them different info.name")
        seen[name] = one.address
        yield replace(one, info=replace(one.info, name=name))


def _probed(address: str, warm: WarmWorkers, cancellation: Cancellation) -> AdapterProbe:
    """An adapter. One that a release or an installation stands against is told as such, and plays nothing."""
    try:
        return probe(address, warm=warm, cancellation=cancellation)
    except AdapterError as problem:
        if problem.obstacle is None:
            raise
        met = problem.obstacle
        return AdapterProbe(address, AdapterInfo(met.library, {}, met.version), "client", met)
