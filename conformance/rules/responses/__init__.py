"""Rules for OpenAI's Responses."""

from __future__ import annotations

TOPICS = (
    "declare",
    "strict_words",
    "choose",
    "parse",
    "reasoning",
    "history",
    "result",
    "custom_outputs",
    "items",
    "kinds",
    "stream_events",
    "stream_items",
    "endpoint",
)
"""The pairs of words (``.yaml``) and checks (``.py``), in the order in which their rules are listed."""
