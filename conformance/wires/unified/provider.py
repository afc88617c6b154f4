"""The gateway's API, provider half: say a scripted turn as a response or as events.

Source: the specification in this package's docstring.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from conformance.http import StreamEvent
from conformance.model import Json, compact_json
from conformance.script import STATUS, ScriptCall, ScriptError, ScriptTurn, Voice
from conformance.wires.base import arguments_text, fragments, interleave, mint, signature
from conformance.wires.facts import object_of

STOP_REASONS = ("tool_calls", "end", "length", "pause", "refusal")
ERROR_TYPES = {
    "invalid_request": "invalid_request_error",
    "authentication": "authentication_error",
    "rate_limit": "rate_limit_error",
    "server": "server_error",
    "overloaded": "overloaded_error",
}
UNKNOWN = {"nested": [1]}


def ids(turn: ScriptTurn, voice: Voice) -> list[str | None]:
    """The id of each call on the wire."""
    if "missing_ids" in turn.quirks:
        return [None] * len(turn.calls)
    return [call.id or mint(f"{voice.seed}/{place}", 24, "call_") for place, call in enumerate(turn.calls)]


def render(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    """The blocking body."""
    message: dict[str, Json] = {"type": "message", "role": "assistant", "content": _content(turn, voice)}
    if turn.calls:
        heads = _heads(turn, voice)
        message["tool_calls"] = [
            {**head, "args": _args(turn, call), "type": "tool_call"}
            for head, call in zip(heads, turn.calls, strict=True)
        ]
    output = [message]
    if "unknown_fields" in turn.quirks:
        output = [{"type": "x_unknown"}, message]
        if isinstance(message["content"], list):
            message["content"].append({"type": "x_unknown"})
    return _finished(turn, {**_envelope(voice), "output": output, **_ending(turn)})


def _envelope(voice: Voice) -> dict[str, Json]:
    return {"id": mint(voice.seed, 24, "msg_"), "model": voice.model}


def _ending(turn: ScriptTurn) -> dict[str, Json]:
    reason = turn.stops_with if turn.stops_with in STOP_REASONS else "end"
    return {"stop_reason": turn.finish if turn.finish is not None else reason, "usage": asdict(turn.usage)}


def _content(turn: ScriptTurn, voice: Voice) -> Json:
    """The message's blocks; as a string when the turn asks for that and nothing in it needs a block."""
    if "content_empty" in turn.quirks and turn.reasoning is None and turn.refusal is None:
        return turn.text
    blocks: list[Json] = []
    if turn.reasoning is not None:
        blocks.append({"type": "reasoning", "text": turn.reasoning, "signature": _signature(voice)})
    if turn.text:
        blocks.append({"type": "text", "text": turn.text})
    if turn.refusal is not None:
        blocks.append({"type": "refusal", "text": turn.refusal})
    return blocks


def _signature(voice: Voice) -> str:
    return signature(f"{voice.seed}/reasoning")


def _heads(turn: ScriptTurn, voice: Voice) -> list[dict[str, Json]]:
    """Id and name of each call."""
    return [
        {"name": voice.name(call.tool)} if wire_id is None else {"id": wire_id, "name": voice.name(call.tool)}
        for call, wire_id in zip(turn.calls, ids(turn, voice), strict=True)
    ]


def _args(turn: ScriptTurn, call: ScriptCall) -> Json:
    """The arguments object; its text when the turn asks for that, or when the script's text is no object."""
    text = arguments_text(call)
    meant = None if "arguments_object" in turn.quirks else object_of(text)
    return meant if meant is not None else text


def _finished(turn: ScriptTurn, document: dict[str, Json]) -> dict[str, Json]:
    """``document``, a whole body or one event, with what the turn's quirks add to every document."""
    finished: dict[str, Json] = _with_unknown(document) if "unknown_fields" in turn.quirks else document
    return finished


def _with_unknown(value: Json) -> Any:
    """``value`` with a field that no specification knows in every object, except in the model's own arguments."""
    if isinstance(value, dict):
        known = {key: item if key == "args" else _with_unknown(item) for key, item in value.items()}
        return {**known, "x_unknown": UNKNOWN}
    return [_with_unknown(item) for item in value] if isinstance(value, list) else value


def error_body(error: ScriptError) -> dict[str, Json]:
    """An error, both as an HTTP body and as an event's data."""
    return {"error": {"type": ERROR_TYPES[error.kind], "message": error.message, "status": STATUS[error.kind]}}


# --- streams ---------------------------------------------------------------------------------------------------------


def render_stream(turn: ScriptTurn, voice: Voice) -> list[StreamEvent]:
    """The events, as far as the script lets them come."""
    return list(_events(turn, voice))


def _events(turn: ScriptTurn, voice: Voice) -> Iterator[StreamEvent]:
    yield _event(turn, "message.start", _envelope(voice))
    if turn.reasoning is not None:
        yield from _deltas(turn, "reasoning.delta", turn.reasoning)
        yield _event(turn, "reasoning.end", {"signature": _signature(voice)})
    yield from _deltas(turn, "text.delta", turn.text)
    yield from _deltas(turn, "refusal.delta", turn.refusal or "")
    if "unknown_fields" in turn.quirks:
        yield _event(turn, "x_unknown.delta", {"text": "unknown"})
    lanes = [_call_events(turn, place, head) for place, head in enumerate(_heads(turn, voice))]
    if lanes:
        lanes[-1] = lanes[-1][: _broken_at(turn, len(lanes[-1]))]
    if "interleaved" in turn.quirks:
        yield from interleave(lanes)
    else:
        yield from (event for lane in lanes for event in lane)
    if turn.fails_with is not None:
        yield _event(turn, "error", error_body(turn.fails_with))
    elif turn.cut is None:
        yield _event(turn, "message.end", _ending(turn))


def _broken_at(turn: ScriptTurn, events: int) -> int:
    """How many events of the last call there are: without its last fragment and its end, if it fails inside it."""
    if turn.fails_with is not None:
        return events - 2
    return {"call": 1, "arguments": events - 2, "end": events - 1}.get(turn.cut or "", events)


def _deltas(turn: ScriptTurn, kind: str, text: str) -> Iterator[StreamEvent]:
    if text:
        yield from (_event(turn, kind, {"text": piece}) for piece in fragments(text, frozenset()))


def _call_events(turn: ScriptTurn, place: int, head: dict[str, Json]) -> list[StreamEvent]:
    pieces = fragments(arguments_text(turn.calls[place]), turn.quirks)
    return [
        _event(turn, "tool_call.start", {"index": place, **head}),
        *(_event(turn, "tool_call.delta", {"index": place, "args": piece}) for piece in pieces),
        _event(turn, "tool_call.end", {"index": place}),
    ]


def _event(turn: ScriptTurn, kind: str, data: dict[str, Json]) -> StreamEvent:
    return StreamEvent(compact_json(_finished(turn, {"type": kind, **data})), kind)
