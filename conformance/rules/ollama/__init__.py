"""Rules for Ollama's native chat."""

from __future__ import annotations

TOPICS = (
    "declare",
    "parse",
    "history",
    "endpoint",
)
"""The pairs of words (``.yaml``) and checks (``.py``), in the order in which their rules are listed."""
