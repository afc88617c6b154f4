"""Ollama: the grammar of a stream of lines.

    stream   START ─line▶ OPEN ─line▶ OPEN … ─last▶ DONE

Every line is an object with a ``message`` and ``done``; the last one, and only that one, says ``done: true``. A failure
is a line ``{"error": "text"}``, and the last one too.

Sources: ollama/ollama ``docs/api.md`` and ``api/types.go`` (``ChatResponse``); 46 recorded streams.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import StreamEvent
from conformance.model import Json
from conformance.wires.facts import items, obj
from conformance.wires.grammar import START, BodyGrammar, Grammar, GrammarLevel, Look, Looks, Token, named

RULE = "ollama.stream.ndjson"

STREAM = {
    START: {"line": "OPEN", "last": "DONE", "error": "FAILED"},
    "OPEN": {"line": "OPEN", "last": "DONE", "error": "FAILED"},
    "DONE": {},
    "FAILED": {},
}

GRAMMAR = Grammar((GrammarLevel("stream", RULE, STREAM, frozenset({"DONE", "FAILED"})),), lambda: speak)


def speak(event: StreamEvent, data: Json) -> Iterator[Token]:
    """What a line means."""
    yield Token("stream", (), _kind(obj(data)))


def _kind(line: Mapping[str, Json]) -> str:
    if line.get("error"):
        return "error" if isinstance(line["error"], str) else "an error that is no text"
    if not isinstance(line.get("message"), dict):
        return "a line without message"
    return "last" if line.get("done") is True else "line"


# --- blocking answers ------------------------------------------------------------------------------------------------


def looks(document: Json) -> Looks:
    """A chat response."""
    message = obj(document).get("message")
    if obj(document).get("error"):
        return
    yield Look(isinstance(message, dict), "/message", "an object", message)
    for place, call in items(obj(message).get("tool_calls")):
        function, at = obj(obj(call).get("function")), f"/message/tool_calls/{place}/function"
        yield from named(function, at, "name")
        arguments = function.get("arguments", {})
        yield Look(isinstance(arguments, dict | None), f"{at}/arguments", "an object", arguments, True)


BODY_GRAMMAR = BodyGrammar("ollama.parse.arguments-object", looks)
