"""What came out of a case, without any judgement: where it is the same as with the original, no rule needs asking."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.engine.group_play import GroupPlay
from conformance.http import Request
from conformance.model import AssistantTurn
from conformance.outcomes import OperationFailure
from conformance.transcript import Exchange


class Watched(GroupPlay):
    """Plays cases and keeps what came out. The blocking twins of streams are not played: nothing is compared."""

    shown = ""
    """What came out of the last case, as a short text."""

    def _learn(self, exchanges: Sequence[Exchange]) -> None:
        told = "\n".join(part for exchange in exchanges for part in _came_out(exchange))
        self.shown = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _judge(self, report: object, exchange: Exchange, place: int) -> None:
        """Nobody wants to know."""


def watched(play: GroupPlay, delivery: str) -> str:
    """What comes out of a case of a group."""
    watch = Watched(play.found, play.group, play.scenario, play.selection, play.rules, twins=[])
    watch.case(delivery)
    return watch.shown


def _came_out(exchange: Exchange) -> Iterator[str]:
    """All that the adapter said in an exchange, and nothing of what it was told."""
    yield _sent(exchange.request)
    yield _said(exchange.understood)
    yield repr((exchange.changes, exchange.telling, exchange.unused))
    yield from (f"{name} {_said(turn)}" for name, turn in exchange.readings.items())
    yield from (f"{name} {_sent(other.request)}" for name, other in exchange.variants.items())


def _sent(request: Request | OperationFailure | None) -> str:
    return repr(request)


def _said(turn: AssistantTurn | OperationFailure | None) -> str:
    """A turn without what the adapter wants to get back: that is seen in later requests."""
    return repr(replace(turn, opaque=None) if isinstance(turn, AssistantTurn) else turn)
