"""Messages: signatures, pings and errors in streams."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.anthropic.documents import (
    events_of,
)
from conformance.rules.anthropic.thinking import (
    answered_thinking,
    changed_block,
    own_replays,
    sent_thinking,
    thinking_pairs,
)
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.streams import plainly_delivered
from conformance.transcript import Exchange
from conformance.wires.facts import obj


@check("anthropic.stream.ping-and-error")
def ping_and_error(x: Exchange) -> Verdicts:
    """A turn that stops with an error offers no call for execution."""
    if x.turn is None or not plainly_delivered(x):
        return
    failure = next((obj(event.get("error")) for event in events_of(x, "error")), None)
    if failure is not None:
        yield holds(x.turn.stop == "error", "/stop", "error", x.turn.stop)
        yield from _surfaced(x, failure.get("message"), failure.get("type"))
    elif events_of(x, "ping") and not x.damaged:
        yield holds(x.turn.error is None, "/error", None, str(x.turn.error))


def _surfaced(x: Exchange, message: Json, kind: Json) -> Verdicts:
    error = x.turn.error if x.turn is not None else None
    if error is None:
        yield Finding("/error", message, None)
        return
    if isinstance(message, str) and message:
        yield holds(message in str(error.message), "/error/message", message, error.message)
    if isinstance(kind, str):
        yield holds(error.type == kind, "/error/type", kind, error.type)


@check("anthropic.stream.signature-delta-kept")
def signature_delta_kept(x: Exchange) -> Verdicts:
    """What was put together from a stream shows in the request that repeats it. What is not there is not examined."""
    for replay in own_replays(x):
        if replay.exchange.streamed:
            for block, copy in thinking_pairs(answered_thinking(replay), sent_thinking(replay)):
                if copy is not None:
                    yield changed_block(block, copy)
