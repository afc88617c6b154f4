"""Gemini: reading a response."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import AssistantTurn, Json
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.rules.gemini.documents import answered_calls, answered_candidate, answered_parts, turns_with_calls
from conformance.rules.shared.pairing import calls_understood
from conformance.transcript import Exchange
from conformance.wires.facts import pointer
from conformance.wires.gemini.client import FAILURE_REASONS, REFUSALS, unwrap
from conformance.wires.gemini.keys import get
from conformance.wires.gemini.numbers import narrow, whole_as_floats
from conformance.wires.ids import used_ids


def _names(turn: AssistantTurn) -> list[Json]:
    return [call.name for call in turn.calls]


@check("gemini.parse.function-call-parts")
def function_call_parts(x: Exchange) -> Verdicts:
    """What is in the arguments is for other rules; so are names that must be mapped back."""
    turns, sent = turns_with_calls(x), answered_calls(x.answer)
    if turns is None or len(sent) != len(turns[0].calls):
        return
    offered, read = turns
    if len(read.calls) != len(sent):
        yield Finding("/calls", _names(offered), _names(read))
        return
    taken = used_ids(x.intent)
    for place, (call, other) in enumerate(zip(offered.calls, read.calls, strict=True)):
        if x.usable_ids and call.id not in taken:
            yield equal(f"/calls/{place}/id", call.id, other.id)
        if sent[place].get("name") == call.name:
            yield equal(f"/calls/{place}/name", call.name, other.name)


@check("gemini.parse.finish-reason-stop")
def finish_reason_stop(x: Exchange) -> Verdicts:
    turns = turns_with_calls(x)
    if turns is not None and turns[0].stop == "tool_calls":
        yield equal("/stop", "tool_calls", turns[1].stop)


@check("gemini.parse.numbers-are-doubles")
def numbers_are_doubles(x: Exchange) -> Verdicts:
    """Where the schema does not say integer, 5.0 and 5 are both right."""
    turns = turns_with_calls(x)
    if turns is None or x.intent is None:
        return
    offered, read = turns
    for call, place in zip(offered.calls, calls_understood(offered.calls, read.calls), strict=True):
        tool = x.intent.tool(call.name)
        if place is not None and tool is not None and tool.parameters is not None:
            wanted = _as_declared(call.arguments, tool.parameters)
            yield from _narrowed(f"/calls/{place}/arguments", wanted, read.calls[place].arguments)


def _as_declared(arguments: Json, schema: Json) -> Json:
    """``arguments`` with integers only where the schema says so. What is too deep has nothing to examine."""
    try:
        return narrow(whole_as_floats(arguments), schema)
    except RecursionError:
        return None


def _narrowed(at: str, wanted: Json, found: Json) -> Iterator[Finding | None]:
    """A verdict on each number that must be an integer. A loop, because a hostile document may be deep."""
    pending = [(at, wanted, found)]
    while pending:
        here, one, other = pending.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            pending += [(here + pointer(key), one[key], other[key]) for key in reversed(one) if key in other]
        elif isinstance(one, list) and isinstance(other, list):
            pairs = list(enumerate(zip(one, other, strict=False)))
            pending += [(f"{here}/{place}", *pair) for place, pair in reversed(pairs)]
        elif type(one) is int:
            yield holds(type(other) is int, here, one, other)


@check("gemini.parse.abnormal-finish")
def abnormal_finish(x: Exchange) -> Verdicts:
    """Calls beside such an ending may be kept or dropped."""
    if x.parsed is None or x.offered is None or x.offered.stop not in ("error", "refusal"):
        return
    reason = get(answered_candidate(x.answer), "finishReason")
    blocked = get(get(unwrap(x.answer), "promptFeedback"), "blockReason")
    if blocked or (isinstance(reason, str) and reason in FAILURE_REASONS | REFUSALS):
        yield holds(x.parsed.stop in ("error", "refusal"), "/stop", x.offered.stop, x.parsed.stop)


@check("gemini.parse.finish-message")
def finish_message(x: Exchange) -> Verdicts:
    """Whoever says nothing of why the turn ended so takes nothing for the provider's words either."""
    if x.parsed is None:
        return
    error = x.parsed.error.message if x.parsed.error is not None else None
    told = [words for words in (x.parsed.refusal, error) if words is not None]
    message = _why(x.answer)
    if told and isinstance(message, str) and message.strip():
        at = "/refusal" if x.parsed.refusal is not None else "/error/message"
        yield holds(any(message.strip() in words for words in told), at, message, told)


def _why(answer: Json) -> Json:
    """The words in which an answer says why its turn was withheld or failed."""
    candidate = answered_candidate(answer)
    if get(candidate, "finishReason") in FAILURE_REASONS | REFUSALS:
        return get(candidate, "finishMessage")
    return get(get(unwrap(answer), "promptFeedback"), "blockReasonMessage")


@check("gemini.parse.thought-parts-not-text")
def thought_parts_not_text(x: Exchange) -> Verdicts:
    if x.parsed is None or x.offered is None:
        return
    for part in answered_parts(x.answer):
        thought = part.get("text")
        if part.get("thought") and isinstance(thought, str) and thought.strip():
            leaks = thought.strip() in str(x.parsed.text) and thought.strip() not in x.offered.text
            yield holds(not leaks, "/text", x.offered.text, x.parsed.text)
