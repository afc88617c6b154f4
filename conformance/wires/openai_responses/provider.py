"""OpenAI Responses, provider half: say a scripted turn as a response.

Sources: openai/openai-openapi ``Response`` and ``OutputItem``; openai SDK types ``openai.types.responses``; recorded
traffic of api.openai.com.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.model import TEXT_INPUT, Json
from conformance.script import ScriptCall, ScriptTurn, ServerSearch, Voice
from conformance.wires.base import arguments_text, mint, parse_arguments, signature
from conformance.wires.openai_responses.approvals import KIND, request_item
from conformance.wires.openai_responses.hosted import hosted_items
from conformance.wires.openai_responses.kinds import KINDS

CREATED = 1_760_000_000
NO_TOKENS = {
    "input_tokens": 0,
    "input_tokens_details": {"image_tokens": 0, "text_tokens": 0},
    "output_tokens": 0,
    "output_tokens_details": {"image_tokens": 0, "text_tokens": 0},
    "total_tokens": 0,
}
TOOL_USAGE = {"image_gen": NO_TOKENS, "web_search": {"num_requests": 0}}
"""What tools of the provider's own have used, as api.openai.com tells it where none was."""


def ids(turn: ScriptTurn, voice: Voice) -> list[str | None]:
    """The ``call_id`` of each call, and the ``id`` of what is asked about."""
    same = "repeated_id" in turn.quirks
    return [
        call.id or mint(f"{voice.seed}/mcpr/{place}", 48, "mcpr_")
        if voice.kinds.get(call.tool) == KIND
        else call.id or mint(f"{voice.seed}/{0 if same else place}", 24, "call_")
        for place, call in enumerate(turn.calls)
    ]


