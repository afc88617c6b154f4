"""Rules for Amazon Bedrock's Converse."""

from __future__ import annotations

TOPICS = (
    "declare",
    "history",
    "thinking",
    "result",
    "parts",
    "parse",
    "stream",
    "endpoint",
)
"""The pairs of words (``.yaml``) and checks (``.py``), in the order in which their rules are listed."""
