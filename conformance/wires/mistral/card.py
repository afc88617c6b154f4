"""Mistral: the card."""

from __future__ import annotations

from conformance.wires.card import Card, Forms, Key, Marks, Takes
from conformance.wires.openai_chat.card import CHAT_CAPABILITIES, CHAT_VOLATILE

CARD = Card(
    id="mistral",
    title="Mistral",
    format="openai-chat",
    base_url="https://api.mistral.ai/v1",
    own_hosts=r"api\.mistral\.ai",
    any_base=True,
    paths=(),
    path_ends=(r"/chat/completions",),
    key=Key(("MISTRAL_API_KEY",)),
    url_variable=None,
    own_headers=(),
    version_header=None,
    model="mistral-small-latest",
    capabilities=CHAT_CAPABILITIES - {"refusal"},
    quirks=frozenset({
        "arguments_object", "content_empty", "content_missing", "missing_ids", "missing_index", "null_id_text",
        "unknown_fields",
    }),
    framings=("sse",),
    framing_by_query=None,
    chunks_are_responses=False,
    stream_liberties=frozenset({"missing_index"}),
    id_pattern=None,
    schemas=True,
    error_words={404: {"type": "invalid_model", "code": "1500"}},
    error_status=None,
    volatile=CHAT_VOLATILE,
    apart=False,
    marks=Marks(),
    forms=Forms(
        conversation="messages",
        replayed="choices/*/message",
        replay_role=None,
        arguments="text",
        stream_in="body",
        calls_in_stream="together",
        url_safe_base64=False,
        typed_images=True,
        own_schema_language=False,
        doubles=False,
        tools_elsewhere=False,
        honest_stop=False,
    ),
    takes=Takes(
        empty_tools=True,
        tool_types=(),
        untyped=True,
        choice_words={"any": "required"},
        flat_choice=False,
        auto_without_tools=True,
        empty_schemas=True,
        calls_passed_over=False,
        object_arguments=True,
        null_results=True,
    ),
)  # fmt: skip
