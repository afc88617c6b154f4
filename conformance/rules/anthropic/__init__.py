"""Rules for Anthropic's Messages."""

from __future__ import annotations

TOPICS = (
    "declare",
    "strictness",
    "strict_words",
    "choose",
    "parse",
    "replay",
    "own_blocks",
    "searches",
    "history",
    "servers",
    "cache",
    "result",
    "empty_text",
    "images_and_ids",
    "stream_calls",
    "stream_thinking",
    "endpoint",
)
"""The pairs of words (``.yaml``) and checks (``.py``), in the order in which their rules are listed."""
