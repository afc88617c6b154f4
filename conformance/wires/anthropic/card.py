"""Anthropic Messages: the card.

Sources: platform.claude.com, "Errors" (403 ``permission_error``, 404 ``not_found_error``, 413 ``request_too_large``).
"""

from __future__ import annotations

from conformance.capabilities import CAPABILITIES
from conformance.wires.card import Card, Forms, Key, Marks
from conformance.wires.volatile import KEYS, Volatile

CARD = Card(
    id="anthropic",
    title="Anthropic Messages",
    base_url="https://api.anthropic.com",
    own_hosts=r"api\.anthropic\.com",
    paths=(r"(/v1)?/messages",),
    path_ends=(
        r"/messages",
        r"/publishers/anthropic/models/[^/]+:(streamR|r)awPredict",  # Vertex AI
        r"/model/[^/]*anthropic\.[^/]+/invoke(-with-response-stream)?",  # Bedrock
    ),
    key=Key(("ANTHROPIC_API_KEY",), "x-api-key", ""),
    model="claude-haiku-4-5",
    capabilities=frozenset(CAPABILITIES),
    # Seen on api.anthropic.com, except ``repeated_id``, which hosts of its format show. A call without arguments
    # usually streams one empty fragment; with ``arguments_empty`` it streams none. ``no_deltas`` is how calls come
    # that the model makes from inside the code execution tool.
    quirks=frozenset({
        "arguments_empty", "no_deltas", "split_escapes", "empty_deltas", "calls_before_text", "finish_stop",
        "repeated_id", "unknown_fields",
    }),
    own_headers=("anthropic-version",),
    version_header="anthropic-version",
    id_pattern=r"[a-zA-Z0-9_-]+",
    error_words={
        403: {"type": "permission_error"}, 404: {"type": "not_found_error"}, 413: {"type": "request_too_large"},
        529: {"type": "overloaded_error"},
    },
    volatile=KEYS | Volatile(
        ("/metadata",),
        ("/messages/*/content/*/id", "/messages/*/content/*/tool_use_id"),
        defaults=(("/tool_choice", {"type": "auto"}),),
    ),
    marks=Marks(
        requests=({"anthropic_version": str, "messages": object},),
        answers=({"type": ("message_start",)}, {"type": ("message",), "content": list}),
    ),
    forms=Forms(replayed="content", replay_role="assistant", arguments="object"),
)  # fmt: skip
