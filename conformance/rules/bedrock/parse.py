"""Converse: reading an answer."""

from __future__ import annotations

from conformance.model import AssistantTurn, Json
from conformance.rules.bedrock.documents import answered
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.transcript import Exchange
from conformance.wires.bedrock.events import is_call
from conformance.wires.bedrock.provider import ERROR_TYPE
from conformance.wires.facts import obj
from conformance.wires.ids import used_ids


def _names(turn: AssistantTurn) -> list[Json]:
    return [call.name for call in turn.calls]


@check("bedrock.parse.tool-use-blocks")
def tool_use_blocks(x: Exchange) -> Verdicts:
    """What the arguments hold has rules of its own, and so have calls beside another stop reason."""
    sent = [obj(block["toolUse"]) for block in answered(x.answer) if is_call(block)]
    offered, read = x.offered, x.parsed
    if read is None or offered is None or not sent or len(sent) != len(offered.calls):
        return
    if len(read.calls) != len(sent):
        if obj(x.answer).get("stopReason") == "tool_use":
            yield Finding("/calls", _names(offered), _names(read))
        return
    taken = used_ids(x.intent)
    for place, (use, call, other) in enumerate(zip(sent, offered.calls, read.calls, strict=True)):
        if x.usable_ids and call.id not in taken:
            yield equal(f"/calls/{place}/id", call.id, other.id)
        if use.get("name") == call.name:  # else it is a name to map back
            yield equal(f"/calls/{place}/name", call.name, other.name)


@check("bedrock.parse.stop-reasons")
def stop_reasons(x: Exchange) -> Verdicts:
    reason, offered, read = obj(x.answer).get("stopReason"), x.offered, x.parsed
    if read is None or offered is None or offered.error is not None or not isinstance(reason, str):
        return
    whole = len(read.calls) == len(offered.calls)
    if reason != "tool_use" and offered.calls:
        yield holds(whole, "/calls", _names(offered), _names(read))
    if reason != "tool_use" or whole:  # else another rule tells of the calls
        yield equal("/stop", offered.stop, read.stop)


@check("bedrock.error.message-and-class")
def message_and_class(x: Exchange) -> Verdicts:
    """A reader may put words around the message, and name the class in its own way."""
    if x.turn is None or x.streamed or x.response is None or x.response.status < 400:
        return
    message = obj(x.answer).get("message")
    if not isinstance(message, str):
        return
    read = x.turn.error
    if read is None:
        yield Finding("/error", message, None)
        return
    yield holds(message in str(read.message), "/error/message", message, read.message)
    yield equal("/error/status", x.response.status, read.status)
    kind = (x.response.header(ERROR_TYPE) or "").partition(":")[0]
    if kind and read.type is not None:
        yield holds(kind in read.type, "/error/type", kind, read.type)
