"""Chat Completions: streams.

Each rule looks only at streams that show its behaviour, and compares only what that behaviour decides. Bytes that were
cut or framed otherwise are left to the rules about framing: the delivery of one event a chunk says all there is here.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.model import AssistantTurn, Json, to_json
from conformance.rules.chat_documents import call_deltas, lanes
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.checks.chat_response import stated_error
from conformance.rules.pairing import calls_understood
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj
from conformance.wires.ids import used_ids

Aspect = Callable[[AssistantTurn], Json]
"""One thing that a turn says, as JSON."""


def plainly_delivered(x: Exchange) -> bool:
    """Whether nothing but the events themselves can be to blame: one event a chunk, or an example or recording."""
    return x.streamed and (x.delivery is None or x.delivery.name == "stream:per-event")


def understood_stream(x: Exchange) -> tuple[AssistantTurn, AssistantTurn] | None:
    """What a stream that ended well said, and what was understood of it."""
    if not plainly_delivered(x) or not x.complete or x.offered is None or x.turn is None:
        return None
    return (x.offered, x.turn) if x.offered.error is None else None


def differs(x: Exchange, at: str, aspect: Aspect) -> Finding | None:
    """A verdict on one aspect of a streamed turn. What is read just as wrongly without a stream is not its fault."""
    if x.offered is None or x.turn is None:
        return None
    expected, found = aspect(x.offered), aspect(x.turn)
    alike = expected == found or (x.twin is not None and aspect(x.twin) == found)
    return None if alike else Finding(at, expected, found)


def call_names(turn: AssistantTurn) -> Json:
    """The names of a turn's calls: what a finding about their number shows."""
    return [call.name for call in turn.calls]


def same_calls(x: Exchange) -> Finding | None:
    """A verdict on how many calls there are."""
    if x.offered is None or x.turn is None or len(x.offered.calls) == len(x.turn.calls):
        return None
    return differs(x, "/calls", call_names)


def any_calls(x: Exchange) -> Finding | None:
    """A verdict on whether calls that were offered were seen at all."""
    if x.turn is None or x.turn.calls:
        return None
    return differs(x, "/calls", call_names)


def same_arguments(x: Exchange) -> Verdicts:
    """A verdict on the arguments of each call that was understood."""
    yield from _each_call(x, "arguments")


def _each_call(x: Exchange, name: str) -> Verdicts:
    if x.offered is None or x.turn is None:
        return
    for place, own in enumerate(calls_understood(x.offered.calls, x.turn.calls)):
        if own is not None:
            expected, found = getattr(x.offered.calls[place], name), getattr(x.turn.calls[own], name)
            twin = x.twin.calls[own] if x.twin is not None and own < len(x.twin.calls) else None
            alike = expected == found or (twin is not None and getattr(twin, name) == found)
            yield holds(alike, f"/calls/{own}/{name}", expected, found)


# --- calls -----------------------------------------------------------------------------------------------------------


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
        yield from _each_call(x, "name")
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


# --- chunks ----------------------------------------------------------------------------------------------------------


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


