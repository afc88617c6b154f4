"""Rules for the gateway's own API."""

from __future__ import annotations

TOPICS = (
    "correlation",
    "decisions",
    "items",
    "stream",
)
"""The pairs of words (``.yaml``) and checks (``.py``), in the order in which their rules are listed."""
