"""Chat Completions, provider half: say a scripted turn as a completion or as chunks.

Sources: openai/openai-openapi ``CreateChatCompletionResponse``, ``CreateChatCompletionStreamResponse``; recorded
traffic of the hosts named in the quirks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import asdict
from itertools import chain
from typing import Any

from conformance.http import StreamEvent
from conformance.model import TEXT_INPUT, Json, Stop, compact_json
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.wires.base import arguments_text, fragments, interleave, mint, signature, without
from conformance.wires.openai_chat.deviations import Deviations

FINISH: Mapping[Stop, str] = {"tool_calls": "tool_calls", "length": "length", "refusal": "content_filter"}
"""Finish reasons; everything else is ``stop``."""
CREATED = 1_760_000_000
NEEDLESS = frozenset({
    "annotations", "refusal", "logprobs", "service_tier", "system_fingerprint", "prompt_tokens_details",
    "completion_tokens_details", "obfuscation",
})  # fmt: skip
"""What api.openai.com did not say in 2023 and 2024, as recorded."""
THOUGHT = "Let me see."
"""What a model thinks where thinking comes as a part of the text (Mistral)."""
IN_EVERY_CHUNK = ("service_tier", "system_fingerprint")
"""Members of the blocking body that each chunk repeats."""


def ids(deviations: Deviations, turn: ScriptTurn, voice: Voice) -> list[str | None]:
    """The id of each call on the wire."""
    if "missing_ids" in turn.quirks or _is_legacy(turn):
        return [None] * len(turn.calls)
    if "empty_ids" in turn.quirks:
        return [""] * len(turn.calls)
    if "null_id_text" in turn.quirks:
        return ["null"] * len(turn.calls)
    same = "repeated_id" in turn.quirks
    return [
        call.id or mint(f"{voice.seed}/{0 if same else place}", deviations.id_length, deviations.id_prefix)
        for place, call in enumerate(turn.calls)
    ]


def render(deviations: Deviations, turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    """The blocking body."""
    message: dict[str, Json] = {"role": "assistant", "content": _content(deviations, turn)}
    if deviations.refusal_field:
        message["refusal"] = turn.refusal
    if deviations.reasoning_field and turn.reasoning is not None:
        message[deviations.reasoning_field] = turn.reasoning
        if deviations.reasoning_items:
            message[deviations.reasoning_items] = [_thought(deviations, turn.reasoning, signature(voice.seed))]
    if turn.calls:
        wire_ids = ids(deviations, turn, voice)
        message["tool_calls"] = [
            _call(turn, call, wire_id, voice) for call, wire_id in zip(turn.calls, wire_ids, strict=True)
        ]
        if _is_legacy(turn):
            message["function_call"] = message.pop("tool_calls")[0]["function"]
        if "content_missing" in turn.quirks and not turn.text:
            del message["content"]
    body: dict[str, Json] = {
        "id": mint(voice.seed, 24, "chatcmpl-"),
        "object": "chat.completion",
        "created": CREATED,
        "model": voice.model,
        "choices": [
            {"index": 0, "message": message, "logprobs": _logprobs(turn), "finish_reason": _finish(deviations, turn)}
        ],
        "usage": _usage(turn),
    }
    for edit in deviations.edits:
        edit.apply(body, turn)
    if "sparse_answers" in turn.quirks:
        body = without(body, _needless(turn))
    return _with_unknown(body) if "unknown_fields" in turn.quirks else body


def _needless(turn: ScriptTurn) -> frozenset[str]:
    """The members that may be absent: a refusal only when nothing was refused."""
    return NEEDLESS if turn.refusal is None else NEEDLESS - {"refusal"}


def _is_legacy(turn: ScriptTurn) -> bool:
    """Whether the call comes in the deprecated field, which has room for one."""
    return "legacy_function_call" in turn.quirks and len(turn.calls) == 1


def _content(deviations: Deviations, turn: ScriptTurn) -> Json:
    if turn.text:
        parts = [_thinking(THOUGHT), {"type": "text", "text": turn.text}]
        return parts if "thinking_parts" in turn.quirks else turn.text
    if turn.calls:
        return "" if "content_empty" in turn.quirks else deviations.no_content
    return None if turn.refusal is not None and deviations.refusal_field else ""


def _logprobs(turn: ScriptTurn) -> Json:
    """The probabilities of the tokens of a text, and of a refusal. Calls have none, as recorded."""
    if not turn.quirks & {"logprobs", "logprobs_in_lumps"}:
        return None
    return {field: _probable(text) for field, text in (("content", turn.text), ("refusal", turn.refusal))}


def _probable(text: str | None) -> Json:
    """Each fragment of a text as a token. ``None`` where nothing is said."""
    pieces = [piece for piece in fragments(text, frozenset()) if piece] if text else []
    tokens = [{"token": piece, "logprob": -0.25 * place, "bytes": list(piece.encode()), "top_logprobs": []}
              for place, piece in enumerate(pieces)]  # fmt: skip
    return tokens or None


def _thinking(text: str) -> Json:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}


def _call(turn: ScriptTurn, call: ScriptCall, wire_id: str | None, voice: Voice) -> Json:
    if call.takes_text:
        custom = {"name": voice.name(call.tool), "input": call.arguments[TEXT_INPUT]}
        return {"id": wire_id, "type": "custom", "custom": custom}
    function: dict[str, Json] = {"name": voice.name(call.tool), "arguments": arguments_text(call)}
    if not call.arguments and call.raw is None:
        _bare_arguments(function, turn.quirks)
    if "arguments_object" in turn.quirks and call.raw is None:
        function["arguments"] = call.arguments or {}
    known = {} if wire_id is None else {"id": wire_id}
    rendered: dict[str, Json] = {**known, "type": "function", "function": function}
    if "signed_calls" in turn.quirks:
        rendered["extra_content"] = {"google": {"thought_signature": signature(f"{voice.seed}/{call.tool}")}}
    return rendered


def _bare_arguments(function: dict[str, Json], quirks: frozenset[str]) -> None:
    if "arguments_empty" in quirks:
        function["arguments"] = ""
    elif "arguments_null" in quirks:
        function["arguments"] = None
    elif "arguments_missing" in quirks:
        del function["arguments"]


def _finish(deviations: Deviations, turn: ScriptTurn) -> str:
    if turn.finish is not None:
        return turn.finish
    if turn.refusal is not None and deviations.refusal_field:
        return "stop"
    if _is_legacy(turn):
        return "function_call"
    reason = FINISH.get(turn.stops_with, "stop")
    return "stop" if reason == "tool_calls" and "finish_stop" in turn.quirks else reason


def _usage(turn: ScriptTurn) -> Json:
    sent, received = asdict(turn.usage).values()
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def _with_unknown(value: Json) -> Any:
    """``value`` with a field that no specification knows in every object, except in arguments."""
    if isinstance(value, dict):
        known = {key: item if key == "arguments" else _with_unknown(item) for key, item in value.items()}
        return {**known, "x_unknown": {"nested": [1]}}
    return [_with_unknown(item) for item in value] if isinstance(value, list) else value


# --- streams ---------------------------------------------------------------------------------------------------------


def render_stream(deviations: Deviations, turn: ScriptTurn, voice: Voice) -> list[StreamEvent]:
    """The chunks, as far as the script lets them come."""
    body = render(deviations, turn, voice)
    head = {"id": body["id"], "object": "chat.completion.chunk", "created": CREATED, "model": voice.model}
    head |= {name: body[name] for name in IN_EVERY_CHUNK if name in body}
    said = enumerate(_chunks(deviations, turn, body))
    chunks = [_padded(deviations, chunk, f"{voice.seed}/{place}") for place, chunk in said]
    chunks = [_edited(deviations, chunk, body["choices"][0]["finish_reason"]) for chunk in chunks]
    if "unknown_fields" in turn.quirks:
        chunks = [_with_unknown(chunk) for chunk in chunks]
    if "sparse_answers" in turn.quirks:
        chunks = [without(chunk, _needless(turn)) for chunk in chunks]
    events = [StreamEvent(compact_json({**head, **chunk})) for chunk in chunks]
    if turn.fails_with is not None:
        return [*events, deviations.error_event(turn.fails_with)]
    return events if turn.cut else [*events, StreamEvent("[DONE]")]


def _padded(deviations: Deviations, chunk: dict[str, Json], seed: str) -> dict[str, Json]:
    return {**chunk, deviations.padding: mint(seed, 6)} if deviations.padding and chunk.get("choices") else chunk


def _edited(deviations: Deviations, chunk: dict[str, Json], finish: Json) -> dict[str, Json]:
    if not deviations.chunk_edits:
        return chunk
    edited: dict[str, Json] = deepcopy(chunk)
    for edit in deviations.chunk_edits:
        edit.apply(edited, finish)
    return edited


def _chunks(deviations: Deviations, turn: ScriptTurn, body: dict[str, Json]) -> Iterator[dict[str, Json]]:
    if deviations.first_chunk:
        yield json.loads(deviations.first_chunk)
    elif "empty_choices" in turn.quirks:
        yield {"choices": []}
    deltas = _deltas(deviations, turn, body["choices"][0]["message"])
    if turn.cut or turn.fails_with:
        yield from (_chunk(deviations, body, delta) for delta in deltas)
        return
    last = deltas.pop() if deviations.finish_on_last_delta else {}
    chunks = [_chunk(deviations, body, delta) for delta in deltas]
    yield from _with_probabilities(turn, chunks, body["choices"][0].get("logprobs"))
    reason = body["choices"][0]["finish_reason"]
    if "no_finish" in turn.quirks and reason in ("stop", "tool_calls"):
        reason = None
    ending = _chunk(deviations, body, last, reason)
    if "choice_without_delta" in turn.quirks:
        yield ending
        ending = _filtered()
    if deviations.usage_chunk or {"empty_choices", "usage_only_at_end"} & turn.quirks:
        yield from (ending, {"choices": [], "usage": body["usage"]})
    else:
        yield {**ending, "usage": body["usage"]}


def _with_probabilities(turn: ScriptTurn, chunks: list[dict[str, Json]], said: Json) -> list[dict[str, Json]]:
    """Chunks with the probabilities of what they say. api.openai.com begins with an empty list where a text follows;
    Bedrock begins with nothing, and says those of several tokens at once (llamastack/llama-stack
    tests/integration/responses/recordings, 1067a6f3… and a423d4ac…)."""
    if said is None:
        return chunks
    lumps = "logprobs_in_lumps" in turn.quirks
    left = {field: list(tokens or []) for field, tokens in said.items()}
    for place, chunk in enumerate(chunks):
        choice = chunk["choices"][0]
        spoken = {field: left[field] for field in left if choice["delta"].get(field)}
        taken = {field: [tokens.pop(0) for _ in tokens[: 2 if lumps else 1]] for field, tokens in spoken.items()}
        begins = place == 0 and not taken and not turn.calls
        if begins and said["content"]:
            taken["content"] = []
        if any(taken.values()) or not lumps:
            choice["logprobs"] = {"content": None, "refusal": None, **taken}
    return chunks


def _filtered() -> dict[str, Json]:
    """What a filter says that runs beside the stream. It stands in a choice, which says nothing else."""
    results = {name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "sexual", "violence")}
    return {"choices": [{"index": 0, "finish_reason": None, "content_filter_results": results}]}


def _chunk(
    deviations: Deviations, body: dict[str, Json], delta: dict[str, Json], reason: str | None = None
) -> dict[str, Json]:
    """One chunk. What stands beside the message of the blocking body stands beside the delta too."""
    choice = {**body["choices"][0], "delta": delta, "finish_reason": reason}
    del choice["message"]
    if choice.get("logprobs") is not None:
        choice["logprobs"] = None
    if reason is None and not deviations.finish_null:
        del choice["finish_reason"]
    return {"choices": [choice], **({"usage": None} if deviations.usage_null else {})}


def _deltas(deviations: Deviations, turn: ScriptTurn, message: Mapping[str, Json]) -> list[dict[str, Json]]:
    """What the turn says, bit by bit. A turn that breaks off lacks the end of its last call, and all that follows."""
    spoken = [
        {field: piece}
        for field in (deviations.reasoning_field, "content", "refusal")
        if field is not None and message.get(field)
        for piece in _in_pieces(message[field])
    ]
    if deviations.reasoning_items and deviations.reasoning_items in message:
        spoken = list(_itemised(deviations, spoken, message[deviations.reasoning_items][-1].get("signature")))
    calls = list(_call_deltas(deviations, turn, message.get("tool_calls") or []))
    if "function_call" in message:
        calls = [{"function_call": piece} for piece in _legacy_pieces(turn, message["function_call"])]
    opening: dict[str, Json] = {"role": "assistant", **json.loads(deviations.opening)}
    if "content" in message:
        opening["content"] = "" if message["content"] else message["content"]
    thought = deviations.reasoning_field
    if thought is not None and message.get(thought) == "":  # DeepSeek: 0xPlaygrounds/rig deepseek/prompt_caching
        opening[thought] = ""
    if "calls_before_text" in turn.quirks:
        deltas = [opening, *_broken_off(turn, calls), *([] if _breaks_off(turn) else spoken)]
        return list(map(_with_nulls, deltas)) if "nulls_in_deltas" in turn.quirks else deltas
    calls = _broken_off(turn, calls)
    if "call_with_role" in turn.quirks and not spoken and calls and "tool_calls" in calls[0]:
        opening |= calls.pop(0)
    if "text_beside_calls" in turn.quirks and spoken and calls:
        calls[0] = {**spoken.pop(), **calls[0]}
    if "role_in_deltas" in turn.quirks:
        return _with_roles([*spoken, *calls]) or [opening]
    deltas = [opening, *spoken, *calls]
    return list(map(_with_nulls, deltas)) if "nulls_in_deltas" in turn.quirks else deltas


def _in_pieces(content: Json) -> Iterator[Json]:
    """A text in pieces. Of parts, as Mistral streams them: thinking in lists, the text as everywhere."""
    if isinstance(content, str):
        yield from fragments(content, frozenset())
        return
    yield from ([_thinking(piece)] for piece in fragments(THOUGHT, frozenset()))
    yield from fragments(content[-1]["text"], frozenset())


def _with_nulls(delta: dict[str, Json]) -> dict[str, Json]:
    """A delta with the members that hosts were seen to fill with null where it does not say them."""
    fragments = [_fragment_with_nulls(fragment) for fragment in delta.get("tool_calls", [])]
    return {"role": None, "content": None, **delta, "tool_calls": fragments or None}


def _fragment_with_nulls(fragment: Mapping[str, Json]) -> dict[str, Json]:
    said = fragment.get("function", {})
    function = {"name": None, **said, "arguments": said.get("arguments") or None}
    return {"id": None, **fragment, **({"function": function} if said else {})}


def _with_roles(said: list[dict[str, Json]]) -> list[dict[str, Json]]:
    return [{"role": "assistant", **delta} for delta in said]


def _thought(deviations: Deviations, text: str, signed: str | None) -> dict[str, Json]:
    """The thinking as an item of a list."""
    known = {"$text": text, "$signature": signed}
    made = {name: known.get(value, value) if isinstance(value, str) else value
            for name, value in json.loads(deviations.reasoning_item).items()}  # fmt: skip
    return {name: value for name, value in made.items() if value is not None}


def _itemised(deviations: Deviations, spoken: list[dict[str, Json]], signed: Json) -> Iterator[dict[str, Json]]:
    """What is said, with the thinking in items, too: one a piece, and the signature in one of its own."""
    field, items = str(deviations.reasoning_field), str(deviations.reasoning_items)
    thoughts = [delta for delta in spoken if field in delta]
    yield from ({**delta, items: [_thought(deviations, delta[field], None)]} for delta in thoughts)
    if signed is not None:
        yield {items: [_thought(deviations, "", signed)]}
    yield from (delta for delta in spoken if field not in delta)


def _breaks_off(turn: ScriptTurn) -> bool:
    return bool(turn.calls) and (turn.cut in ("call", "arguments") or turn.fails_with is not None)


def _broken_off(turn: ScriptTurn, deltas: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """The deltas of the calls without the last one, where the turn breaks off. An error comes after something."""
    if not _breaks_off(turn):
        return deltas
    if turn.cut == "call":
        opened = [place for place, delta in enumerate(deltas) if "id" in delta.get("tool_calls", [{}])[-1]]
        return deltas[: opened[-1] + 1]
    return deltas[: max(len(deltas) - 1, 0 if turn.cut else 1)]


def _call_deltas(deviations: Deviations, turn: ScriptTurn, calls: list[Json]) -> Iterator[dict[str, Json]]:
    lanes = [
        [_numbered(turn, place, piece) for piece in _pieces(deviations, turn, call)] for place, call in enumerate(calls)
    ]
    in_order = interleave(lanes) if "interleaved" in turn.quirks else chain.from_iterable(lanes)
    if deviations.card.forms.calls_in_stream == "together":
        together = list(in_order)
        yield from [{"tool_calls": together}] if together else []
    elif "fragments_together" in turn.quirks and not _breaks_off(turn):
        for lane in lanes:
            yield {"tool_calls": lane[:2]}
            yield from ({"tool_calls": [piece]} for piece in lane[2:])
    else:
        yield from ({"tool_calls": [piece]} for piece in in_order)


def _legacy_pieces(turn: ScriptTurn, function: Mapping[str, Json]) -> Iterator[Json]:
    yield {"name": function["name"], "arguments": ""}
    yield from ({"arguments": piece} for piece in fragments(function["arguments"], turn.quirks))


def _numbered(turn: ScriptTurn, place: int, piece: Mapping[str, Json]) -> Json:
    without = {key: value for key, value in piece.items() if key != "index"}
    if "missing_index" in turn.quirks:
        return without
    return {"index": 0 if "index_zero" in turn.quirks else place, **without}


def _pieces(deviations: Deviations, turn: ScriptTurn, call: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """The fragments of one call. The first names it; what the later ones repeat is the host's habit."""
    if "custom" in call:
        yield {**call, "custom": {**call["custom"], "input": ""}}
        yield from ({"custom": {"input": piece}} for piece in fragments(call["custom"]["input"], turn.quirks) if piece)
        return
    function = call["function"]
    text = function.get("arguments")
    in_fragments = deviations.card.forms.calls_in_stream == "fragments" and "whole_deltas" not in turn.quirks
    if not in_fragments or not isinstance(text, str):
        yield call
        return
    opening = {key: call[key] for key in ("id", "type", "extra_content") if key in call}
    yield {**opening, "function": {"name": function["name"], "arguments": ""}}
    for piece in fragments(text, turn.quirks) if text else []:
        if "id_repeated_in_deltas" in turn.quirks:
            yield {**opening, "function": {"name": function["name"], "arguments": piece}}
        elif "id_emptied_in_deltas" in turn.quirks:
            yield {**opening, "id": "", "function": {"name": None, "arguments": piece}}
        else:
            yield {"function": {"arguments": piece}}
