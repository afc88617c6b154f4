"""Chat Completions: chunks of streams that hold no call: usage, the end, an error."""

from __future__ import annotations

from conformance.model import to_json
from conformance.rules.chat.documents import stated_error
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.streams import any_calls, differs, plainly_delivered, understood_stream
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj


@check("chat.stream.empty-choices-chunk")
def empty_choices_chunk(x: Exchange) -> Verdicts:
    if understood_stream(x) is None:
        return
    empty = [obj(chunk) for chunk in x.documents if obj(chunk).get("choices") == []]
    if empty:
        yield differs(x, "/text", lambda turn: turn.text)
        yield any_calls(x)
    if any(chunk.get("usage") for chunk in empty):
        yield differs(x, "/usage", lambda turn: to_json(turn.usage))


@check("chat.stream.done-sentinel")
def done_sentinel(x: Exchange) -> Verdicts:
    turns = understood_stream(x)
    if turns is None or not any(event.data.strip() == "[DONE]" for event in x.events or ()):
        return
    offered, turn = turns
    if offered.stop not in ("incomplete", "error"):
        yield holds(turn.stop not in ("incomplete", "error"), "/stop", offered.stop, turn.stop)
    if _usage_after_finish(x):
        yield differs(x, "/usage", lambda turn: to_json(turn.usage))


def _usage_after_finish(x: Exchange) -> bool:
    """Whether usage comes in a later chunk than the finish reason."""
    finished = False
    for chunk in map(obj, x.documents):
        if finished and chunk.get("usage"):
            return True
        finished = finished or any(obj(choice).get("finish_reason") for _, choice in items(chunk.get("choices")))
    return False


@check("chat.stream.error-object-mid-stream")
def error_object_mid_stream(x: Exchange) -> Verdicts:
    """A turn that stops with an error offers no call for execution."""
    message = next((said for chunk in x.documents if (said := stated_error(chunk)[0]) is not None), None)
    if message is None or x.turn is None or not plainly_delivered(x):
        return
    yield holds(x.turn.stop == "error", "/stop", "error", x.turn.stop)
    error = x.turn.error
    found = str(error.message) if error is not None else None
    yield holds(found is not None and message in found, "/error", message, found)