def render(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    """The blocking body."""
    body = response(turn, voice)
    return with_unknown(body) if "unknown_fields" in turn.quirks else body


def response(turn: ScriptTurn, voice: Voice) -> dict[str, Json]:
    """The response, without unknown fields."""
    reason = incomplete_reason(turn)
    status = "incomplete" if reason is not None else turn.finish or "completed"
    thinks = turn.reasoning is not None
    return {
        "id": mint(voice.seed, 48, "resp_"),
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "background": False,
        "billing": {"payer": "developer"},
        "completed_at": CREATED + 2 if reason is None else None,
        "error": None,
        "frequency_penalty": 0.0,
        "incomplete_details": {"reason": reason} if reason is not None else None,
        "instructions": None,
        "max_output_tokens": None,
        "max_tool_calls": None,
        "model": voice.model,
        "output": list(_output(turn, voice)),
        "parallel_tool_calls": True,
        "presence_penalty": 0.0,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "prompt_cache_retention": None,
        "reasoning": {
            "context": None,
            "effort": "medium" if thinks else None,
            "mode": "standard",
            "summary": "auto" if thinks else None,
        },
        "safety_identifier": None,
        "service_tier": "default",
        "store": not thinks,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": _usage(turn),
        "user": None,
        "metadata": {},
        "moderation": None,
        "tool_usage": TOOL_USAGE,
    }


def incomplete_reason(turn: ScriptTurn) -> str | None:
    """Why the response is not complete, if it is not: a limit, or a filter that left no refusal of the model's own."""
    if turn.stops_with == "length":
        return turn.finish or "max_output_tokens"
    if turn.stops_with == "refusal" and turn.refusal is None:
        return turn.finish or "content_filter"
    return None


def _usage(turn: ScriptTurn) -> Json:
    sent, received = turn.usage.input_tokens, turn.usage.output_tokens
    return {
        "input_tokens": sent,
        "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 0},
        "output_tokens": received,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sent + received,
    }


# --- items -----------------------------------------------------------------------------------------------------------


def _output(turn: ScriptTurn, voice: Voice) -> Iterator[Json]:
    """The output items, in the order in which the model makes them: the calls come last."""
    if "unknown_fields" in turn.quirks:
        yield {"id": mint(f"{voice.seed}/x", 48, "xu_"), "type": "x_unknown_call", "status": "completed", "input": "?"}
    if turn.reasoning is not None:
        yield _reasoning(turn.reasoning, voice)
    if turn.search is not None:
        yield _search(turn.search, voice)
    if "hosted_items" in turn.quirks:
        yield from hosted_items(voice)
    if turn.text or turn.refusal is not None:
        yield _message(turn, voice)
    for place, (call, call_id) in enumerate(zip(turn.calls, ids(turn, voice), strict=True)):
        yield _call(turn, call, call_id, voice, place)


def _reasoning(text: str, voice: Voice) -> Json:
    return {
        "id": mint(f"{voice.seed}/rs", 48, "rs_"),
        "type": "reasoning",
        "content": [],
        "encrypted_content": signature(voice.seed),
        "summary": [{"type": "summary_text", "text": text}] if text else [],
    }


def _search(search: ServerSearch, voice: Voice) -> Json:
    action = {
        "type": "search",
        "queries": [search.query],
        "query": search.query,
        "sources": [{"type": "url", "url": search.url}],
    }
    return {
        "id": mint(f"{voice.seed}/ws", 48, "ws_"),
        "type": "web_search_call",
        "status": "completed",
        "action": action,
    }


def _message(turn: ScriptTurn, voice: Voice) -> Json:
    content: list[Json] = []
    if turn.text:
        content.append(
            {"type": "output_text", "annotations": _citations(turn), "logprobs": [], "text": turn.text},
        )
    if turn.refusal is not None:
        content.append({"type": "refusal", "refusal": turn.refusal})
    cut = incomplete_reason(turn) is not None and not turn.calls
    phase = {"phase": "commentary" if turn.calls else "final_answer"} if "hosted_items" in turn.quirks else {}
    return {
        "id": mint(f"{voice.seed}/msg", 48, "msg_"),
        "type": "message",
        **phase,
        "status": "incomplete" if cut else "completed",
        "content": content,
        "role": "assistant",
    }


def _citations(turn: ScriptTurn) -> list[Json]:
    if turn.search is None:
        return []
    where = {"start_index": 0, "end_index": len(turn.text)}
    return [{"type": "url_citation", **where, "title": turn.search.title, "url": turn.search.url}]


def _call(turn: ScriptTurn, call: ScriptCall, call_id: str | None, voice: Voice, place: int) -> Json:
    if voice.kinds.get(call.tool) == KIND:
        return request_item(call_id, voice.name(call.tool), call.arguments)
    if (kind := KINDS.get(voice.kinds.get(call.tool, ""))) is not None:
        environment = {"environment": {"type": "local"}} if kind.tool == "shell" else {}
        return {
            "id": mint(f"{voice.seed}/{kind.tool}/{place}", 48, kind.prefix),
            "type": kind.call,
            "status": "completed",
            kind.member: call.arguments,
            "call_id": call_id,
            **environment,
        }
    if call.takes_text:
        return {
            "id": mint(f"{voice.seed}/ctc/{place}", 48, "ctc_"),
            "type": "custom_tool_call",
            "status": "completed",
            "call_id": call_id,
            "input": call.arguments[TEXT_INPUT],
            "name": voice.name(call.tool),
        }
    arguments = arguments_text(call)
    if "arguments_empty" in turn.quirks and not call.arguments and call.raw is None:
        arguments = ""
    broken = not arguments or parse_arguments(arguments)[2]
    cut = incomplete_reason(turn) is not None and place == len(turn.calls) - 1 and broken
    return {
        "id": mint(f"{voice.seed}/fc/{place}", 48, "fc_"),
        "type": "function_call",
        "status": "incomplete" if cut else "completed",
        "arguments": arguments,
        "call_id": call_id,
        "name": voice.name(call.tool),
    }


def with_unknown(value: Json) -> Any:
    """``value`` with a field that no specification knows in every object but ``metadata``, which is the client's."""
    if isinstance(value, dict):
        known = {key: item if key == "metadata" else with_unknown(item) for key, item in value.items()}
        return {**known, "x_unknown": {"nested": [1]}}
    return [with_unknown(item) for item in value] if isinstance(value, list) else value
