"""Ollama's native API: the card."""

from __future__ import annotations

from conformance.capabilities import CAPABILITIES, OWN_WORDS, SWITCHED_ON
from conformance.wires.answer_layout import TEXT, AnswerLayout, has
from conformance.wires.card import ApiKey, Card, Forms, Marks, Takes
from conformance.wires.openai_chat.card import CHAT_VOLATILE
from conformance.wires.volatile import Volatile

CARD = Card(
    id="ollama",
    title="Ollama",
    format="ollama",
    provider="ollama",
    family="ollama",
    base_url="http://localhost:11434",
    own_hosts=None,
    any_base=False,
    paths=(r"/api/chat",),
    path_ends=(r"/api/chat",),
    key=ApiKey(()),
    url_variable="OLLAMA_HOST",
    sdk="ollama",
    address_rule="ollama.http.endpoint",
    own_headers=(),
    version_header=None,
    model="qwen3:8b",
    capabilities=frozenset(
        CAPABILITIES.keys() - {"tool_choice", "parallel_switch", "strict", "server_tools", "refusal"} - SWITCHED_ON
        - OWN_WORDS
    ),
    # ``finish_stop`` changes nothing here: the done reason beside calls is always ``stop``.
    quirks=frozenset({
        "missing_ids", "unknown_fields", "arguments_object", "arguments_missing", "calls_in_many_chunks",
        "content_missing", "finish_stop", "calls_at_the_end",
    }),
    elsewhere={
        "calls_at_the_end": "of some models, no recording shows it https://github.com/QuantumNous/new-api/issues/7252",
        "arguments_object": "hosts that imitate it send JSON text https://github.com/ollama/ollama-python/issues/484",
        "arguments_missing": "hosts that imitate it send none https://github.com/ollama/ollama-python/issues/484",
        "content_missing": "Ollama's server always sends it, \"\" beside calls",
    },
    framings=("ndjson",),
    framing_by_query=None,
    chunks_are_responses=True,
    stream_liberties=frozenset(),
    ends=dict.fromkeys(
        ("load", "unload"),
        "ollama/ollama docs/api.md, 2026-11-26: a request without messages loads or unloads a model",
    ),
    id_pattern=None,
    schemas=True,
    error_words={},
    error_status=None,
    # The server finds results by their order and tool_name, and its own Python client knows no ids.
    volatile=CHAT_VOLATILE | Volatile(
        ("/messages/*/tool_calls/*/id", "/messages/*/tool_call_id", "/messages/*/tool_calls/*/function/index"),
        defaults=(
            ("/messages/*/content", ""),
            ("/messages/*/content", None),
            ("/tools", []),
            ("/tools/*/function/parameters/type", "object"),
        ),
    ),
    apart=True,
    marks=Marks(),
    answer=AnswerLayout(
        "/done_reason", frozenset({"stop"}), ("/eval_count",), has(error=TEXT), cut=frozenset({"length"}), ids=False
    ),
    forms=Forms(
        conversation="messages",
        replayed="message",
        replay_role=None,
        arguments="object",
        stream_in="body",
        calls_in_stream="fragments",
        url_safe_base64=False,
        typed_images=False,
        own_schema_language=False,
        doubles=False,
        tools_elsewhere=False,
        tools_beside_history=False,
        strictness=None,
        thinks_unasked="aloud",  # as the model's default is: docs.ollama.com/capabilities/thinking, 2026-11-23
        answer_schemas=("/format",),
        json_switch=("/format", "json"),
        honest_stop=False,
    ),
    takes=Takes(
        empty_tools=True,
        tool_types=(),
        untyped=False,
        choice_words={},
        flat_choice=False,
        modes_without_tools=(),
        choice_without_tools=True,  # its server knows no such keys
        results_by_name=False,
        empty_schemas=True,
        calls_passed_over=False,
        object_arguments=False,
        null_results=False,
    ),
)  # fmt: skip
