"""OpenAI Responses: the card."""

from __future__ import annotations

from conformance.capabilities import CAPABILITIES
from conformance.wires.card import Card, Forms, Key, Marks
from conformance.wires.openai_chat.card import OPENAI_ERROR_WORDS
from conformance.wires.volatile import KEYS, Volatile

CARD = Card(
    id="openai-responses",
    title="OpenAI Responses",
    base_url="https://api.openai.com/v1",
    own_hosts=r"api\.openai\.com",
    paths=(r"(/v1|/openai/v1)?/responses",),
    path_ends=(r"/responses",),
    key=Key(("OPENAI_API_KEY",)),
    model="gpt-4.1-mini",
    capabilities=frozenset(CAPABILITIES),
    # Seen on api.openai.com or on hosts that speak its format.
    quirks=frozenset({
        "interleaved", "no_deltas", "output_empty_at_end", "no_sequence_numbers", "unknown_fields", "arguments_empty",
        "split_escapes", "empty_deltas", "repeated_id",
    }),
    version_header="openai-version",
    error_words=OPENAI_ERROR_WORDS,
    volatile=KEYS | Volatile(
        ("/user", "/metadata", "/safety_identifier", "/prompt_cache_key", "/idempotency_key"),
        ("/input/*/call_id",),
        defaults=(("/tool_choice", "auto"),),
    ),
    marks=Marks(answers=({"object": ("response",)}, {"type": ("response.created",)})),
    forms=Forms(conversation="input", replayed="output/*", tools_elsewhere=True),
)  # fmt: skip
