"""Messages, provider half: say a scripted turn as a message or as events, and say errors.

Sources: ``anthropic.types.Message``, ``RawMessageStreamEvent`` and ``shared.ErrorResponse`` of the official SDK;
platform.claude.com, "Streaming messages", "Streaming refusals" and "Errors"; recorded traffic of api.anthropic.com.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.http import Response, StreamEvent
from conformance.model import Json, compact_json
from conformance.script import STATUS, ErrorKind, ScriptCall, ScriptError, ScriptTurn, ServerSearch, Voice
from conformance.wires.anthropic.hosted import hosted_blocks
from conformance.wires.base import arguments_text, fragments, mint, parse_arguments, signature, without

STOP_REASONS = {
    "tool_calls": "tool_use",
    "end": "end_turn",
    "length": "max_tokens",
    "pause": "pause_turn",
    "refusal": "refusal",
}
ERROR_TYPES: Mapping[ErrorKind, str] = {
    "invalid_request": "invalid_request_error",
    "authentication": "authentication_error",
    "rate_limit": "rate_limit_error",
    "server": "api_error",
    "overloaded": "overloaded_error",
}
OVERLOADED = 529
ENDING = ("stop_reason", "stop_sequence", "stop_details")
STOP_SEQUENCE = "END"
NEEDLESS = frozenset({
    "caller", "stop_details", "inference_geo", "output_tokens_details", "cache_creation", "service_tier",
    "cache_creation_input_tokens", "cache_read_input_tokens",
})  # fmt: skip
"""What api.anthropic.com did not say in 2024, as recorded."""
UNKNOWN = {"nested": [1]}


def ids(turn: ScriptTurn, voice: Voice) -> list[str | None]:
    """The id of each call on the wire."""
    same = "repeated_id" in turn.quirks
    return [
        call.id or mint(f"{voice.seed}/{0 if same else place}", 24, "toolu_") for place, call in enumerate(turn.calls)
    ]


def render(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    """The blocking body."""
    body = {
        "model": voice.model,
        "id": mint(voice.seed, 24, "msg_"),
        "type": "message",
        "role": "assistant",
        "content": [_unknown(turn, said.block) for said in _content(turn, voice)],
        "stop_reason": stop_reason(turn),
        "stop_sequence": STOP_SEQUENCE if _ends_at_a_text(turn) else None,
        "stop_details": _stop_details(turn),
        "usage": _unknown(turn, _usage(turn)),
        **({"container": _container(voice)} if "counts_grow" in turn.quirks else {}),
    }
    return _unknown(turn, without(body, NEEDLESS) if "sparse_answers" in turn.quirks else body)


def stop_reason(turn: ScriptTurn) -> str:
    """The stop reason."""
    if turn.finish is not None:
        return turn.finish
    if _ends_at_a_text(turn):
        return "stop_sequence"
    return "end_turn" if "finish_stop" in turn.quirks else STOP_REASONS.get(turn.stops_with, "end_turn")


def _ends_at_a_text(turn: ScriptTurn) -> bool:
    """Whether the application wanted the answer to end at a text that came."""
    return "stop_sequence" in turn.quirks and turn.stops_with == "end"


def _stop_details(turn: ScriptTurn) -> Json:
    """A refusal's words: the content only holds what the model said before it was stopped."""
    if turn.stops_with != "refusal":
        return None
    return {"type": "refusal", "category": None, "explanation": turn.refusal or None}


def _usage(turn: ScriptTurn) -> dict[str, Json]:
    grown = "counts_grow" in turn.quirks
    worked = turn.search is not None or grown
    searched = {"server_tool_use": {"web_search_requests": 1, "web_fetch_requests": 0}} if worked else {}
    return {
        "input_tokens": turn.usage.input_tokens,
        "cache_creation_input_tokens": 14_789 if grown else 0,
        "cache_read_input_tokens": 46_134 if grown else 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": turn.usage.output_tokens,
        "output_tokens_details": {"thinking_tokens": 3 if grown else 0},
        **searched,
        "service_tier": "standard",
        "inference_geo": "not_available",
    }


def _container(voice: Voice) -> Json:
    """Where the provider's own tools ran."""
    return {"id": mint(f"{voice.seed}/container", 24, "container_"), "expires_at": "2026-01-02T03:04:05.123456Z"}


def _unknown(turn: ScriptTurn, value: dict[str, Json]) -> dict[str, Json]:
    """``value``, with a field that no specification knows if the turn has that quirk. Never put inside arguments."""
    return {**value, "x_unknown": UNKNOWN} if "unknown_fields" in turn.quirks else value


