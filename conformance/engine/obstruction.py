"""A case in which an adapter met an obstacle says nothing of how it holds conversations, so nobody is blamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.capabilities import Lack
from conformance.engine.shims import raised_in_shim
from conformance.obstacles import HEADS, Obstacle
from conformance.outcomes import OperationFailure
from conformance.transcript import Exchange


def obstruction(exchanges: Iterable[Exchange], *, older: bool = False) -> Lack | None:
    """Why a case that was played counts as not played, if it does.

    ``older``: the library is of a release before the one that its shim was written for, so what the shim's own frame
    raised is a misfit, too.
    """
    met = next((met for exchange in exchanges for met in _met(exchange, older=older)), None)
    return Lack(met.kind, f"{HEADS[met.kind]}: {met.error}", met.error) if met else None


def _met(exchange: Exchange, *, older: bool) -> Iterator[Obstacle]:
    asked = (exchange.request, exchange.understood, *(other.request for other in exchange.variants.values()))
    for failure in (one for one in asked if isinstance(one, OperationFailure)):
        if failure.obstacle:
            yield failure.obstacle
        elif older and raised_in_shim(failure.detail):
            yield Obstacle("misfit", " ".join(failure.message.split()))
