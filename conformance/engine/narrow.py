"""Which cut it was: the first single cut of a stream at which the adapter understands something else."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from conformance.model import AssistantTurn
from conformance.outcomes import OperationFailure
from conformance.transcript import Exchange, same_meaning

MAX_TRIES = 400
CONTEXT = 24

StreamReader = Callable[[list[bytes]], AssistantTurn | OperationFailure]
"""Lets the adapter read a stream."""


def guilty_cut(exchange: Exchange, read: StreamReader) -> dict[str, object] | None:
    """The byte offset of the first cut that alone changes what the adapter understands, with the bytes around it.

    ``None`` when no single one of the delivery's cuts does, for instance because the adapter also fails on the whole
    stream. Ids are compared only where the adapter takes the provider's: those that it mints may differ each time.
    """
    body = b"".join(exchange.chunks or ())
    whole = read([body])
    if isinstance(whole, OperationFailure):
        return None
    ids = exchange.comparable_ids and _ids(whole) <= _ids(exchange.offered)
    places = list(accumulate(map(len, exchange.chunks or ())))[:-1]
    for place in sorted(places, key=lambda place: not _delicate(body, place))[:MAX_TRIES]:
        understood = read([body[:place], body[place:]])
        if isinstance(understood, OperationFailure) or not same_meaning(understood, whole, ids=ids):
            before, after = body[max(0, place - CONTEXT) : place], body[place : place + CONTEXT]
            return {"at_byte": place, "before": _shown(before), "after": _shown(after)}
    return None


def _ids(turn: AssistantTurn | None) -> set[str]:
    return {call.id for call in turn.calls} if turn is not None else set()


def _delicate(body: bytes, place: int) -> bool:
    """Whether a cut falls inside a character or a line end, where decoders go wrong first."""
    return 0x80 <= body[place] < 0xC0 or body[place - 1 : place + 1] == b"\r\n"


def _shown(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
