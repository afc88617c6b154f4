"""Cohere's chat: the card."""

from __future__ import annotations

from conformance.capabilities import CAPABILITIES, OWN_WORDS, SWITCHED_ON
from conformance.wires.answer_layout import TEXT, AnswerLayout, has
from conformance.wires.card import ApiKey, Card, Forms, Marks, Takes
from conformance.wires.volatile import KEYS, Volatile

CARD = Card(
    id="cohere",
    title="Cohere",
    format="cohere",
    provider="cohere",
    family="cohere",
    base_url="https://api.cohere.com",
    own_hosts=r"api\.cohere\.(com|ai)",
    any_base=False,
    paths=(r"/v2/chat",),
    path_ends=(r"/v2/chat",),
    key=ApiKey(("CO_API_KEY", "COHERE_API_KEY")),
    url_variable=None,
    sdk="cohere",
    address_rule="cohere.http.endpoint-and-auth",
    own_headers=(),
    version_header=None,
    model="command-a-03-2025",
    # A forced tool is told as REQUIRED: the format names no tool. There is no refusal since v2.
    capabilities=frozenset(
        CAPABILITIES.keys() - {"parallel_switch", "server_tools", "refusal"} - SWITCHED_ON - OWN_WORDS
    ),
    quirks=frozenset({"unknown_fields", "split_escapes", "content_missing"}),  # content is always missing beside calls
    elsewhere={},
    framings=("sse",),
    framing_by_query=None,
    chunks_are_responses=False,
    stream_liberties=frozenset(),
    ends=dict.fromkeys(
        ("COMPLETE", "STOP_SEQUENCE", "MAX_TOKENS", "TOOL_CALL", "ERROR", "TIMEOUT"),
        "cohere 7.3.1 cohere.types.ChatFinishReason, which takes any other word, too",
    ),
    id_pattern=None,
    schemas=True,
    error_words={},
    error_status=None,
    volatile=KEYS | Volatile(
        ids=("/messages/*/tool_calls/*/id", "/messages/*/tool_call_id"),
        defaults=(("/strict_tools", False), ("/stream", False)),
    ),
    apart=False,
    marks=Marks(
        answers=(
            {"type": ("message-start",)},
            {"finish_reason": ("COMPLETE", "TOOL_CALL", "MAX_TOKENS", "STOP_SEQUENCE"), "message": dict},
        ),
    ),
    answer=AnswerLayout(
        "/finish_reason", frozenset({"TOOL_CALL"}), ("/usage/tokens/input_tokens", "/usage/tokens/output_tokens"),
        has(message=TEXT), cut=frozenset({"MAX_TOKENS", "ERROR", "TIMEOUT"}),
    ),
    forms=Forms(
        conversation="messages",
        replayed="message",
        replay_role=None,
        arguments="text",
        stream_in="body",
        calls_in_stream="fragments",
        url_safe_base64=False,
        typed_images=True,
        own_schema_language=False,
        doubles=False,
        tools_elsewhere=False,
        tools_beside_history=False,
        strictness="request",
        thinks_unasked="aloud",  # "Reasoning is enabled by default", docs.cohere.com, chat v2, 2026-11-23
        answer_schemas=("/response_format/json_schema", "/response_format/schema"),
        json_switch=("/response_format/type", "json_object"),
        honest_stop=True,  # all 35 recorded answers with calls that did not fail say TOOL_CALL
    ),
    takes=Takes(
        empty_tools=True,
        tool_types=(),
        untyped=False,
        choice_words={},
        flat_choice=False,
        modes_without_tools=(),
        choice_without_tools=True,  # but REQUIRED: cohere.choose.required-with-tools
        results_by_name=False,
        empty_schemas=True,
        calls_passed_over=False,
        object_arguments=False,
        null_results=False,
    ),
)  # fmt: skip
