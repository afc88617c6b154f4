"""Messages: reading a message."""

from __future__ import annotations

from conformance.model import AssistantTurn, Json
from conformance.rules.anthropic.documents import answered_blocks, block_kind, id_of
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import obj
from conformance.wires.ids import used_ids


def _names(turn: AssistantTurn) -> list[Json]:
    return [call.name for call in turn.calls]


@check("anthropic.parse.tool-use-blocks")
def tool_use_blocks(x: Exchange) -> Verdicts:
    """What the arguments hold has rules of its own, and so have calls beside another stop reason."""
    sent, offered, read = answered_blocks(x.answer, "tool_use"), x.offered, x.parsed
    if read is None or offered is None or not sent or len(sent) != len(offered.calls):
        return
    if len(read.calls) != len(sent):
        if obj(x.answer).get("stop_reason") == "tool_use":
            yield Finding("/calls", _names(offered), _names(read))
        return
    taken = used_ids(x.intent)
    for place, (block, call, other) in enumerate(zip(sent, offered.calls, read.calls, strict=True)):
        if x.usable_ids and call.id not in taken:
            yield equal(f"/calls/{place}/id", call.id, other.id)
        if block.get("name") == call.name:  # else it is a name to map back
            yield equal(f"/calls/{place}/name", call.name, other.name)


@check("anthropic.parse.stop-reasons")
def stop_reasons(x: Exchange) -> Verdicts:
    reason, offered, read = obj(x.answer).get("stop_reason"), x.offered, x.parsed
    if read is None or offered is None or offered.error is not None or not isinstance(reason, str):
        return
    whole = len(read.calls) == len(offered.calls)
    if reason != "tool_use" and offered.calls:
        yield holds(whole, "/calls", _names(offered), _names(read))
    if reason != "tool_use" or whole:  # else another rule tells of the calls
        yield equal("/stop", offered.stop, read.stop)


@check("anthropic.parse.refusal-explained")
def refusal_explained(x: Exchange) -> Verdicts:
    """Whoever tells no words for a refusal has no place for them."""
    explanation = obj(obj(x.answer).get("stop_details")).get("explanation")
    if x.parsed is not None and x.parsed.refusal is not None and isinstance(explanation, str) and explanation.strip():
        told = x.parsed.refusal + x.parsed.text
        yield holds(explanation.strip() in told, "/refusal", explanation, x.parsed.refusal)


@check("anthropic.parse.server-tool-use-not-executed")
def server_tool_use_not_executed(x: Exchange) -> Verdicts:
    """By id; where an adapter made up ids, by a name that no offered call has."""
    offered, read = x.offered, x.parsed
    own = [block for block in answered_blocks(x.answer) if _is_server_tool_use(block_kind(block))]
    if read is None or offered is None or not own:
        return
    ids = [call_id for block in own if usable(call_id := id_of(block))]
    names = [block.get("name") for block in own if block.get("name") not in _names(offered)]
    wrong = [place for place, call in enumerate(read.calls) if call.id in ids or call.name in names]
    yield Finding(f"/calls/{wrong[0]}", "no call for the application", read.calls[wrong[0]].name) if wrong else None


def _is_server_tool_use(kind: str) -> bool:
    return kind != "tool_use" and kind.endswith("_tool_use")
