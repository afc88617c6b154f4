"""Ollama's native chat: reading an answer."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.check import Verdicts, check, equal, holds
from conformance.rules.shared.pairing import calls_understood, usable
from conformance.transcript import Exchange
from conformance.wires.ids import used_ids


@check("ollama.parse.arguments-object")
def arguments_object(x: Exchange) -> Verdicts:
    """Whether the arguments are an object at all. What is in it is for the common rules."""
    if x.parsed is None or x.offered is None:
        return
    for call, place in zip(x.offered.calls, calls_understood(x.offered.calls, x.parsed.calls), strict=True):
        if call.arguments and place is not None:
            read = x.parsed.calls[place]
            right = isinstance(read.arguments, dict) and not read.invalid
            found = read.raw if read.arguments is None else read.arguments
            yield holds(right, f"/calls/{place}/arguments", call.arguments, found)


@check("ollama.parse.done-reason-stop")
def done_reason_stop(x: Exchange) -> Verdicts:
    if x.parsed is not None and x.offered is not None and x.offered.calls and x.offered.stop == "tool_calls":
        yield equal("/stop", "tool_calls", x.parsed.stop)


@check("ollama.ids.optional")
def optional(x: Exchange) -> Verdicts:
    """An id that the conversation had before may be replaced."""
    if x.parsed is None or x.offered is None:
        return
    taken = used_ids(x.intent)
    ids: list[Json] = []
    for call, place in zip(x.offered.calls, calls_understood(x.offered.calls, x.parsed.calls), strict=True):
        if place is None:
            continue
        own, at = x.parsed.calls[place].id, f"/calls/{place}/id"
        if not usable(call.id):
            yield holds(usable(own) and own not in ids, at, "an id of its own", own)
        elif x.usable_ids and call.id not in taken:
            yield equal(at, call.id, own)
        ids.append(own)
