"""Cohere's chat: reading an answer."""

from __future__ import annotations

from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.rules.shared.pairing import calls_understood
from conformance.transcript import Exchange
from conformance.wires.facts import obj


@check("cohere.parse.calls-in-message")
def calls_in_message(x: Exchange) -> Verdicts:
    """Whether each call is there, and its arguments are the object of their text."""
    if x.parsed is None or x.offered is None or not x.offered.calls:
        return
    for call, place in zip(x.offered.calls, calls_understood(x.offered.calls, x.parsed.calls), strict=True):
        if place is None:
            yield Finding("/calls", call.name, [other.name for other in x.parsed.calls])
        elif not call.invalid:
            read = x.parsed.calls[place]
            right = isinstance(read.arguments, dict) and not read.invalid
            yield holds(right, f"/calls/{place}/arguments", call.arguments, read.raw)


@check("cohere.parse.plan-beside-calls")
def plan_beside_calls(x: Exchange) -> Verdicts:
    if x.parsed is None or x.offered is None or not x.offered.calls or x.streamed:
        return
    plan = obj(obj(x.answer).get("message")).get("tool_plan")
    if isinstance(plan, str) and plan:
        yield holds(plan in x.parsed.text, "/text", plan, x.parsed.text)


@check("cohere.error.flat-body")
def flat_body(x: Exchange) -> Verdicts:
    """A reader may put words around the message."""
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


@check("cohere.error.in-message-end")
def in_message_end(x: Exchange) -> Verdicts:
    """A reader may put words around the message."""
    told = [error for document in x.documents if (error := obj(obj(document).get("delta")).get("error"))]
    if x.turn is None or not told or not isinstance(told[0], str):
        return
    yield holds(x.turn.stop == "error", "/stop", "error", x.turn.stop)
    found = x.turn.error.message if x.turn.error is not None else None
    yield holds(told[0] in str(found), "/error/message", told[0], found)
