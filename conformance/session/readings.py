"""The same stream, read near another conversation of the same adapter: what it says must not depend on that.

Nothing has to be known of the right turn: it is the one that the adapter makes of the stream when that comes alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from conformance.adapters.beside import Near, OtherStream
from conformance.adapters.bound import BoundClient, BoundTranslator
from conformance.adapters.telling import Due, NewsReport
from conformance.answers import SoFar, growing
from conformance.capabilities import owed_news
from conformance.http import Framing, frame
from conformance.outcomes import OperationFailure
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.session.variants import ANOTHER, BESIDE
from conformance.transcript import Exchange, ReadingName, TurnOrFailure
from conformance.wires import card, wire

SAYS = ScriptTurn("North is where the needle points.", (ScriptCall(BESIDE.name, {"zone": "Arctic/Longyearbyen"}),))
"""What the other conversation is told."""

READINGS: Mapping[ReadingName, Near] = {
    "after-one-that-broke-off": "before",
    "beside-another": "beside",
    "beside-another-on-a-loop": "on-a-loop",
}
"""How each reading is made."""

BoundReader = BoundTranslator | BoundClient


def readings(
    names: Iterable[ReadingName], adapter: BoundReader, exchange: Exchange
) -> dict[ReadingName, TurnOrFailure]:
    """What the adapter makes of the exchange's stream near the other conversation, where it can be asked."""
    if exchange.turn is None or exchange.chunks is None or exchange.intent is None:
        return {}
    found: dict[ReadingName, TurnOrFailure] = {}
    for name in names:
        _, framing = wire(exchange.provider).framed(exchange.chunks)
        other = OtherStream(READINGS[name], other_chunks(exchange.provider, framing), ANOTHER)
        read = adapter.read_near(exchange.chunks, exchange.intent, other)
        if read is not None and not (isinstance(read, OperationFailure) and read.obstacle):
            found[name] = read
    return found


def listen(
    names: Iterable[ReadingName], news: bool, claimed: Collection[str], adapter: BoundReader, exchange: Exchange
) -> None:
    """Enter what the adapter makes of the exchange's stream in other ways. With ``news``, also what it tells meanwhile:
    what it owes of that, it ``claimed``.
    """
    exchange.readings = readings(names, adapter, exchange)
    if news:
        exchange.telling = telling_of(adapter, claimed, exchange)


def telling_of(adapter: BoundReader, claimed: Collection[str], exchange: Exchange) -> NewsReport | None:
    """What the adapter tells while the exchange's stream is open, if it can. One that it cannot read tells nothing."""
    if exchange.turn is None or exchange.chunks is None or exchange.intent is None:
        return None
    due = due_in(exchange.provider, exchange.chunks) if isinstance(adapter, BoundClient) else ()
    heard = adapter.hear(exchange.chunks, exchange.intent, due)
    if isinstance(heard, OperationFailure):
        return None if heard.obstacle else NewsReport((), failure=heard.message)
    return None if heard is None else replace(heard, owed=owed_news(claimed))


def due_in(provider: str, chunks: Sequence[bytes]) -> list[Due]:
    """What is to be told after each number of chunks of a stream, from none to all."""
    known = {one.given: one for one in growing(wire(provider), chunks)}
    found = [Due()]
    for given in range(1, len(chunks) + 1):
        found.append(_due(known[given]) if given in known else found[-1])
    return found


def _due(so_far: SoFar) -> Due:
    named = sum(bool(call.name) for call in so_far.turn.calls)
    return Due(len(so_far.turn.text), named, len(so_far.thinking))


@cache
def other_chunks(provider: str, framing: Framing | None = None) -> tuple[bytes, ...]:
    """The stream of the other conversation, one event a chunk."""
    voice = Voice(ANOTHER.model, {BESIDE.name: BESIDE.name}, "another/0")
    return tuple(frame(wire(provider).render_stream(SAYS, voice), framing or card(provider).framings[0]))
