"""Anthropic Messages: the card.

Sources: platform.claude.com, "Errors" (403 ``permission_error``, 404 ``not_found_error``, 413 ``request_too_large``).
"""

from __future__ import annotations

from conformance.capabilities import CAPABILITIES, OPENAI_ONLY, SWITCHED_ON
from conformance.wires.answer_layout import TEXT, AnswerLayout, has
from conformance.wires.card import ApiKey, Card, Forms, Marks, Takes
from conformance.wires.volatile import KEYS, Volatile

CARD = Card(
    id="anthropic",
    title="Anthropic Messages",
    format="anthropic",
    provider="anthropic",
    family="anthropic",
    base_url="https://api.anthropic.com",
    own_hosts=r"api\.anthropic\.com",
    any_base=False,
    paths=(r"(/v1)?/messages",),
    path_ends=(
        r"/messages",
        r"/publishers/anthropic/models/[^/]+:(streamR|r)awPredict",  # Vertex AI
        r"/model/[^/]*anthropic\.[^/]+/invoke(-with-response-stream)?",  # Bedrock
    ),
    key=ApiKey(("ANTHROPIC_API_KEY",), "x-api-key", ""),
    url_variable=None,
    sdk="anthropic",
    address_rule=None,
    own_headers=("anthropic-version",),
    version_header="anthropic-version",
    model="claude-haiku-4-5",
    capabilities=frozenset(CAPABILITIES) - SWITCHED_ON - OPENAI_ONLY,
    # Seen on api.anthropic.com, except ``repeated_id``, which hosts of its format show. A call without arguments
    # usually streams one empty fragment; with ``arguments_empty`` it streams none. ``no_deltas`` is how calls come
    # that the model makes from inside the code execution tool.
    quirks=frozenset({
        "hosted_items", "sparse_answers", "redacted_thinking",
        "arguments_empty", "no_deltas", "split_escapes", "empty_deltas", "calls_before_text", "finish_stop",
        "repeated_id", "unknown_fields", "counts_grow", "stop_sequence",
    }),
    # Of 486 answers with calls that api.anthropic.com was recorded to send, none shows these.
    elsewhere={
        "hosted_items": "Anthropic sends such blocks to requests that ask for its own tools; none here does",
        "counts_grow": "Anthropic counts so where its own tools ran, for which no request here asks",
        "stop_sequence": "Anthropic ends so if a request names stop sequences; none here does",
        "no_deltas": "Anthropic sends so what is called from inside of code execution, which no request here allows",
        "finish_stop": "hosts of its format; Anthropic says tool_use beside calls",
        "repeated_id": "Kimi's endpoint of this format https://github.com/HKUDS/nanobot/issues/4473",
    },
    framings=("sse",),
    framing_by_query=None,
    chunks_are_responses=False,
    stream_liberties=frozenset(),
    ends={},
    id_pattern=r"[a-zA-Z0-9_-]+",
    schemas=True,
    error_words={
        403: {"type": "permission_error"}, 404: {"type": "not_found_error"}, 413: {"type": "request_too_large"},
        529: {"type": "overloaded_error"},
    },
    error_status=None,
    volatile=KEYS | Volatile(
        ("/metadata",),
        ("/messages/*/content/*/id", "/messages/*/content/*/tool_use_id"),
        defaults=(("/tool_choice", {"type": "auto"}),),
    ),
    apart=False,
    marks=Marks(
        requests=({"anthropic_version": str, "messages": object},),
        answers=({"type": ("message_start",)}, {"type": ("message",), "content": list}),
    ),
    answer=AnswerLayout(
        "/stop_reason", frozenset({"tool_use"}), ("/usage/input_tokens", "/usage/output_tokens"),
        {**has(error=has(type=TEXT, message=TEXT)), "required": ["type", "error"]},
        cut=frozenset({"max_tokens", "model_context_window_exceeded", "refusal", "pause_turn"}),
    ),
    forms=Forms(
        conversation="messages",
        replayed="content",
        replay_role="assistant",
        arguments="object",
        stream_in="body",
        calls_in_stream="fragments",
        url_safe_base64=False,
        typed_images=True,
        own_schema_language=False,
        doubles=False,
        tools_elsewhere=False,
        tools_beside_history=False,
        strictness="tool",
        thinks_unasked="no",
        answer_schemas=("/output_config/format/schema", "/output_format/schema"),
        json_switch=None,
        honest_stop=False,
    ),
    takes=Takes(
        empty_tools=True,
        tool_types=(),
        untyped=False,
        choice_words={},
        flat_choice=False,
        modes_without_tools=("auto", "none"),
        choice_without_tools=False,
        results_by_name=False,
        empty_schemas=True,
        calls_passed_over=False,
        object_arguments=False,
        null_results=False,
    ),
)  # fmt: skip
