"""Rules for every wire."""

from __future__ import annotations

TOPICS = (
    "declare",
    "keywords",
    "argument_values",
    "argument_text",
    "turn",
    "ids",
    "result",
    "unanswered",
    "result_values",
    "result_texts",
    "history",
    "stream",
    "accumulated",
    "stream_end",
    "naming",
    "contract",
    "kept_in_history",
    "own_words",
    "kept_in_answers",
    "kept_in_requests",
    "sent_once",
    "state",
    "news",
    "relations",
    "at_any_time",
    "settings",
    "output",
    "key",
    "prefix",
    "seals",
    "text_tools",
    "provider_kinds",
)
"""The pairs of words (``.yaml``) and checks (``.py``), in the order in which their rules are listed."""
