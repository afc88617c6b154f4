"""Rules for Chat Completions, of OpenAI and of the providers that are compatible with it."""

from __future__ import annotations

TOPICS = (
    "declare",
    "schemas",
    "strict_words",
    "choose",
    "parse",
    "history",
    "result",
    "images_and_ids",
    "stream_calls",
    "stream_chunks",
    "asking",
    "endpoint",
)
"""The pairs of words (``.yaml``) and checks (``.py``), in the order in which their rules are listed."""
