"""What a format allows a client to send with results, and our own client does not send.

A server must take these forms, too. They are edits of a request that is right, by provider: a table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from conformance.http import Request
from conformance.model import Json
from conformance.wires.facts import obj

MessageEdit = Callable[[dict[str, Json]], object]
"""Changes one tool message of a request, in place."""


def _as_text(message: dict[str, Json]) -> None:
    message["content"] = "".join(str(obj(block).get("text", "")) for block in message["content"])


def _without_id(message: dict[str, Json]) -> None:
    message.pop("tool_call_id", None)


def _as_text_without_id(message: dict[str, Json]) -> None:
    _as_text(message)
    _without_id(message)


RESULT_FORMS: Mapping[str, Mapping[str, MessageEdit]] = {
    "unified": {
        "results as text": _as_text,
        "results in order, without ids": _without_id,
        "results as text, in order, without ids": _as_text_without_id,
    },
}
"""By provider and by name. The unified API: ``docs/unified.md`` §3 (content is blocks or text), §6 (a tool message
without ``tool_call_id`` is accepted)."""


def in_other_forms(provider: str, request: Request) -> dict[str, Request]:
    """A request with results, by the name of the form that they have now."""
    return {name: _edited(request, edit) for name, edit in RESULT_FORMS.get(provider, {}).items()}


def _edited(request: Request, edit: MessageEdit) -> Request:
    document = json.loads(request.body)
    for message in document["input"]:
        if message.get("role") == "tool":
            edit(message)
    return Request.post_json(request.url, document, request.headers)
