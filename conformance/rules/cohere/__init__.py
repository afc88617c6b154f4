"""Rules for Cohere's chat, ``/v2/chat``."""

from __future__ import annotations

TOPICS = (
    "declare",
    "history",
    "thinking",
    "result",
    "parse",
    "endpoint",
)
"""The pairs of words (``.yaml``) and checks (``.py``), in the order in which their rules are listed."""
