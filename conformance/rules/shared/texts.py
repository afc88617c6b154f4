"""Whether the text that was sent is the text that was meant.

A failed tool's text may be sent inside a JSON object such as ``{"error": ...}``, where it is escaped. So a text is also
looked for in the strings of the JSON that was sent.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from conformance.model import Json, JsonPart, TextPart, ToolResult, compact_json, decoded_json
from conformance.rules.check import same_json


def own_text(result: ToolResult) -> str:
    """A result's own text, without images: these travel, or are summarised, in each provider's way."""
    return "\n".join(_texts(result))


def _texts(result: ToolResult) -> list[str]:
    parts = [part for part in result.content if isinstance(part, TextPart | JsonPart)]
    return [part.text if isinstance(part, TextPart) else compact_json(part.value) for part in parts]


def misplaced(sent: str, meant: ToolResult, texts: Collection[str]) -> bool:
    """Whether ``sent`` is the text of another result than ``meant``. ``texts`` are those of all results of the turn."""
    own = own_text(meant)
    if sent and sent != own and sent in texts:
        return True
    if carries(sent, own) or all(carries(sent, text) for text in _texts(meant)):  # images may stand between
        return False
    return any(carries(sent, text) for text in texts if text and text != own)


def carries(sent: str, text: str) -> bool:
    """Whether ``sent`` says ``text``: as it is, inside JSON, or as other JSON of the same value, after words or not."""
    if text in sent:
        return True
    document, wanted = container(sent), container(text)
    inner = [value for value in _values(document) if isinstance(value, str)]
    if any(text in value for value in inner):
        return True
    if wanted is not None and any(same_json(wanted, container(value)) for value in inner):
        return True  # JSON text in a JSON text: spaces in it say nothing
    said = document or _after_words(sent, text[:1])
    return wanted is not None and any(same_json(wanted, value) for value in _values(said))


def _after_words(sent: str, opening: str) -> Json:
    """The JSON that begins at the first ``opening`` of ``sent``, as after "Error: ". ``None`` if there is none."""
    try:
        return json.JSONDecoder().raw_decode(sent, sent.index(opening))[0]
    except (ValueError, RecursionError):
        return None


def carries_value(sent: str, value: Json) -> bool:
    """Whether a line of ``sent`` begins a JSON document that is ``value`` or holds it."""
    return any(same_json(value, inner) for document in _documents(sent) for inner in _values(document))


def container(text: str) -> Json:
    """The JSON object or array that ``text`` is, or ``None``."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    return decoded_json(text)


def _values(document: Json) -> Iterator[Json]:
    """``document`` and every value in it."""
    pending = [document]
    while pending:
        value = pending.pop()
        yield value
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value


def _documents(text: str) -> Iterator[Json]:
    """Every JSON document that begins at the start of a line of ``text``."""
    decoder, start = json.JSONDecoder(), 0
    while True:
        try:
            document, start = decoder.raw_decode(text, start)
            yield document
        except (ValueError, RecursionError):
            pass
        line_end = text.find("\n", start)
        if line_end < 0:
            return
        start = line_end + 1
