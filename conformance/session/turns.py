"""The turns of the model with which a conversation goes on: as the adapter understood them, put right, or as another
provider's model had them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.model import AssistantTurn, ToolCall
from conformance.script import ScriptCall, ScriptTurn
from conformance.transcript import Exchange
from conformance.wires.base import mint, parse_arguments


def foreign_turn(says: ScriptTurn, seed: str) -> AssistantTurn:
    """A turn that another provider's model had, without anything of the adapter's own."""
    calls = tuple(
        _foreign_call(call.id or mint(f"{seed}/{place}", 24, "call_"), call) for place, call in enumerate(says.calls)
    )
    return AssistantTurn(says.text, calls, says.stops_with, says.refusal)


def _foreign_call(call_id: str, call: ScriptCall) -> ToolCall:
    """A call whose arguments may be a text: one that says nothing is kept, and one that is no object is invalid."""
    arguments, _, invalid = parse_arguments(call.arguments if call.raw is None else call.raw)
    return ToolCall(call_id, call.tool, arguments, call.raw, invalid)


def continued(exchange: Exchange, seed: str) -> AssistantTurn:
    """The turn with which the conversation goes on: the adapter's own, put right where it misunderstood."""
    understood, offered = exchange.turn, exchange.offered
    assert understood is not None and offered is not None
    ids = list(_continued_ids(understood, offered, exchange, seed))
    calls = tuple(replace(call, id=call_id) for call, call_id in zip(offered.calls, ids, strict=True))
    if understood.message is not None:
        understood = replace(understood, message=None)  # it is told, and nothing to go on with
    if _as_meant(understood, calls) and understood.text == offered.text:
        return understood
    return replace(understood, text=offered.text, calls=calls, stop=offered.stop, refusal=offered.refusal)


def _as_meant(understood: AssistantTurn, calls: tuple[ToolCall, ...]) -> bool:
    return [(call.id, call.name, call.arguments) for call in understood.calls] == [
        (call.id, call.name, call.arguments) for call in calls
    ]


def _continued_ids(understood: AssistantTurn, offered: AssistantTurn, exchange: Exchange, seed: str) -> Iterator[str]:
    """The adapter's ids if it has one for every call, all different and new; else the provider's; else new ones."""
    own = [call.id for call in understood.calls]
    used = {call.id for earlier in exchange.earlier if earlier.turn for call in earlier.turn.calls}
    if len(own) == len(offered.calls) and all(own) and len(set(own)) == len(own) and not used & set(own):
        kept = exchange.usable_ids and {call.id for call in offered.calls} == set(own)
        yield from (call.id for call in offered.calls) if kept else own
        return
    for place, call in enumerate(offered.calls):
        usable = exchange.usable_ids and call.id not in used
        yield call.id if usable else mint(f"{seed}/{place}", 24, "call_")
