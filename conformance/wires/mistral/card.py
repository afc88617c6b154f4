"""Mistral: the card."""

from __future__ import annotations

from dataclasses import replace

from conformance.wires.card import Forms, Key, Takes
from conformance.wires.openai_chat.card import CARD as OPENAI
from conformance.wires.openai_chat.card import CHAT_CAPABILITIES

CARD = replace(
    OPENAI,
    id="mistral",
    title="Mistral",
    base_url="https://api.mistral.ai/v1",
    own_hosts=r"api\.mistral\.ai",
    paths=(),
    key=Key(("MISTRAL_API_KEY",)),
    model="mistral-small-latest",
    version_header=None,
    quirks=frozenset({
        "arguments_object", "content_empty", "content_missing", "missing_ids", "missing_index", "null_id_text",
        "unknown_fields",
    }),
    capabilities=CHAT_CAPABILITIES - {"refusal"},
    error_words={404: {"type": "invalid_model", "code": "1500"}},
    stream_liberties=frozenset({"missing_index"}),
    forms=Forms(calls_in_stream="together"),
    takes=Takes(
        untyped=True, choice_words={"any": "required"}, auto_without_tools=True, object_arguments=True,
        null_results=True,
    ),
)  # fmt: skip
