"""Converse, provider half: say a scripted turn as an answer or as events, and say errors.

Sources: botocore 1.44.8 ``bedrock-runtime/2023-09-30/service-2.json``; recorded answers of
``bedrock-runtime.*.amazonaws.com``, whose errors hold a message and name their class in ``x-amzn-errortype``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.http import Response, StreamEvent
from conformance.model import Json, ProviderError, compact_json
from conformance.script import ErrorKind, ScriptCall, ScriptError, ScriptTurn, Voice
from conformance.wires.base import arguments_text, fragments, mint, parse_arguments, signature
from conformance.wires.bedrock.events import SERVER, is_call
from conformance.wires.errors import error_document, provider_error
from conformance.wires.facts import obj

STOP_REASONS = {
    "tool_calls": "tool_use",
    "end": "end_turn",
    "length": "max_tokens",
    "refusal": "content_filtered",
    "error": "malformed_tool_use",
}
ERRORS: Mapping[ErrorKind, tuple[int, str, str]] = {
    "invalid_request": (400, "ValidationException", "validationException"),
    "authentication": (403, "AccessDeniedException", "validationException"),
    "rate_limit": (429, "ThrottlingException", "throttlingException"),
    "server": (500, "InternalServerException", "internalServerException"),
    "overloaded": (503, "ServiceUnavailableException", "serviceUnavailableException"),
}
"""By kind: the status, the class in an answer's header, and the event inside of a stream."""
ERROR_TYPE = "x-amzn-errortype"
UNKNOWN = {"nested": [1]}
INTERPRETER = "nova_code_interpreter"
SNIPPET: dict[str, Json] = {"snippet": "6 * 7"}
PRINTED: dict[str, Json] = {"stdOut": "42", "stdErr": "", "exitCode": 0, "isError": False}
"""What a tool of the provider's own was asked, and what it said, in the members that were recorded."""


def ids(turn: ScriptTurn, voice: Voice) -> list[str | None]:
    """The id of each call on the wire."""
    return [call.id or mint(f"{voice.seed}/{place}", 22, "tooluse_") for place, call in enumerate(turn.calls)]


