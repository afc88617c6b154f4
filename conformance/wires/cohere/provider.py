"""Cohere, provider half: say a scripted turn as a response or as events, and say errors.

Sources: docs.cohere.com "Streaming for tool use", "Errors"; cohere-ai/cohere-developer-experience
``cohere-openapi.yaml`` (``ChatResponseV2``, ``StreamedChatResponseV2``, ``responses.BadRequest``) and
``snippets/responses/chat-v2-post``; cohere 7.3.1 ``ChatMessageEndEventDelta.error``; recorded traffic of
api.cohere.com (``[DONE]`` at the end, index 0 for every block).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.http import StreamEvent
from conformance.model import Json, Stop, compact_json
from conformance.script import ScriptCall, ScriptError, ScriptTurn, Voice
from conformance.wires.base import arguments_text, fragments, mint

Event = dict[str, Any]

FINISH: dict[Stop, str] = {"tool_calls": "TOOL_CALL", "length": "MAX_TOKENS", "error": "ERROR"}
"""Finish reasons; everything else is ``COMPLETE``."""
UNKNOWN = {"nested": [1]}
NOTHING: Event = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
"""The message as a stream begins with it."""


def ids(turn: ScriptTurn, voice: Voice) -> list[str | None]:
    """The id of each call on the wire. The real ones are the tool's name and twelve letters and digits."""
    return [call.id or mint(f"{voice.seed}/{place}", 12, "tool_").lower() for place, call in enumerate(turn.calls)]


def render(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    """The blocking body."""
    body: dict[str, Json] = {
        "id": mint(voice.seed, 24),
        "message": _message(turn, voice),
        "finish_reason": _finish(turn),
        "usage": _usage(turn),
    }
    finished: dict[str, Json] = _with_unknown(turn, body)
    return finished


def _message(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    message: dict[str, Json] = {"role": "assistant"}
    if content := _content(turn):
        message["content"] = content
    if turn.calls:
        if turn.text:
            message["tool_plan"] = turn.text
        message["tool_calls"] = [
            _call(call, wire_id, voice) for call, wire_id in zip(turn.calls, ids(turn, voice), strict=True)
        ]
    return message


def _content(turn: ScriptTurn) -> list[Json]:
    """The blocks: thinking, and text, unless it is the plan of calls."""
    thoughts = [{"type": "thinking", "thinking": turn.reasoning}] if turn.reasoning is not None else []
    text = turn.text or turn.refusal or ""
    return [*thoughts, {"type": "text", "text": text}] if text and not turn.calls else thoughts


def _call(call: ScriptCall, wire_id: str | None, voice: Voice) -> Json:
    function = {"name": voice.name(call.tool), "arguments": arguments_text(call)}
    return {"id": wire_id, "type": "function", "function": function}


def _finish(turn: ScriptTurn) -> str:
    return turn.finish if turn.finish is not None else FINISH.get(turn.stops_with, "COMPLETE")


def _usage(turn: ScriptTurn) -> Json:
    counts = {"input_tokens": turn.usage.input_tokens, "output_tokens": turn.usage.output_tokens}
    return {"billed_units": counts, "tokens": counts, "cached_tokens": 0}


def _with_unknown(turn: ScriptTurn, value: Any) -> Any:
    """``value`` with a field that no specification knows in every object, if the turn has that quirk."""
    if "unknown_fields" not in turn.quirks:
        return value
    if isinstance(value, dict):
        return {**{key: _with_unknown(turn, item) for key, item in value.items()}, "x_unknown": UNKNOWN}
    return [_with_unknown(turn, item) for item in value] if isinstance(value, list) else value


def error_body(error: ScriptError) -> Json:
    """The body of an HTTP error."""
    return {"id": mint(error.message, 24), "message": error.message}


# --- streams ---------------------------------------------------------------------------------------------------------


def render_stream(turn: ScriptTurn, voice: Voice) -> list[StreamEvent]:
    """The events, as far as the script lets them come."""
    body = render(turn if not turn.quirks else _plain(turn), voice)
    events = [{"type": "message-start", "id": body["id"], "delta": {"message": NOTHING}}]
    events += _until_break(turn, list(_said(turn, body["message"])))
    if turn.fails_with is not None:
        events.append(_end({"error": turn.fails_with.message, "finish_reason": "ERROR", "usage": body["usage"]}))
    elif turn.cut is None:
        events.append(_end({"finish_reason": body["finish_reason"], "usage": body["usage"]}))
    said = [StreamEvent(compact_json(_with_unknown(turn, event)), event["type"]) for event in events]
    return said if turn.cut or turn.fails_with else [*said, StreamEvent("[DONE]")]


def _plain(turn: ScriptTurn) -> ScriptTurn:
    """The turn as a body without what is added to every object: events are given that themselves."""
    return ScriptTurn(
        turn.text, turn.calls, turn.reasoning, turn.refusal, turn.search, turn.stop, turn.finish, turn.usage
    )


def _end(delta: Event) -> Event:
    return {"type": "message-end", "delta": delta}


def _said(turn: ScriptTurn, message: dict[str, Any]) -> Iterator[Event]:
    """What the message says, bit by bit: content, the plan, and then call after call."""
    for block in message.get("content", []):
        yield from _block(block)
    for piece in fragments(message.get("tool_plan", ""), frozenset()):
        if piece:
            yield {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": piece}}}
    for index, call in enumerate(message.get("tool_calls", [])):
        yield from _pieces(turn, index, call)


def _block(block: dict[str, Any]) -> Iterator[Event]:
    """A block. All have the index 0, as recorded: thinking, and the text that follows it."""
    kind = block["type"]
    yield _piece("content-start", 0, {"content": {"type": kind, kind: ""}})
    for piece in fragments(block[kind], frozenset()):
        yield _piece("content-delta", 0, {"content": {kind: piece}})
    yield {"type": "content-end", "index": 0}


def _pieces(turn: ScriptTurn, index: int, call: dict[str, Any]) -> Iterator[Event]:
    function = call["function"]
    opening = {**call, "function": {**function, "arguments": ""}}
    yield _piece("tool-call-start", index, {"tool_calls": opening})
    for piece in fragments(function["arguments"], turn.quirks):
        yield _piece("tool-call-delta", index, {"tool_calls": {"function": {"arguments": piece}}})
    yield {"type": "tool-call-end", "index": index}


def _piece(kind: str, index: int, message: Event) -> Event:
    return {"type": kind, "index": index, "delta": {"message": message}}


def _until_break(turn: ScriptTurn, events: list[Event]) -> list[Event]:
    """The events before the one in which the turn breaks off: in the middle of the last call, or of what is said."""
    if turn.cut in (None, "terminal") and turn.fails_with is None:
        return events
    last = next((place for place in reversed(range(len(events))) if events[place]["type"] == "tool-call-start"), None)
    if last is None:
        return events[: max(len(events) // 2, 1)]
    if turn.cut in ("call", "end"):
        return events[: last + 1] if turn.cut == "call" else events[:-1]
    return events[: last + 1 + (len(events) - last - 1) // 2]
