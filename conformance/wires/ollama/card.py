"""Ollama's native API: the card."""

from __future__ import annotations

from conformance.capabilities import CAPABILITIES
from conformance.wires.card import Card, Forms, Key
from conformance.wires.openai_chat.card import CHAT_VOLATILE
from conformance.wires.volatile import Volatile

CARD = Card(
    id="ollama",
    title="Ollama",
    base_url="http://localhost:11434",
    own_hosts=None,
    paths=(r"/api/chat",),
    path_ends=(r"/api/chat",),
    key=Key(()),
    model="qwen3:8b",
    url_variable="OLLAMA_HOST",
    capabilities=frozenset(
        CAPABILITIES.keys() - {"tool_choice", "parallel_switch", "strict", "server_tools", "refusal"}
    ),
    # ``finish_stop`` changes nothing here: the done reason beside calls is always ``stop``.
    quirks=frozenset({
        "missing_ids", "unknown_fields", "arguments_object", "arguments_missing", "calls_in_many_chunks",
        "content_missing", "finish_stop",
    }),
    framings=("ndjson",),
    chunks_are_responses=True,
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
    forms=Forms(replayed="message", arguments="object", typed_images=False),
)  # fmt: skip
