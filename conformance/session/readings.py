"""The same stream, read near another conversation of the same adapter: what it says must not depend on that.

Nothing has to be known of the right turn: it is the one that the adapter makes of the stream when that comes alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from conformance.adapters.beside import Near, OtherStream
from conformance.adapters.bound import BoundTranslator
from conformance.adapters.telling import NewsReport
from conformance.http import frame
from conformance.outcomes import OperationFailure
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.session.variants import ANOTHER, BESIDE
from conformance.transcript import Exchange, ReadingName, TurnOrFailure
from conformance.wires import card, wire

SAYS = ScriptTurn("North is where the needle points.", (ScriptCall(BESIDE.name, {"zone": "Arctic/Longyearbyen"}),))
"""What the other conversation is told."""

READINGS: Mapping[ReadingName, Near] = {"after-one-that-broke-off": "before", "beside-another": "beside"}
"""How each reading is made."""


def readings(
    names: Iterable[ReadingName], translator: BoundTranslator, exchange: Exchange
) -> dict[ReadingName, TurnOrFailure]:
    """What the adapter makes of the exchange's stream near the other conversation, where it can be asked."""
    if exchange.turn is None or exchange.chunks is None or exchange.intent is None:
        return {}
    found: dict[ReadingName, TurnOrFailure] = {}
    for name in names:
        other = OtherStream(READINGS[name], other_chunks(exchange.provider), ANOTHER)
        read = translator.parse_stream_near(exchange.chunks, exchange.intent, other)
        if read is not None:
            found[name] = read
    return found


def listen(names: Iterable[ReadingName], news: bool, translator: BoundTranslator, exchange: Exchange) -> None:
    """Enter what the adapter makes of the exchange's stream in other ways. With ``news``, also what it tells meanwhile.
    """
    exchange.readings = readings(names, translator, exchange)
    if news:
        exchange.telling = telling_of(translator, exchange)


def telling_of(translator: BoundTranslator, exchange: Exchange) -> NewsReport | None:
    """What the adapter tells while the exchange's stream is open, if it can. One that it cannot read tells nothing."""
    if exchange.turn is None or exchange.chunks is None or exchange.intent is None:
        return None
    heard = translator.hear(exchange.chunks, exchange.intent)
    return NewsReport((), failure=heard.message) if isinstance(heard, OperationFailure) else heard


@cache
def other_chunks(provider: str) -> tuple[bytes, ...]:
    """The stream of the other conversation, one event a chunk."""
    voice = Voice(ANOTHER.model, {BESIDE.name: BESIDE.name}, "another/0")
    return tuple(frame(wire(provider).render_stream(SAYS, voice), card(provider).framings[0]))
