"""Chat Completions: calls in streams.

Each rule looks only at streams that show its behaviour, and compares only what that behaviour decides. Bytes that were
cut or framed otherwise are left to the rules about framing: the delivery of one event a chunk says all there is here.
"""

from __future__ import annotations

from conformance.model import AssistantTurn
from conformance.rules.chat.documents import call_deltas, lanes
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.streams import each_call, same_arguments, same_calls, understood_stream
from conformance.transcript import Exchange
from conformance.wires.ids import used_ids


@check("chat.stream.accumulate-by-index")
def accumulate_by_index(x: Exchange) -> Verdicts:
    if understood_stream(x) is None:
        return
    by_index = lanes(call_deltas(x))
    in_fragments = any(len(lane) > 1 for lane in by_index)
    if len(by_index) > 1 and (in_fragments or x.card.forms.calls_in_stream != "whole"):
        yield same_calls(x)
        yield from same_arguments(x)


@check("chat.stream.id-only-on-first-chunk")
def id_only_on_first_chunk(x: Exchange) -> Verdicts:
    """Repeated ids may also multiply calls, or hide what comes with them."""
    turns = understood_stream(x)
    if turns is None:
        return
    by_index = lanes(call_deltas(x))
    later = [delta for lane in by_index for delta in lane[1:]]
    if not later:
        return
    offered, turn = turns
    if len(turn.calls) > len(offered.calls):
        yield same_calls(x)
    elif len(turn.calls) == len(offered.calls):
        yield from _same_ids(x, offered, turn)
        yield from each_call(x, "name")
    if any(delta.id or delta.name for delta in later):
        yield from same_arguments(x)


def _same_ids(x: Exchange, offered: AssistantTurn, turn: AssistantTurn) -> Verdicts:
    """An id that is missing or taken may be replaced; how calls are ordered is another question."""
    found, taken = [call.id for call in turn.calls], used_ids(x.intent)
    as_blocking = x.twin is not None and found == [call.id for call in x.twin.calls]
    if x.usable_ids and not as_blocking:
        for place, call in enumerate(offered.calls):
            if call.id not in taken:
                yield holds(call.id in found, f"/calls/{place}/id", call.id, found[place])


@check("chat.stream.missing-index-tolerated")
def missing_index_tolerated(x: Exchange) -> Verdicts:
    deltas = call_deltas(x)
    if understood_stream(x) is not None and deltas and not lanes(deltas):
        yield same_calls(x)
        yield from same_arguments(x)
