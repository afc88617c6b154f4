"""Responses: the items of a stream: which event belongs to which, which of them decides, and how a stream ends."""

from __future__ import annotations

from conformance.model import AssistantTurn
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.responses.documents import ending, streamed_calls
from conformance.rules.shared.streams import differs, plainly_delivered, same_arguments, same_calls, understood_stream
from conformance.transcript import Exchange
from conformance.wires.facts import Object, obj


@check("responses.stream.route-by-item")
def route_by_item(x: Exchange) -> Verdicts:
    if understood_stream(x) is not None and len([call for call in streamed_calls(x) if call.deltas]) > 1:
        yield from same_arguments(x)


@check("responses.stream.done-is-authoritative")
def done_is_authoritative(x: Exchange) -> Verdicts:
    if understood_stream(x) is not None and any(call.final_only for call in streamed_calls(x)):
        yield same_calls(x)
        yield from same_arguments(x)


@check("responses.stream.terminal-and-error")
def terminal_and_error(x: Exchange) -> Verdicts:
    """A turn that stops with an error offers no call for execution."""
    last = ending(x)
    if last is None or x.turn is None or not plainly_delivered(x) or x.damaged:
        return
    if last["type"] in ("error", "response.failed"):
        yield from _failed(last, x.turn)
    elif last["type"] == "response.incomplete":
        yield differs(x, "/stop", lambda turn: turn.stop)
    else:
        yield holds(x.turn.stop not in ("incomplete", "error"), "/stop", "the end of the turn", x.turn.stop)


def _failed(last: Object, turn: AssistantTurn) -> Verdicts:
    """Whether a failure is surfaced. The fields stand on the event, in its ``error``, or in the response's."""
    fields = obj(obj(last.get("response")).get("error")) or obj(last.get("error")) or last
    yield holds(turn.stop == "error", "/stop", "error", turn.stop)
    message, kinds, error = fields.get("message"), [fields.get("code"), fields.get("type")], turn.error
    if error is None:
        yield Finding("/error", message, None)
    elif isinstance(message, str) and message:
        yield holds(message in str(error.message), "/error/message", message, error.message)
        if kinds[0] is not None:
            yield holds(error.type in kinds, "/error/type", kinds[0], error.type)
