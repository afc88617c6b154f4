"""Rules for what only some providers of the chat format do."""

from __future__ import annotations

TOPICS = (
    "azure_and_xai",
    "deepseek",
    "mistral",
    "gemini_openai",
    "alibaba",
    "reasoning_details",
    "taken",
)
"""The pairs of words (``.yaml``) and checks (``.py``), in the order in which their rules are listed."""
