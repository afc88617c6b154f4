"""What a provider that speaks "OpenAI-compatible" chat does differently. The defaults are OpenAI itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Literal, get_args

from conformance.http import StreamEvent
from conformance.model import Conversation, Json, compact_json
from conformance.script import ErrorKind, ScriptError, ScriptTurn
from conformance.wires.card import Card
from conformance.wires.facts import items, obj
from conformance.wires.host_file import (
    HostError,
    HostSettings,
    Place,
    changed,
    check_errors,
    check_json_object,
    with_message,
)


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


ChunkWhen = Literal["every", "role", "finish", "usage", "call", "more"]
"""Which chunks are meant: all; the one with the role, with the finish reason, with usage. Or which fragments of calls:
the first of each, that names it, or those after it."""


@dataclass(frozen=True, slots=True)
class ChunkEdit:
    """What is done to each part of a stream's chunks at ``at``, a pointer in which ``*`` takes every element of a list.

    ``set`` is JSON text: members that have these values, whatever was there; objects are merged. ``"$finish"`` in it
    stands for the finish reason. ``add`` has members for where there are none of that name. ``remove`` names members
    that are left out.
    """

    at: str
    when: ChunkWhen = "every"
    set: str = "{}"
    add: str = "{}"
    remove: tuple[str, ...] = ()

    def apply(self, chunk: dict[str, Json], finish: Json) -> None:
        """Change a chunk of a stream that ends for the reason ``finish``."""
        if self._is_about(chunk):
            for _, part in _parts(chunk, self.at.split("/")[1:]):
                if self._is_meant(part):
                    added = json.loads(self.add).items()
                    _merge(part, json.loads(self.set), finish)
                    _merge(part, {name: value for name, value in added if name not in part}, finish)
                    for name in self.remove:
                        part.pop(name, None)

    def _is_meant(self, part: Mapping[str, Json]) -> bool:
        names = "name" in part or "name" in obj(part.get("function"))
        return names if self.when == "call" else not names if self.when == "more" else True

    def _is_about(self, chunk: Mapping[str, Json]) -> bool:
        choices = [obj(choice) for _, choice in items(chunk.get("choices"))]
        match self.when:
            case "role":
                return any("role" in obj(choice.get("delta")) for choice in choices)
            case "finish":
                return any(choice.get("finish_reason") is not None for choice in choices)
            case "usage":
                return chunk.get("usage") is not None
        return True


def _merge(part: dict[str, Json], members: Mapping[str, Json], finish: Json) -> None:
    for name, value in members.items():
        if isinstance(value, dict) and isinstance(part.get(name), dict):
            _merge(part[name], value, finish)
        else:
            part[name] = _filled(value, finish)


def _filled(value: Json, finish: Json) -> Json:
    if isinstance(value, dict):
        return {name: _filled(item, finish) for name, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, finish) for item in value]
    return finish if value == "$finish" else value


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
    reasoning_items: str | None = None
    """The message field that carries the thinking as a list of items, beside the text. They go back as they came."""
    reasoning_item: str = "{}"
    """Such an item, as JSON text. ``"$text"`` stands for the text, ``"$signature"`` for what signs it, at the end."""
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
    chunk_edits: tuple[ChunkEdit, ...] = ()
    """A last touch on the chunks of a stream."""
    stream_error: str = ""
    """The chunk with an error inside a stream, as JSON text without the error. Empty: the error's body alone."""
    stream_error_event: str = ""
    """The name of the event that reports it, if it has one."""
    errors: Mapping[ErrorKind, str] = field(default_factory=lambda: ERRORS)
    """The body of each kind of error, as JSON text with ``"$message"`` in it."""

    @property
    def endpoint(self) -> str:
        """The URL of a call."""
        return self.card.base_url + self.path

    def error_body(self, error: ScriptError) -> Json:
        """The body that reports an error."""
        return with_message(json.loads(self.errors[error.kind]), error.message)

    def error_event(self, error: ScriptError) -> StreamEvent:
        """The event that reports an error inside a stream."""
        body = self.error_body(error)
        body = body[0] if isinstance(body, list) else body
        if self.stream_error:
            body = {**json.loads(self.stream_error), "error": obj(body).get("error", body)}
        return StreamEvent(compact_json(body), self.stream_error_event or None)

    def more_fields(self, conversation: Conversation) -> Mapping[str, Json]:
        """Fields of the provider's own that a request needs."""
        thinks = conversation.reasoning and conversation.choice.mode in ("auto", "none")
        fields: Mapping[str, Json] = json.loads((self.thinking if thinks else self.no_thinking) or "{}")
        return fields

    def changed(self, card: Card, settings: HostSettings) -> Deviations:
        """Those of a relative: its own settings beside these. Raises `HostError` for a wrong setting."""
        made = ((place, _settings(place, table)) for place, table in settings)
        return changed(replace(self, card=card), made)


TEMPLATES = frozenset({"thinking", "no_thinking", "first_chunk", "opening", "reasoning_item", "stream_error"})
"""Settings that are JSON text."""


def _settings(place: Place, table: Mapping[str, Json]) -> Mapping[str, Json]:
    return {name: _made(place, name, value) for name, value in table.items()}


def _made(place: Place, name: str, value: Json) -> Json:
    """A setting as it is kept: edits of tables, and JSON text that can be read."""
    if name in EDITS and isinstance(value, list):
        return [_edit(place, name, one) for one in value]
    if name == "errors" and isinstance(value, dict):
        check_errors(place, value)
    if name in TEMPLATES:
        check_json_object(place, name, value)
    return value


EDITS: Mapping[str, type[DocumentEdit] | type[ChunkEdit]] = {"edits": DocumentEdit, "chunk_edits": ChunkEdit}
"""Settings that are lists of edits. ``add`` and ``set`` are JSON text."""


def _edit(place: Place, name: str, table: Json) -> DocumentEdit | ChunkEdit:
    if not isinstance(table, dict):
        raise HostError(place, f"{name} has {table!r}: each must be a table")
    kind = EDITS[name]
    place.only(table, [one.name for one in fields(kind)])
    for text in ("add", "set"):
        check_json_object(place, text, table.get(text, "{}"))
    if "at" not in table:
        raise HostError(place, "at is missing: say which part of the body is meant, or '' for the whole")
    if "when" in table and table["when"] not in get_args(ChunkWhen):
        raise HostError(place, f"when is {table['when']!r}: use one of {', '.join(get_args(ChunkWhen))}")
    made = {**table, "at": place.text(table, "at", ""), "remove": place.texts(table, "remove", ())}
    return kind(**made)
