"""The gateway's own API: the card."""

from __future__ import annotations

from conformance.capabilities import CAPABILITIES
from conformance.wires.card import Card, Forms, Key, Marks
from conformance.wires.volatile import KEYS, Volatile

CARD = Card(
    id="unified",
    title="Unified gateway API",
    base_url="https://gateway.example/v1",
    own_hosts=None,
    paths=(r"(/v1)?/conversations",),
    path_ends=(),  # OpenAI has a path that ends so, too: the body tells
    key=Key(("CONFORMANCE_UNIFIED_API_KEY",)),
    model="default",
    url_variable="CONFORMANCE_UNIFIED_URL",
    schemas=False,
    capabilities=frozenset(CAPABILITIES.keys() - {"server_tools", "strict"}),
    quirks=frozenset({
        "missing_ids", "unknown_fields", "interleaved", "split_escapes", "empty_deltas", "content_empty",
        "arguments_object",
    }),
    error_words={404: {"type": "not_found_error"}},
    error_status="status",
    volatile=KEYS | Volatile(("/metadata",), ("/input/*/tool_calls/*/id", "/input/*/tool_call_id")),
    marks=Marks(requests=({"input": list, "model": object},), path="/conversations"),
    forms=Forms(conversation="input", replayed="output/*", honest_stop=True),
)  # fmt: skip
