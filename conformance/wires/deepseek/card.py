"""DeepSeek: the card."""

from __future__ import annotations

from dataclasses import replace

from conformance.wires.card import Key
from conformance.wires.openai_chat.card import CARD as OPENAI
from conformance.wires.openai_chat.card import CHAT_CAPABILITIES

CARD = replace(
    OPENAI,
    id="deepseek",
    title="DeepSeek",
    base_url="https://api.deepseek.com",
    own_hosts=r"api\.deepseek\.com",
    paths=(r"/chat/completions",),
    key=Key(("DEEPSEEK_API_KEY",)),
    model="deepseek-chat",
    version_header=None,
    quirks=frozenset({"content_empty", "split_escapes", "unknown_fields"}),
    capabilities=(CHAT_CAPABILITIES | {"reasoning"}) - {"strict", "parallel_switch", "refusal"},
    error_words={},
    takes=replace(OPENAI.takes, empty_tools=True, tool_types=(), empty_schemas=False),
)
