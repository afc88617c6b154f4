"""Chat Completions: reading a completion."""

from __future__ import annotations

from conformance.model import AssistantTurn, Json
from conformance.rules.chat.documents import answered_calls, answered_choice, answered_message
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import obj
from conformance.wires.ids import used_ids


def _names(turn: AssistantTurn) -> list[Json]:
    return [call.name for call in turn.calls]


@check("chat.parse.tool-calls-from-message")
def tool_calls_from_message(x: Exchange) -> Verdicts:
    """Arguments have rules of their own, and so have calls beside another finish reason."""
    sent, offered, read = answered_calls(x.answer), x.offered, x.parsed
    if read is None or offered is None or not sent or len(sent) != len(offered.calls):
        return
    if len(read.calls) != len(sent):
        if answered_choice(x.answer).get("finish_reason") == "tool_calls":
            yield Finding("/calls", _names(offered), _names(read))
        return
    taken = used_ids(x.intent)
    for place, (call, other) in enumerate(zip(offered.calls, read.calls, strict=True)):
        if x.usable_ids and call.id not in taken:
            yield equal(f"/calls/{place}/id", call.id, other.id)
        if obj(sent[place].get("function")).get("name") == call.name:  # else it is a name to map back
            yield equal(f"/calls/{place}/name", call.name, other.name)


@check("chat.parse.finish-reason-lenient")
def finish_reason_lenient(x: Exchange) -> Verdicts:
    reason, offered, read = answered_choice(x.answer).get("finish_reason"), x.offered, x.parsed
    if read is None or offered is None or not answered_calls(x.answer) or offered.stop not in ("tool_calls", "length"):
        return
    if reason == "tool_calls":
        return
    yield holds(len(read.calls) == len(offered.calls), "/calls", _names(offered), _names(read))
    yield equal("/stop", offered.stop, read.stop)


@check("chat.parse.null-content")
def null_content(x: Exchange) -> Verdicts:
    if x.parsed is not None and answered_calls(x.answer) and not answered_message(x.answer).get("content"):
        yield equal("/text", "", x.parsed.text)


@check("chat.parse.refusal")
def refusal(x: Exchange) -> Verdicts:
    message, read = answered_message(x.answer), x.parsed
    refusal = message.get("refusal")
    if read is None or not isinstance(refusal, str) or not refusal:
        return
    yield equal("/refusal", refusal, read.refusal)
    if not message.get("content"):
        yield holds(read.text != refusal, "/text", "", read.text)


@check("chat.parse.legacy-function-call-accepted")
def legacy_function_call_accepted(x: Exchange) -> Verdicts:
    legacy, offered, read = answered_message(x.answer).get("function_call"), x.offered, x.parsed
    if read is None or offered is None or not isinstance(legacy, dict) or answered_calls(x.answer):
        return
    if len(read.calls) != 1 or len(offered.calls) != 1:
        yield Finding("/calls", _names(offered), _names(read))
        return
    call, expected = read.calls[0], offered.calls[0]
    yield equal("/calls/0/name", expected.name, call.name)
    yield holds(usable(call.id), "/calls/0/id", "an id made up by the reader", call.id)
    yield holds(call.arguments == expected.arguments, "/calls/0/arguments", expected.arguments, call.arguments)
