"""Which models a server says that it has."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.http import Request
from conformance.model import Json, decoded_json
from conformance.servers.asking import ServerLine
from conformance.wires.facts import items, obj

LISTS: Mapping[str, tuple[str, str, str]] = {
    "openai-chat": ("/models", "data", "id"),
    "openai-responses": ("/models", "data", "id"),
    "anthropic": ("/v1/models", "data", "id"),
    "ollama": ("/api/tags", "models", "name"),
}
"""By format: the path after the base URL, the member with the list, and that with the name."""


def listed_model(line: ServerLine) -> str:
    """The first model in the server's own list; empty where there is none."""
    known = LISTS.get(line.server.card.format)
    if known is None:
        return ""
    path, member, name = known
    own = line.server.card
    url = own.base_url.rstrip("/") + path
    answer = line.send("models", Request("GET", url, own.key.placeholder))
    models = items(obj(decoded_json(answer.record.body or b"")).get(member)) if answer.status == 200 else []
    return next((text for _, one in models if (text := _text(obj(one).get(name)))), "")


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
