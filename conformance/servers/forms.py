"""What answers of each format have, as tables: words for the end, places of counted tokens, the form of errors.

Sources: the official SDKs' types (`conformance/schemas/wires`), docs/unified.md for the unified API, and what the
providers' own hosts were recorded to send, which tests/servers holds them to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.model import Json


@dataclass(frozen=True, slots=True)
class ServerForm:
    """What an answer of a format has.

    ``finish`` is the place of the word for the end. ``calls`` are the words that an answer with calls may have,
    ``forced`` those beside calls that the request forced, ``cut`` those of an answer that was cut or filtered.
    ``usage`` are the places of counted tokens; the last is the sum of the others where ``summed``. ``ids`` says whether
    calls have ids, ``error`` is the schema of an error's body.
    """

    finish: str
    calls: frozenset[str]
    usage: tuple[str, ...]
    error: Mapping[str, Json]
    forced: frozenset[str] = frozenset()
    cut: frozenset[str] = frozenset()
    summed: bool = False
    ids: bool = True


TEXT: Mapping[str, Json] = {"type": "string", "minLength": 1}


def _nested(**fields: Json) -> Mapping[str, Json]:
    """The schema of an error under ``error``."""
    inner = {"type": "object", "required": list(fields), "properties": fields}
    return {"type": "object", "required": ["error"], "properties": {"error": inner}}


OPENAI_ERROR = _nested(message=TEXT, type={"type": ["string", "null"]})

FORMS: Mapping[str, ServerForm] = {
    "openai-chat": ServerForm(
        "/choices/0/finish_reason", frozenset({"tool_calls"}),
        ("/usage/prompt_tokens", "/usage/completion_tokens", "/usage/total_tokens"), OPENAI_ERROR,
        forced=frozenset({"stop"}), cut=frozenset({"length", "content_filter"}), summed=True,
    ),
    "openai-responses": ServerForm(
        "/status", frozenset({"completed"}),
        ("/usage/input_tokens", "/usage/output_tokens", "/usage/total_tokens"), OPENAI_ERROR,
        cut=frozenset({"incomplete"}), summed=True,
    ),
    "anthropic": ServerForm(
        "/stop_reason", frozenset({"tool_use"}), ("/usage/input_tokens", "/usage/output_tokens"),
        {**_nested(type=TEXT, message=TEXT), "required": ["type", "error"]},
        cut=frozenset({"max_tokens", "model_context_window_exceeded", "refusal", "pause_turn"}),
    ),
    "gemini": ServerForm(
        "/candidates/0/finishReason", frozenset({"STOP"}),
        ("/usageMetadata/promptTokenCount", "/usageMetadata/totalTokenCount"),
        _nested(code={"type": "integer"}, message=TEXT, status=TEXT),
        cut=frozenset({"MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "SAFETY"}), ids=False,
    ),
    "ollama": ServerForm(
        "/done_reason", frozenset({"stop"}), ("/eval_count",),
        {"type": "object", "required": ["error"], "properties": {"error": TEXT}},
        cut=frozenset({"length"}), ids=False,
    ),
    "cohere": ServerForm(
        "/finish_reason", frozenset({"TOOL_CALL"}), ("/usage/tokens/input_tokens", "/usage/tokens/output_tokens"),
        {"type": "object", "required": ["message"], "properties": {"message": TEXT}},
        cut=frozenset({"MAX_TOKENS", "ERROR", "TIMEOUT"}),
    ),
    "unified": ServerForm(
        "/stop_reason", frozenset({"tool_calls"}), ("/usage/input_tokens", "/usage/output_tokens"),
        _nested(type=TEXT, message=TEXT, status={"type": "integer"}), cut=frozenset({"length", "refusal", "pause"}),
    ),
}  # fmt: skip
"""By format."""

OWN_ERRORS = frozenset({"openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "cohere", "unified"})
"""The providers whose errors are those of their format. Those of others are read, and not judged by a schema."""
