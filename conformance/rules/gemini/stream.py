"""Gemini: streams, as server-sent events or as one JSON array.

What the events say is compared in the delivery of one event a chunk alone: how bytes are cut has rules of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.rules.check import Verdicts, check
from conformance.rules.gemini.documents import answered_calls
from conformance.rules.shared.streams import (
    broken_end,
    differs,
    plainly_delivered,
    same_arguments,
    same_calls,
    understood_stream,
)
from conformance.transcript import Exchange
from conformance.wires.facts import Object
from conformance.wires.gemini.keys import get


@check("gemini.stream.sse-and-json-array")
def sse_and_json_array(x: Exchange) -> Verdicts:
    """Of server-sent events only the end is looked at: there is no sentinel to wait for."""
    turn, offered = x.turn, x.offered
    if turn is None or offered is None or not x.streamed or not x.complete or offered.error is not None:
        return
    as_array = x.delivery is not None and x.delivery.framing == "json-array"
    if as_array or plainly_delivered(x):
        yield differs(x, "/stop", broken_end)
    if as_array or x.delivery is None:
        yield differs(x, "/text", lambda turn: turn.text)
        yield same_calls(x)
        yield from same_arguments(x)


@check("gemini.stream.calls-collected-across-chunks")
def calls_collected_across_chunks(x: Exchange) -> Verdicts:
    if understood_stream(x) is not None and list(_calls(x)) and not any(map(_in_pieces, _calls(x))):
        yield same_calls(x)
        yield from same_arguments(x)


@check("gemini.stream.partial-args")
def partial_args(x: Exchange) -> Verdicts:
    if understood_stream(x) is not None and any(map(_in_pieces, _calls(x))):
        yield same_calls(x)
        yield from same_arguments(x)


def _calls(x: Exchange) -> Iterator[Object]:
    """The calls, or fragments of calls, in all chunks."""
    return (call for chunk in x.documents for call in answered_calls(chunk))


def _in_pieces(call: Object) -> bool:
    """Whether a call is a fragment: Vertex AI streams arguments if it is asked to."""
    return get(call, "partialArgs") is not None or get(call, "willContinue") is not None
