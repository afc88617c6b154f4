"""What a provider that speaks "OpenAI-compatible" chat does differently. The defaults are OpenAI itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Literal

from conformance.model import Conversation, Json, compact_json
from conformance.script import STATUS, ErrorKind, ScriptError, ScriptTurn
from conformance.wires.base import WireSettings
from conformance.wires.card import Card
from conformance.wires.host_file import HostError, Place, changed


def _error(kind: str, code: str | None = None) -> str:
    return compact_json({"error": {"message": "$message", "type": kind, "param": None, "code": code}})


ERRORS: Mapping[ErrorKind, str] = {
    "invalid_request": _error("invalid_request_error"),
    "authentication": _error("invalid_request_error", "invalid_api_key"),
    "rate_limit": _error("requests", "rate_limit_exceeded"),
    "server": _error("server_error"),
    "overloaded": _error("server_error"),
}
"""OpenAI's error bodies: OpenAPI ``ErrorResponse``. A rate limit's type says what ran out."""


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """What is done to each part of a blocking body at ``at``, a pointer in which ``*`` takes every element of a list.

    ``add`` is JSON text: members that are added where there are none of that name; ``"$place"`` stands for the part's
    place in its list. ``calls`` limits it to turns that have calls.
    """

    at: str
    add: str = "{}"
    remove: tuple[str, ...] = ()
    calls: bool = False

    def apply(self, body: Json, turn: ScriptTurn) -> None:
        """Change a body."""
        if self.calls and not turn.calls:
            return
        for place, part in _parts(body, self.at.split("/")[1:]):
            for name in self.remove:
                part.pop(name, None)
            for name, value in json.loads(self.add).items():
                part.setdefault(name, place if value == "$place" else value)


def _parts(value: Json, words: Sequence[str], place: int = 0) -> Iterator[tuple[int, dict[str, Json]]]:
    if not words:
        yield place, value
    elif words[0] == "*":
        for number, inner in enumerate(value or ()):
            yield from _parts(inner, words[1:], number)
    else:
        yield from _parts(value.get(words[0]), words[1:], place)


@dataclass(frozen=True, slots=True)
class Deviations:
    """One compatible provider, as its differences from OpenAI's chat completions."""

    card: Card
    path: str = "/chat/completions"
    """What follows the base URL; ``{model}`` stands for the model's name."""

    # --- requests
    model_in_body: bool = True
    max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    stream_options: bool = True
    """Whether usage in streams is asked for with ``stream_options``."""
    parameters_required: bool = False
    """Whether a tool without parameters must still declare an empty object."""
    thinking: str = ""
    no_thinking: str = ""
    """What a request must say so that the model thinks, or does not, as JSON text. Whoever forces a call does without
    thinking where this is said."""
    images: bool = True
    """Whether the image of a tool result may follow in a user message."""
    after_results: str | None = None
    """What the assistant must say between tool results and a user message, if the provider wants it to speak there."""

    # --- ids: what the provider takes, and the shape of its own
    id_pattern: re.Pattern[str] = re.compile(r".{1,64}", re.DOTALL)
    id_length: int = 24
    id_prefix: str = "call_"

    # --- messages, both ways
    no_content: Json = None
    """The content of a message that holds calls and no text."""
    refusal_field: bool = True
    """Whether messages have ``refusal``; otherwise a refusal is a filtered answer."""
    reasoning_field: str | None = None
    """The message field that carries the model's thinking."""
    reasoning_replayed: bool = False
    """Whether thinking must be sent back: with turns that have calls even when there was none."""

    # --- responses
    finish_on_last_delta: bool = False
    """Whether the finish reason stands on the last chunk that says something, not on one of its own."""
    finish_null: bool = True
    """Whether the chunks before carry ``finish_reason: null``."""
    usage_chunk: bool = True
    """Whether usage comes in a chunk without choices, not beside the finish reason."""
    usage_null: bool = False
    """Whether the chunks before the one with usage carry ``usage: null``."""
    padding: str = ""
    """The member of each chunk that holds letters to hide how long its text is, if there is one."""
    opening: str = "{}"
    """What else stands in the delta with the role, as JSON text."""
    first_chunk: str = ""
    """A chunk that comes before all others, as JSON text."""
    edits: tuple[DocumentEdit, ...] = ()
    """A last touch on the blocking body; streams follow it."""
    errors: Mapping[ErrorKind, str] = field(default_factory=lambda: ERRORS)
    """The body of each kind of error, as JSON text with ``"$message"`` in it."""

    @property
    def endpoint(self) -> str:
        """The URL of a call."""
        return self.card.base_url + self.path

    def error_body(self, error: ScriptError) -> Json:
        """The body that reports an error."""
        return _with_message(json.loads(self.errors[error.kind]), error.message)

    def more_fields(self, conversation: Conversation) -> Mapping[str, Json]:
        """Fields of the provider's own that a request needs."""
        thinks = conversation.reasoning and conversation.choice.mode in ("auto", "none")
        fields: Mapping[str, Json] = json.loads((self.thinking if thinks else self.no_thinking) or "{}")
        return fields

    def changed(self, card: Card, settings: WireSettings) -> Deviations:
        """Those of a relative: its own settings beside these. Raises `HostError` for a wrong setting."""
        made = ((place, _settings(place, table)) for place, table in settings)
        return changed(replace(self, card=card), made)


def _with_message(template: Json, message: str) -> Json:
    if isinstance(template, dict):
        return {name: _with_message(value, message) for name, value in template.items()}
    return message if template == "$message" else template


TEMPLATES = frozenset({"thinking", "no_thinking", "first_chunk", "opening", "add"})
"""Settings that are JSON text."""


def _settings(place: Place, table: Mapping[str, Json]) -> Mapping[str, Json]:
    return {name: _made(place, name, value) for name, value in table.items()}


def _made(place: Place, name: str, value: Json) -> Json:
    """A setting as it is kept: edits of tables, and JSON text that can be read."""
    if name == "edits" and isinstance(value, list):
        return [_edit(place, one) for one in value]
    if name == "errors" and isinstance(value, dict):
        place.only(value, STATUS)
    texts = value.values() if name == "errors" and isinstance(value, dict) else [value] if name in TEMPLATES else []
    for text in texts:
        _check_json(place, name, text)
    return value


def _edit(place: Place, table: Json) -> DocumentEdit:
    if not isinstance(table, dict):
        raise HostError(place, f"edits has {table!r}: each must be a table")
    place.only(table, [one.name for one in fields(DocumentEdit)])
    _check_json(place, "add", table.get("add", "{}"))
    remove = place.texts(table, "remove", ())
    if "at" not in table:
        raise HostError(place, "at is missing: say which part of the body is meant, or '' for the whole")
    return DocumentEdit(place.text(table, "at", ""), table.get("add", "{}"), remove, table.get("calls") is True)


def _check_json(place: Place, name: str, text: Json) -> None:
    try:
        if isinstance(json.loads(text), dict):
            return
    except (TypeError, ValueError):
        pass
    raise HostError(place, f"{name} is {text!r}: it must be the text of a JSON object")