# --- content ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BlockScript:
    """A content block, and how a stream says it: what the block begins with, then the deltas.

    ``opening`` holds the fields that are still empty when the block begins.
    """

    block: dict[str, Json]
    opening: Mapping[str, Json]
    deltas: tuple[Json, ...]


def _content(turn: ScriptTurn, voice: Voice) -> Iterator[BlockScript]:
    if turn.reasoning is not None:
        yield _thinking(turn.reasoning, signature(voice.seed))
    if "redacted_thinking" in turn.quirks:
        yield BlockScript({"type": "redacted_thinking", "data": signature(f"{voice.seed}/redacted")}, {}, ())
    if "unknown_fields" in turn.quirks:
        yield BlockScript({"type": "x_unknown_block", "data": UNKNOWN}, {}, ())
    if turn.search is not None:
        yield from _search(turn.search, voice)
    if "hosted_items" in turn.quirks:
        yield from map(_hosted, hosted_blocks(voice))
    calls = [_call(turn, call, wire_id, voice) for call, wire_id in zip(turn.calls, ids(turn, voice), strict=True)]
    if "calls_before_text" in turn.quirks:
        yield from calls
    if turn.text:
        yield _text(turn, voice)
    if "calls_before_text" not in turn.quirks:
        yield from calls


def _thinking(text: str, mark: str) -> BlockScript:
    pieces = [{"type": "thinking_delta", "thinking": piece} for piece in fragments(text, frozenset()) if piece]
    return BlockScript(
        {"type": "thinking", "thinking": text, "signature": mark},
        {"thinking": "", "signature": ""},
        (*pieces, {"type": "signature_delta", "signature": mark}),
    )


def _search(search: ServerSearch, voice: Voice) -> Iterator[BlockScript]:
    use_id, question = mint(f"{voice.seed}/search", 24, "srvtoolu_"), {"query": search.query}
    yield BlockScript(
        {"type": "server_tool_use", "id": use_id, "name": "web_search", "input": question},
        {"input": {}},
        tuple(map(_json_delta, ["", *fragments(compact_json(question), frozenset())])),
    )
    page = {"type": "web_search_result", "title": search.title, "url": search.url,
            "encrypted_content": signature(f"{voice.seed}/page"), "page_age": None}  # fmt: skip
    yield BlockScript({"type": "web_search_tool_result", "tool_use_id": use_id, "content": [page]}, {}, ())


def _hosted(block: dict[str, Json]) -> BlockScript:
    """A block of a tool that the provider runs: its input comes bit by bit, its result at once."""
    if "input" not in block:
        return BlockScript(block, {}, ())
    pieces = fragments(compact_json(block["input"]), frozenset()) if block["input"] else []
    return BlockScript(block, {"input": {}}, tuple(map(_json_delta, ["", *pieces])))


def _text(turn: ScriptTurn, voice: Voice) -> BlockScript:
    block: dict[str, Json] = {"type": "text", "text": turn.text}
    pieces = [{"type": "text_delta", "text": piece} for piece in fragments(turn.text, frozenset())]
    if turn.search is None:
        return BlockScript(block, {"text": ""}, tuple(pieces))
    source = {"type": "web_search_result_location", "cited_text": turn.search.title, "url": turn.search.url,
              "title": turn.search.title, "encrypted_index": signature(f"{voice.seed}/index")}  # fmt: skip
    cited = {"type": "citations_delta", "citation": source}
    return BlockScript({**block, "citations": [source]}, {"text": "", "citations": []}, (cited, *pieces))


def _call(turn: ScriptTurn, call: ScriptCall, wire_id: str | None, voice: Voice) -> BlockScript:
    """A call. Text that is no object reaches a blocking body as that text, as careless hosts let it."""
    arguments, raw, _ = parse_arguments(call.arguments if call.raw is None else call.raw)
    block = {"type": "tool_use", "id": wire_id, "name": voice.name(call.tool),
             "input": raw if arguments is None else arguments, "caller": {"type": "direct"}}  # fmt: skip
    if "no_deltas" in turn.quirks:
        return BlockScript(block, {}, ())
    return BlockScript(block, {"input": {}}, tuple(map(_json_delta, _fragments(turn, call))))


