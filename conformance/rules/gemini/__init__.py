"""Rules for Gemini's generateContent."""

from __future__ import annotations

TOPICS = (
    "declare",
    "choose",
    "json_and_references",
    "parse",
    "ids",
    "result",
    "result_contents",
    "signatures",
    "history",
    "images",
    "stream",
    "endpoint",
)
"""The pairs of words (``.yaml``) and checks (``.py``), in the order in which their rules are listed."""
