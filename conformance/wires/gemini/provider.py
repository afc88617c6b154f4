"""Gemini generateContent, provider half: say a scripted turn as a response or as a stream of chunks.

Sources: google/ai/generativelanguage v1beta ``GenerateContentResponse``; google.rpc.Status and ``RetryInfo``; recorded
traffic (ids of eight letters and digits from Gemini 3 on, none before; a ``finishMessage`` beside ``STOP`` in turns
with calls; a last chunk with an empty text part; the prompt's usage on every chunk).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.http import StreamEvent
from conformance.model import Json, compact_json
from conformance.script import STATUS, ErrorKind, ScriptCall, ScriptError, ScriptTurn, ServerSearch, Voice
from conformance.wires.base import fragments, mint, signature, without
from conformance.wires.facts import object_of
from conformance.wires.gemini.numbers import struct_value, whole_as_floats
from conformance.wires.gemini.pieces import call_fragments

FINISH = {"length": "MAX_TOKENS", "refusal": "SAFETY", "error": "MALFORMED_FUNCTION_CALL"}
MESSAGES = {
    "MALFORMED_FUNCTION_CALL": "Malformed function call: print(default_api.",
    "UNEXPECTED_TOOL_CALL": "Unexpected tool call: Model tried to call an undeclared function.",
}
STATUS_WORDS: dict[ErrorKind, str] = {
    "invalid_request": "INVALID_ARGUMENT",
    "authentication": "UNAUTHENTICATED",
    "rate_limit": "RESOURCE_EXHAUSTED",
    "server": "INTERNAL",
    "overloaded": "UNAVAILABLE",
}


FROM_THE_START = ("promptTokensDetails", "serviceTier")
"""Members of the usage that a stream says from its first event on, as recorded."""
NEEDLESS = frozenset({"avgLogprobs", "index", "promptTokensDetails", "candidatesTokensDetails", "serviceTier"})
"""What not every model says, as recorded."""
HOSTED_PARTS: tuple[dict[str, Json], ...] = (
    {"executableCode": {"language": "PYTHON", "code": "print(6 * 7)"}},
    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "42\n"}},
)
HOSTED_METADATA: dict[str, Json] = {
    "urlContextMetadata": {
        "urlMetadata": [
            {
                "retrievedUrl": "https://example.org/harbour",
                "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS",
            }
        ]
    },
    "groundingMetadata": {
        "groundingChunks": [
            {"retrievedContext": {"uri": "https://example.org/hours", "title": "Hours", "text": "From eight to four."}}
        ],
        "groundingSupports": [
            {
                "segment": {"startIndex": 0, "endIndex": 6, "text": "Three."},
                "groundingChunkIndices": [0],
                "confidenceScores": [0.9],
            }
        ],
    },
}
"""What code execution, fetched pages and searched files leave behind, as recorded; what it says is made up."""


def ids(turn: ScriptTurn, voice: Voice) -> list[str | None]:
    """The id of each call on the wire."""
    if "missing_ids" in turn.quirks:
        return [None] * len(turn.calls)
    return [call.id or mint(f"{voice.seed}/{place}", 8).lower() for place, call in enumerate(turn.calls)]


def render(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    """The blocking body."""
    head = {"usageMetadata": _usage(turn), "modelVersion": voice.model, "responseId": mint(voice.seed, 22)}
    if prompt_is_blocked(turn):
        body: dict[str, Json] = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, **head}
    else:
        body = {"candidates": [_candidate(turn, voice)], **head}
    body = without(body, NEEDLESS) if "sparse_answers" in turn.quirks else body
    return _with_unknown(body) if "unknown_fields" in turn.quirks else body


def _usage(turn: ScriptTurn) -> dict[str, Json]:
    """The counts. Those of a blocked prompt know no candidates (vercel/ai#4236 and #19758, simonw/llm-gemini#80)."""
    sent, received = turn.usage.input_tokens, 0 if prompt_is_blocked(turn) else turn.usage.output_tokens
    counts = {
        "promptTokenCount": sent,
        "candidatesTokenCount": received,
        "totalTokenCount": sent + received,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": sent}],
        "candidatesTokensDetails": [{"modality": "TEXT", "tokenCount": received}],
        "serviceTier": "standard",
    }
    return counts if received else {name: count for name, count in counts.items() if not name.startswith("candidates")}


def prompt_is_blocked(turn: ScriptTurn) -> bool:
    """A refusal without a word of the model's is the prompt's: then there is no candidate."""
    words = turn.text or turn.calls or turn.refusal or turn.finish
    return turn.stop == "refusal" and not words


def _candidate(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    finish = turn.finish or FINISH.get(turn.stops_with, "STOP")
    parts = _parts(turn, voice)
    candidate: dict[str, Json] = {}
    if parts:
        candidate["content"] = {"parts": parts, "role": "model"}
    elif finish in ("STOP", "MAX_TOKENS"):
        candidate["content"] = {"role": "model"}
    candidate |= {"finishReason": finish, "index": 0, "avgLogprobs": -0.05}
    if "hosted_items" in turn.quirks:
        candidate |= HOSTED_METADATA
    message = turn.refusal or MESSAGES.get(finish) or ("Model generated function call(s)." if turn.calls else None)
    if message is not None:
        candidate["finishMessage"] = message
    if turn.search is not None:
        candidate["groundingMetadata"] = _grounding(turn.search)
    return candidate


def _parts(turn: ScriptTurn, voice: Voice) -> list[dict[str, Json]]:
    thoughts: list[dict[str, Json]] = [{"text": turn.reasoning, "thought": True}] if turn.reasoning else []
    texts: list[dict[str, Json]] = [{"text": turn.text}] if turn.text else []
    wire_ids = ids(turn, voice)
    calls = [_call(turn, call, wire_id, voice) for call, wire_id in zip(turn.calls, wire_ids, strict=True)]
    if turn.reasoning is not None and turn.stops_with != "refusal":
        if not calls and not texts:
            texts = [{"text": ""}]
        signed = calls[0] if calls else texts[-1]
        signed["thoughtSignature"] = signature(voice.seed)
    said = [*calls, *texts] if "calls_before_text" in turn.quirks else [*texts, *calls]
    hosted = list(map(dict, HOSTED_PARTS)) if "hosted_items" in turn.quirks else []
    return [*thoughts, *hosted, *said]


def _call(turn: ScriptTurn, call: ScriptCall, wire_id: str | None, voice: Voice) -> dict[str, Json]:
    arguments = struct_value(call.arguments if call.arguments is not None else object_of(call.raw) or {})
    function: dict[str, Json] = {"name": voice.name(call.tool)}
    if arguments or "arguments_missing" not in turn.quirks:
        function["args"] = whole_as_floats(arguments) if "integral_floats" in turn.quirks else arguments
    if wire_id is not None:
        function["id"] = wire_id
    return {"functionCall": function}


def _grounding(search: ServerSearch) -> Json:
    """What a search left behind: there is nothing for the client to run or to answer."""
    return {
        "webSearchQueries": [search.query],
        "searchEntryPoint": {"renderedContent": f"<div>{search.query}</div>"},
        "groundingChunks": [{"web": {"uri": search.url, "title": search.title}}],
        "groundingSupports": [],
    }


def _with_unknown(value: Json) -> Any:
    """``value`` with a field that no specification knows in every object of the wire's, and with unknown parts.

    Arguments are the application's: nothing is added there.
    """
    if isinstance(value, list):
        return [_with_unknown(item) for item in value]
    if not isinstance(value, dict):
        return value
    known = {key: item if key == "args" else _with_unknown(item) for key, item in value.items()}
    if "parts" in known:
        known["parts"] = [{"xUnknownPart": {"nested": [1]}}, *known["parts"]]
    return {**known, "xUnknown": {"nested": [1]}}


# --- streams ---------------------------------------------------------------------------------------------------------


def render_stream(turn: ScriptTurn, voice: Voice) -> list[StreamEvent]:
    """The chunks, as far as the script lets them come."""
    chunks = list(_chunks(turn, render(turn, voice)))
    if turn.fails_with is not None:
        chunks = [*chunks[:-1], error_body(turn.fails_with)]
    elif turn.cut is not None:
        with_calls = [place for place, chunk in enumerate(chunks) if _last_call(chunk) is not None]
        if turn.cut == "arguments" and with_calls:
            whole = [compact_json(chunk) for chunk in chunks[: with_calls[-1]]]
            return [StreamEvent(data) for data in [*whole, _cut_in_arguments(chunks[with_calls[-1]])]]
        chunks = chunks[:-1]
    return [StreamEvent(compact_json(chunk)) for chunk in chunks]


def _last_call(chunk: dict[str, Json]) -> dict[str, Json] | None:
    contents = [candidate.get("content", {}) for candidate in chunk.get("candidates", [])]
    parts = [part for content in contents for part in content.get("parts", [])]
    return next((part["functionCall"] for part in reversed(parts) if "functionCall" in part), None)


def _cut_in_arguments(chunk: dict[str, Json]) -> str:
    """The chunk's text up to the middle of the arguments of its last call."""
    call, data = _last_call(chunk) or {}, compact_json(chunk)
    arguments = compact_json(call.get("args", call))
    return data[: data.rindex(arguments) + max(1, len(arguments) // 2)]


def _chunks(turn: ScriptTurn, body: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """The body in pieces: text in a few, calls together or one by one, and the ending in a chunk of its own."""
    if "unknown_fields" in turn.quirks:
        yield {"xUnknownChunk": {"nested": [1]}}
    if "candidates" not in body:
        yield body
        return
    candidate = body["candidates"][0]
    content = candidate.get("content")
    prompt = body["usageMetadata"]["promptTokenCount"]
    usage = {
        "promptTokenCount": prompt,
        "totalTokenCount": prompt,
        **{name: body["usageMetadata"][name] for name in FROM_THE_START if name in body["usageMetadata"]},
    }
    ending: dict[str, Json] = {"text": ""}
    for group in _groups(turn, content.get("parts", []) if content else [], ending):
        piece = {"content": {**content, "parts": group}, **({"index": 0} if "index" in candidate else {})}
        yield {**body, "candidates": [piece], "usageMetadata": usage}
    last = {**candidate, "content": {**content, "parts": [ending]}} if content else candidate
    yield {**body, "candidates": [last]}


def _groups(turn: ScriptTurn, parts: list[Json], ending: dict[str, Json]) -> Iterator[list[Json]]:
    """The parts of each chunk. A text's signature waits for ``ending``, the empty text part of the last chunk."""
    calls = [part for part in parts if "functionCall" in part]
    together = "calls_in_many_chunks" not in turn.quirks
    for part in parts:
        if "functionCall" in part:
            if "arguments_in_pieces" in turn.quirks:
                yield from ([fragment] for fragment in call_fragments(part))
            elif not together:
                yield [part]
            elif part is calls[0]:
                yield calls
        elif "text" in part:
            yield from ([{**part, "text": piece}] for piece in _pieces(part, ending))
        else:
            yield [part]


def _pieces(part: dict[str, Json], ending: dict[str, Json]) -> list[str]:
    if "thoughtSignature" in part:
        ending["thoughtSignature"] = part.pop("thoughtSignature")
    return fragments(part["text"], frozenset()) if part["text"] else []


# --- errors ----------------------------------------------------------------------------------------------------------


def error_body(error: ScriptError) -> dict[str, Json]:
    """The error body: google.rpc.Status, with the time to wait as a ``RetryInfo`` after the quota that was used up."""
    status: dict[str, Json] = {
        "code": STATUS[error.kind],
        "message": error.message,
        "status": STATUS_WORDS[error.kind],
    }
    if error.retry_after is not None:
        status["details"] = [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "RequestsPerMinute"}]},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{error.retry_after}s"},
        ]
    return {"error": status}
