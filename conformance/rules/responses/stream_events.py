"""Responses: the events of a stream and their order.

As with Chat Completions, each rule looks only at streams that show its behaviour, delivered one event a chunk, and
compares only what that behaviour decides.
"""

from __future__ import annotations

from itertools import pairwise

from conformance.model import AssistantTurn, Json
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.responses.documents import streamed_calls
from conformance.rules.shared.streams import differs, same_arguments, same_calls, understood_stream
from conformance.transcript import Exchange
from conformance.wires.facts import obj
from conformance.wires.ids import used_ids


@check("responses.stream.event-grammar")
def event_grammar(x: Exchange) -> Verdicts:
    """Calls that only their last events tell of have a rule of their own."""
    turns, calls = understood_stream(x), streamed_calls(x)
    if turns is None or not calls:
        return
    if not any(call.final_only for call in calls):
        yield same_calls(x)
    offered, read = turns
    if len(offered.calls) == len(read.calls):
        yield from _same_items(x, offered, read)


def _same_items(x: Exchange, offered: AssistantTurn, read: AssistantTurn) -> Verdicts:
    """A verdict on each call's id and name. An id that is missing or taken may be replaced."""
    alike = x.twin is not None and len(x.twin.calls) == len(read.calls)
    twins = x.twin.calls if x.twin is not None and alike else offered.calls
    found, taken = [call.id for call in read.calls], used_ids(x.intent)
    for place, (call, own, twin) in enumerate(zip(offered.calls, read.calls, twins, strict=True)):
        if x.usable_ids and call.id not in taken:
            yield holds(call.id in found or own.id == twin.id, f"/calls/{place}/id", call.id, own.id)
        yield holds(own.name in (call.name, twin.name), f"/calls/{place}/name", call.name, own.name)


@check("responses.stream.sequence-number")
def sequence_number(x: Exchange) -> Verdicts:
    if understood_stream(x) is None or not _is_unevenly_numbered(x):
        return
    yield differs(x, "/text", lambda turn: turn.text)
    yield same_calls(x)
    yield from same_arguments(x)


def _is_unevenly_numbered(x: Exchange) -> bool:
    """Whether a number is missing, or is not the one after the one before."""
    numbers: list[Json] = [obj(event).get("sequence_number") for event in x.documents if isinstance(event, dict)]
    whole = [number for number in numbers if isinstance(number, int)]
    return len(whole) < len(numbers) or any(after != before + 1 for before, after in pairwise(whole))
