"""xAI: the card. Its error codes are the descriptions of gRPC statuses."""

from __future__ import annotations

from dataclasses import replace

from conformance.wires.card import Key
from conformance.wires.openai_chat.card import CARD as OPENAI
from conformance.wires.openai_chat.card import CHAT_CAPABILITIES

CARD = replace(
    OPENAI,
    id="xai",
    title="xAI",
    base_url="https://api.x.ai/v1",
    own_hosts=r"api\.x\.ai",
    paths=(),
    key=Key(("XAI_API_KEY",)),
    model="grok-3-mini",
    version_header=None,
    quirks=frozenset({"calls_in_many_chunks", "content_empty", "unknown_fields", "usage_only_at_end"}),
    capabilities=CHAT_CAPABILITIES - {"strict", "refusal"},
    error_words={404: {"code": "Some requested entity was not found"}},
    forms=replace(OPENAI.forms, calls_in_stream="whole"),
    # Its error for any other type says "expected `function` or `live_search`".
    takes=replace(OPENAI.takes, empty_tools=True, tool_types=("live_search",), flat_choice=True),
)
