"""Recordings that hold nothing. A recorder that lost the body leaves one, and a test that plays it proves nothing."""

from __future__ import annotations

from conformance.http import Framing, unframe
from conformance.recordings.interaction import Interaction

_FRAMINGS: dict[str, Framing] = {
    "text/event-stream": "sse",
    "application/x-ndjson": "ndjson",
    "application/jsonl": "ndjson",
    "application/vnd.amazon.eventstream": "aws-event-stream",
}
_BODILESS = frozenset({204, 205, 304})
"""Statuses whose answers have no body (RFC 9110, 6.4.1)."""


def why_empty(interaction: Interaction) -> str | None:
    """What is missing in a recorded answer; ``None`` when there is something to play.

    Answers that are empty by the protocol are not; nor are redirects and errors that say so with ``content-length: 0``,
    and bodies that the connection cut off.
    """
    if interaction.ended == "cut" or _bodiless(interaction):
        return None
    if not any(chunk.strip() for chunk in interaction.chunks):
        return "its body is empty"
    framing = _FRAMINGS.get(_header(interaction, "content-type").partition(";")[0].strip().lower())
    if framing is not None:
        events = unframe(interaction.chunks, framing)
        return None if any(event.data.strip() not in ("", "[DONE]") for event in events) else "its stream has no events"
    path = interaction.request.url.partition("?")[0]
    if path.endswith(":streamGenerateContent") and interaction.body.strip() == b"[]":
        return "its stream has no events"
    return None


def _bodiless(interaction: Interaction) -> bool:
    status = interaction.status
    if status in _BODILESS or status < 200 or interaction.request.method.upper() == "HEAD":
        return True
    return status >= 300 and _header(interaction, "content-length").strip() == "0"


def _header(interaction: Interaction, name: str) -> str:
    return next((value for key, value in interaction.headers if key.lower() == name), "")