def render(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    """The blocking body."""
    body = {
        "output": {"message": {"role": "assistant", "content": [said.block for said in _content(turn, voice)]}},
        "stopReason": stop_reason(turn),
        "usage": _usage(turn),
        "metrics": {"latencyMs": 551},
    }
    return _unknown(turn, body)


def stop_reason(turn: ScriptTurn) -> str:
    """The stop reason."""
    if turn.finish is not None:
        return turn.finish
    return "end_turn" if "finish_stop" in turn.quirks else STOP_REASONS.get(turn.stops_with, "end_turn")


def _usage(turn: ScriptTurn) -> dict[str, Json]:
    sent, received = turn.usage.input_tokens, turn.usage.output_tokens
    return {"inputTokens": sent, "outputTokens": received, "totalTokens": sent + received}


def _unknown(turn: ScriptTurn, value: dict[str, Json]) -> dict[str, Json]:
    """``value``, with a field that no specification knows if the turn has that quirk. Never put inside arguments."""
    return {**value, "xUnknown": UNKNOWN} if "unknown_fields" in turn.quirks else value


# --- content ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConverseBlock:
    """A content block, and how a stream says it: what begins it, if anything does, then the deltas."""

    block: dict[str, Json]
    start: dict[str, Json] | None
    deltas: tuple[Json, ...]


def _content(turn: ScriptTurn, voice: Voice) -> Iterator[ConverseBlock]:
    if turn.reasoning is not None:
        yield _thinking(turn.reasoning, signature(voice.seed), turn.quirks)
    if "redacted_thinking" in turn.quirks:
        sealed = {"reasoningContent": {"redactedContent": signature(f"{voice.seed}/redacted")}}
        yield ConverseBlock(sealed, None, (sealed,))
    if "hosted_items" in turn.quirks:
        yield from _hosted(voice)
    calls = [_call(turn, call, wire_id, voice) for call, wire_id in zip(turn.calls, ids(turn, voice), strict=True)]
    if "calls_before_text" in turn.quirks:
        yield from calls
    refusal = turn.refusal if turn.stops_with == "refusal" else None
    for said in filter(None, (turn.text, refusal)):
        yield ConverseBlock({"text": said}, None, tuple({"text": piece} for piece in fragments(said, turn.quirks)))
    if "calls_before_text" not in turn.quirks:
        yield from calls


def _thinking(text: str, mark: str, quirks: frozenset[str]) -> ConverseBlock:
    pieces = ({"text": piece} for piece in fragments(text, quirks))
    deltas = tuple({"reasoningContent": piece} for piece in (*pieces, {"signature": mark}))
    return ConverseBlock({"reasoningContent": {"reasoningText": {"text": text, "signature": mark}}}, None, deltas)


def _hosted(voice: Voice) -> Iterator[ConverseBlock]:
    """What the provider ran itself: the call, and its result in the same message. Nova does it for a ``systemTool``."""
    use_id = mint(f"{voice.seed}/interpreter", 22, "tooluse_")
    begun: dict[str, Json] = {"toolUseId": use_id, "name": INTERPRETER, "type": SERVER}
    asked = {"toolUse": {"input": compact_json(SNIPPET)}}
    yield ConverseBlock({"toolUse": {**begun, "input": SNIPPET}}, {"toolUse": begun}, (asked,))
    done: dict[str, Json] = {"toolUseId": use_id, "type": f"{INTERPRETER}_result", "status": "success"}
    said: list[Json] = [{"json": PRINTED}]
    yield ConverseBlock({"toolResult": {**done, "content": said}}, {"toolResult": done}, ({"toolResult": said},))


def _call(turn: ScriptTurn, call: ScriptCall, wire_id: str | None, voice: Voice) -> ConverseBlock:
    arguments, raw, _ = parse_arguments(call.arguments if call.raw is None else call.raw)
    begun = {"toolUseId": wire_id, "name": voice.name(call.tool)}
    block = {"toolUse": {**begun, "input": raw if arguments is None else arguments}}
    deltas = tuple({"toolUse": {"input": piece}} for piece in _fragments(turn, call))
    return ConverseBlock(block, {"toolUse": begun}, deltas)


def _fragments(turn: ScriptTurn, call: ScriptCall) -> list[str]:
    """The fragments of a call's arguments. The first is empty, and without arguments there is no other."""
    if not call.arguments and call.raw is None:
        return [] if "arguments_empty" in turn.quirks else [""]
    text = arguments_text(call)
    if "split_escapes" in turn.quirks and call.raw is None:
        text = json.dumps(call.arguments)  # non-ASCII becomes escapes, surrogate pairs among them
    return ["", *fragments(text, turn.quirks)]


# --- streams ---------------------------------------------------------------------------------------------------------


def render_stream(turn: ScriptTurn, voice: Voice) -> list[StreamEvent]:
    """The events, as far as the script lets them come."""
    events = [(name, _unknown(turn, data)) for name, data in _events(turn, voice)]
    if turn.fails_with is not None:
        events.append((ERRORS[turn.fails_with.kind][2], {"message": turn.fails_with.message}))
    return [StreamEvent(compact_json({name: data})) for name, data in events]


def _events(turn: ScriptTurn, voice: Voice) -> Iterator[tuple[str, dict[str, Json]]]:
    """The events. A cut, and an error, come in the middle of the last call, or of the last block if there is none."""
    content = list(_content(turn, voice))
    yield "messageStart", {"role": "assistant"}
    broken = turn.cut not in (None, "terminal") or turn.fails_with is not None
    calls = [index for index, said in enumerate(content) if is_call(said.block)]
    last = calls[-1] if calls else len(content) - 1
    for index, said in enumerate(content):
        events = list(_block_events(index, said))
        if broken and index == last:
            yield from events[: _broken_at(turn, events)]
            return
        yield from events
    if not broken and turn.cut is None:
        yield "messageStop", {"stopReason": stop_reason(turn)}
        yield "metadata", {"usage": _usage(turn), "metrics": {"latencyMs": 551}}


def _broken_at(turn: ScriptTurn, events: list[tuple[str, dict[str, Json]]]) -> int:
    """How many events of its last block a turn has that breaks off: by default all but the last delta and the end."""
    if turn.cut == "call":
        return next(place for place, (name, _) in enumerate(events) if name == "contentBlockDelta")
    return len(events) - 1 if turn.cut == "end" else max(1, len(events) - 2)


def _block_events(index: int, said: ConverseBlock) -> Iterator[tuple[str, dict[str, Json]]]:
    if said.start is not None:
        yield "contentBlockStart", {"start": said.start, "contentBlockIndex": index}
    for delta in said.deltas:
        yield "contentBlockDelta", {"delta": delta, "contentBlockIndex": index}
    yield "contentBlockStop", {"contentBlockIndex": index}


# --- errors ----------------------------------------------------------------------------------------------------------


def render_error(error: ScriptError) -> Response:
    """The HTTP error. Its class is in a header."""
    status, kind, _ = ERRORS[error.kind]
    headers = {ERROR_TYPE: kind, "x-amzn-requestid": mint(error.message, 24)}
    if error.retry_after is not None:
        headers["retry-after"] = str(error.retry_after)
    return Response.of_json(status, {"message": error.message}, headers)


def read_error(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The failure in an error response."""
    document = error_document(body)
    words = obj(document)
    said = words.get("message", words.get("Message", document if not words else None))
    kind = (Response(status, headers).header(ERROR_TYPE) or "").partition(":")[0]
    return provider_error(status, {"message": said, "type": kind or None}, headers=headers)
