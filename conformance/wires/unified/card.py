"""The gateway's own API: the card."""

from __future__ import annotations

from conformance.capabilities import CAPABILITIES
from conformance.wires.card import ApiKey, Card, Forms, Marks, Takes
from conformance.wires.volatile import KEYS, Volatile

CARD = Card(
    id="unified",
    title="Unified gateway API",
    format="unified",
    provider="unified",
    family="unified",
    base_url="https://gateway.example/v1",
    own_hosts=None,
    any_base=False,
    paths=(r"(/v1)?/conversations",),
    path_ends=(),
    key=ApiKey(("CONFORMANCE_UNIFIED_API_KEY",)),
    url_variable="CONFORMANCE_UNIFIED_URL",
    sdk=None,
    address_rule=None,
    own_headers=(),
    version_header=None,
    model="default",
    capabilities=frozenset(CAPABILITIES.keys() - {"server_tools", "strict"}),
    quirks=frozenset({
        "missing_ids", "unknown_fields", "interleaved", "split_escapes", "empty_deltas", "content_empty",
        "arguments_object",
    }),
    framings=("sse",),
    framing_by_query=None,
    chunks_are_responses=False,
    stream_liberties=frozenset(),
    id_pattern=None,
    schemas=False,
    error_words={404: {"type": "not_found_error"}},
    error_status="status",
    volatile=KEYS | Volatile(("/metadata",), ("/input/*/tool_calls/*/id", "/input/*/tool_call_id")),
    apart=False,
    marks=Marks(requests=({"input": list, "model": object},), path="/conversations"),
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
        tools_elsewhere=False,
        honest_stop=True,
    ),
    takes=Takes(
        empty_tools=True,
        tool_types=(),
        untyped=False,
        choice_words={},
        flat_choice=False,
        auto_without_tools=False,
        empty_schemas=True,
        calls_passed_over=False,
        object_arguments=False,
        null_results=False,
    ),
)  # fmt: skip