def _fragments(turn: ScriptTurn, call: ScriptCall) -> list[str]:
    """The fragments of a call's arguments. The first is empty, and without arguments there is no other."""
    if not call.arguments and call.raw is None:
        return [] if "arguments_empty" in turn.quirks else [""]
    text = arguments_text(call)
    if "split_escapes" in turn.quirks and call.raw is None:
        text = json.dumps(call.arguments)  # non-ASCII becomes escapes, surrogate pairs among them
    return ["", *fragments(text, turn.quirks)]


def _json_delta(piece: str) -> Json:
    return {"type": "input_json_delta", "partial_json": piece}


# --- streams ---------------------------------------------------------------------------------------------------------


def render_stream(turn: ScriptTurn, voice: Voice) -> list[StreamEvent]:
    """The events, as far as the script lets them come."""
    events = list(_events(turn, voice))
    if turn.fails_with is not None:
        events.append({"type": "error", "error": _error(turn.fails_with)})
    if "sparse_answers" in turn.quirks:
        events = [without(event, NEEDLESS) for event in events]
    return [StreamEvent(compact_json(_unknown(turn, event)), event["type"]) for event in events]


def _events(turn: ScriptTurn, voice: Voice) -> Iterator[dict[str, Json]]:
    """The events. A cut, and an error, come in the middle of the last call, or of the last block if there is none."""
    body, content = render(turn, voice), list(_content(turn, voice))
    yield {"type": "message_start", "message": _start(body)}
    if "unknown_fields" in turn.quirks:
        yield {"type": "x_unknown_event"}
    if not content:
        yield {"type": "ping"}
    broken = turn.cut not in (None, "terminal") or turn.fails_with is not None
    calls = [index for index, said in enumerate(content) if said.block["type"] == "tool_use"]
    last = calls[-1] if calls else len(content) - 1
    for index, said in enumerate(content):
        events = list(_block_events(turn, index, said))
        if broken and index == last:
            yield from events[: _broken_at(turn, events)]
            return
        yield from events
    if not broken and turn.cut is None:
        yield _delta(turn, body)
        yield {"type": "message_stop"}


def _broken_at(turn: ScriptTurn, events: list[dict[str, Json]]) -> int:
    """How many events of its last block a turn has that breaks off: by default all but the last delta and the end."""
    if turn.cut == "call":
        return next(place for place, event in enumerate(events) if event["type"] == "content_block_delta")
    return len(events) - 1 if turn.cut == "end" else max(1, len(events) - 2)


def _start(body: Mapping[str, Json]) -> Json:
    """The message before it has said anything; one token stands for the beginning, as the API counts it."""
    usage = {name: count for name, count in body["usage"].items() if name != "server_tool_use"} | {"output_tokens": 1}
    if "container" in body:  # the provider's own tools are yet to run: Mirascope's test_web_search_tool_stream
        usage.pop("output_tokens_details", None)
        usage |= {"input_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    start = {name: value for name, value in body.items() if name != "container"}
    return {**start, "content": [], **dict.fromkeys(ENDING), "usage": usage}


def _block_events(turn: ScriptTurn, index: int, said: BlockScript) -> Iterator[dict[str, Json]]:
    block = _unknown(turn, {**said.block, **said.opening})
    yield {"type": "content_block_start", "index": index, "content_block": block}
    if index == 0:
        yield {"type": "ping"}
    for delta in said.deltas:
        yield {"type": "content_block_delta", "index": index, "delta": _unknown(turn, delta)}
    yield {"type": "content_block_stop", "index": index}


def _delta(turn: ScriptTurn, body: Mapping[str, Json]) -> dict[str, Json]:
    """The last but one event. Its token counts are totals of the whole message."""
    only_at_start = ("cache_creation", "service_tier", "inference_geo")
    return {
        "type": "message_delta",
        "delta": _unknown(turn, {name: body[name] for name in (*ENDING, "container") if name in body}),
        "usage": {name: count for name, count in body["usage"].items() if name not in only_at_start},
    }


# --- errors ----------------------------------------------------------------------------------------------------------


def render_error(error: ScriptError) -> Response:
    """The HTTP error. Overload has a status of its own."""
    request_id = mint(error.message, 24, "req_")
    headers = {"request-id": request_id, "x-should-retry": "true" if error.retryable else "false"}
    if error.retry_after is not None:
        headers["retry-after"] = str(error.retry_after)
    status = OVERLOADED if error.kind == "overloaded" else STATUS[error.kind]
    return Response.of_json(status, {"type": "error", "error": _error(error), "request_id": request_id}, headers)


def _error(error: ScriptError) -> Json:
    return {"type": ERROR_TYPES[error.kind], "message": error.message}
