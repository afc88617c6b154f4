"""Ollama, provider half: say a scripted turn as a response or as lines.

Sources: ollama/ollama ``api/types.go`` (``ChatResponse``, ``Metrics``), ``server/routes.go``, ``docs/api.md``,
``docs/api/errors.mdx``; recorded traffic (calls come whole, each with ``index`` and an id of eight characters).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.http import StreamEvent
from conformance.model import Json, compact_json
from conformance.script import ScriptCall, ScriptError, ScriptTurn, Voice
from conformance.wires.base import fragments, mint
from conformance.wires.facts import object_of

CREATED = "2026-01-15T10:20:30.123456Z"
CUT_MARK = "\ue000cut\ue000"
GO_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def ids(turn: ScriptTurn, voice: Voice) -> list[str | None]:
    """The id of each call on the wire."""
    if "missing_ids" in turn.quirks:
        return [None] * len(turn.calls)
    return [call.id or mint(f"{voice.seed}/{place}", 8, "call_").lower() for place, call in enumerate(turn.calls)]


def render(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    """The blocking body."""
    return _finished(turn, _body(turn, voice))


def _body(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    message: dict[str, Json] = {"role": "assistant", "content": turn.text or turn.refusal or ""}
    if turn.reasoning is not None:
        message["thinking"] = turn.reasoning
    if turn.calls:
        message["tool_calls"] = _calls(turn, voice)
        if "content_missing" in turn.quirks and not message["content"]:
            del message["content"]
    return {"model": voice.model, "created_at": CREATED, "message": message, **_ending(turn)}


def _ending(turn: ScriptTurn) -> dict[str, Json]:
    reason = "length" if turn.stops_with == "length" else "stop"
    return {
        "done": True,
        "done_reason": turn.finish if turn.finish is not None else reason,
        "total_duration": 3_067_193_667,
        "load_duration": 94_864_083,
        "prompt_eval_count": turn.usage.input_tokens,
        "prompt_eval_duration": 73_948_792,
        "eval_count": turn.usage.output_tokens,
        "eval_duration": 2_758_205_252,
    }


def _calls(turn: ScriptTurn, voice: Voice) -> list[Json]:
    wire_ids = ids(turn, voice)
    return [_call(turn, voice, place, call, wire_ids[place]) for place, call in enumerate(turn.calls)]


def _call(turn: ScriptTurn, voice: Voice, place: int, call: ScriptCall, wire_id: str | None) -> Json:
    arguments = _arguments(call)
    function: dict[str, Json] = {"index": place, "name": voice.name(call.tool)}
    if arguments or "arguments_missing" not in turn.quirks:
        as_text = "arguments_object" in turn.quirks and isinstance(arguments, dict)
        function["arguments"] = compact_json(arguments) if as_text else arguments
    return {"function": function} if wire_id is None else {"id": wire_id, "function": function}


def _arguments(call: ScriptCall) -> Json:
    """The arguments object. Scripted text that is none stays text: the wire has no other way to carry it."""
    if call.raw is None:
        return call.arguments if call.arguments is not None else {}
    meant = object_of(call.raw)
    return meant if meant is not None else call.raw


def _finished(turn: ScriptTurn, document: dict[str, Json]) -> dict[str, Json]:
    """``document``, a whole body or one line of a stream, with what the turn's quirks add to every document."""
    finished: dict[str, Json] = _with_unknown(document) if "unknown_fields" in turn.quirks else document
    return finished


def _with_unknown(value: Json) -> Any:
    """``value`` with a field that no specification knows in every object, except in the model's own arguments."""
    if isinstance(value, dict):
        known = {key: item if key == "arguments" else _with_unknown(item) for key, item in value.items()}
        return {**known, "x_unknown": {"nested": [1]}}
    return [_with_unknown(item) for item in value] if isinstance(value, list) else value


def error_body(error: ScriptError) -> dict[str, Json]:
    """An error: the text alone, both as an HTTP body and as a line of a stream."""
    return {"error": error.message}


# --- streams ---------------------------------------------------------------------------------------------------------


def render_stream(turn: ScriptTurn, voice: Voice) -> list[StreamEvent]:
    """The lines, as far as the script lets them come."""
    body = _body(turn, voice)
    head = {"model": voice.model, "created_at": CREATED}
    pieces = _messages(turn, body["message"])
    lines = [_finished(turn, {**head, "message": message, "done": False}) for message in pieces]
    if turn.fails_with is not None:
        lines.append(error_body(turn.fails_with))
    elif turn.cut == "arguments" and turn.calls:
        return [*map(_event, lines[:-1]), _cut_event(lines[-1])]
    elif turn.cut is None:
        last = lines.pop()["message"] if _ends_with_calls(turn) else {"role": "assistant", "content": ""}
        lines.append(_finished(turn, {**body, "message": last}))
    return [_event(line) for line in lines]


def _ends_with_calls(turn: ScriptTurn) -> bool:
    return "calls_at_the_end" in turn.quirks and bool(turn.calls)


def _messages(turn: ScriptTurn, message: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """The message in the pieces that lines carry, each a message of its own."""
    quiet = {"role": "assistant", "content": ""}
    yield from ({**quiet, "thinking": piece} for piece in _pieces(message.get("thinking")))
    yield from ({**quiet, "content": piece} for piece in _pieces(message.get("content")))
    beside = quiet if "content" in message else {"role": "assistant"}
    yield from ({**beside, "tool_calls": group} for group in _groups(turn, message.get("tool_calls", [])))


def _pieces(text: str | None) -> list[str]:
    return fragments(text, frozenset()) if text else []


def _groups(turn: ScriptTurn, calls: list[Json]) -> list[list[Json]]:
    """The calls of each line. A stream that is cut in the last call has brought the others before."""
    if "calls_in_many_chunks" in turn.quirks or turn.cut == "arguments":
        return [[call] for call in calls]
    return [calls] if calls else []


def _event(document: Json) -> StreamEvent:
    return StreamEvent(_go_json(document))


def _go_json(document: Json) -> str:
    """JSON text as Go's ``encoding/json`` writes it: fit for HTML, and without Unicode's line separators."""
    return compact_json(document).translate(GO_ESCAPES)


def _cut_event(line: dict[str, Json]) -> StreamEvent:
    """``line``, which holds one call, up to the middle of its arguments."""
    message = line["message"]
    (call,) = message["tool_calls"]
    marked = {**call, "function": {**call["function"], "arguments": CUT_MARK}}
    whole = {**line, "message": {**message, "tool_calls": [marked]}}
    opening, _, _ = _go_json(whole).partition(compact_json(CUT_MARK))
    arguments = _go_json(call["function"].get("arguments", {}))
    return StreamEvent(opening + arguments[: len(arguments) // 2])
