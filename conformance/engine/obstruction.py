"""A case in which an adapter met an obstacle says nothing of how it holds conversations, so nobody is blamed."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.capabilities import Lack
from conformance.obstacles import HEADS, Obstacle
from conformance.outcomes import OperationFailure
from conformance.transcript import Exchange


def obstruction(exchanges: Iterable[Exchange]) -> Lack | None:
    """Why a case that was played counts as not played, if it does."""
    met = next(filter(None, map(_met, exchanges)), None)
    return Lack(met.kind, f"{HEADS[met.kind]}: {met.error}", met.error) if met else None


def _met(exchange: Exchange) -> Obstacle | None:
    asked = (exchange.request, exchange.understood, *(other.request for other in exchange.variants.values()))
    return next((one.obstacle for one in asked if isinstance(one, OperationFailure) and one.obstacle), None)
