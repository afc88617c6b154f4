"""OpenAI Responses: the card."""

from __future__ import annotations

from conformance.capabilities import ACCUMULATED, ANTHROPIC_ONLY, CAPABILITIES, SWITCHED_ON
from conformance.wires.answer_layout import OPENAI_ERROR, AnswerLayout
from conformance.wires.card import NOT_RECORDED, ApiKey, Card, Forms, Marks, Takes
from conformance.wires.openai_chat.card import OPENAI_ERROR_WORDS
from conformance.wires.volatile import KEYS, Volatile

CARD = Card(
    id="openai-responses",
    title="OpenAI Responses",
    format="openai-responses",
    provider="openai-responses",
    family="responses",
    base_url="https://api.openai.com/v1",
    own_hosts=r"api\.openai\.com",
    any_base=False,
    paths=(r"(/v1|/openai/v1)?/responses",),
    path_ends=(r"/responses",),
    key=ApiKey(("OPENAI_API_KEY",)),
    url_variable=None,
    sdk="openai-responses",
    address_rule="responses.http.endpoint-and-error",
    own_headers=(),
    version_header="openai-version",
    model="gpt-4.1-mini",
    capabilities=frozenset(CAPABILITIES) - SWITCHED_ON - ANTHROPIC_ONLY - ACCUMULATED,
    # Seen on api.openai.com or on hosts that speak its format.
    quirks=frozenset({
        "hosted_items",
        "interleaved", "no_deltas", "output_empty_at_end", "no_sequence_numbers", "unknown_fields", "arguments_empty",
        "split_escapes", "empty_deltas", "repeated_id", "whole_deltas", "changing_ids",
    }),
    # Of 420 answers with calls that api.openai.com was recorded to send, none shows these. None has ``empty_deltas``
    # either, but users meet them: https://github.com/BerriAI/litellm/issues/40069.
    elsewhere={
        "hosted_items": "OpenAI sends such items to requests that ask for its own tools; none here does",
        "interleaved": NOT_RECORDED, "arguments_empty": NOT_RECORDED,
        "no_deltas": "GitHub Copilot, for calls https://github.com/docker/docker-agent/pull/3825; others, for thinking "
        "https://github.com/langchain-ai/langchain/issues/37625",
        "repeated_id": NOT_RECORDED,
        "changing_ids": "GitHub Copilot (wires/hosts/copilot.toml) https://github.com/NousResearch/hermes-agent/pull/94961",
        "output_empty_at_end": "one backend; OpenAI lists all items in the last event",
    },
    framings=("sse",),
    framing_by_query=None,
    chunks_are_responses=False,
    stream_liberties=frozenset(),
    ends={},
    id_pattern=None,
    schemas=True,
    error_words=OPENAI_ERROR_WORDS,
    error_status=None,
    volatile=KEYS | Volatile(
        ("/user", "/metadata", "/safety_identifier", "/prompt_cache_key", "/idempotency_key"),
        ("/input/*/call_id",),
        defaults=(("/tool_choice", "auto"),),
    ),
    apart=False,
    marks=Marks(answers=({"object": ("response",)}, {"type": ("response.created",)})),
    answer=AnswerLayout(
        "/status", frozenset({"completed"}),
        ("/usage/input_tokens", "/usage/output_tokens", "/usage/total_tokens"), OPENAI_ERROR,
        cut=frozenset({"incomplete"}), summed=True,
    ),
    forms=Forms(
        conversation="input",
        replayed="output/*",
        replay_role=None,
        arguments="text",
        stream_in="body",
        calls_in_stream="fragments",
        url_safe_base64=False,
        typed_images=True,
        own_schema_language=False,
        doubles=False,
        tools_elsewhere=True,
        tools_beside_history=False,
        strictness="tool",
        thinks_unasked="no",
        answer_schemas=("/text/format/schema",),
        json_switch=("/text/format/type", "json_object"),
        honest_stop=False,
    ),
    takes=Takes(
        empty_tools=True,
        tool_types=(),
        untyped=False,
        choice_words={},
        flat_choice=False,
        modes_without_tools=(),
        choice_without_tools=False,
        results_by_name=False,
        empty_schemas=True,
        calls_passed_over=False,
        object_arguments=False,
        null_results=False,
    ),
)  # fmt: skip
