"""Cohere's chat: the grammar of an event stream.

    stream   START ─message-start▶ OPEN ─content-start▶ CONTENT ─content-end▶ OPEN …
                                   OPEN ─tool-call-start▶ CALL ─tool-call-end▶ OPEN … ─message-end▶ ENDED ─[DONE]▶ DONE
    content  START ─content-start▶ OPEN ─content-delta▶ OPEN … ─content-end▶ CLOSED      calls and citations likewise

Blocks and calls come one after the other. A delta or an end names the one that is open. Calls are numbered from 0;
blocks that follow each other, thinking and text, may all be number 0. Plan deltas have no block. Citations come while a
block is open, and between blocks. ``message-end`` is the last event, and the text ``[DONE]`` follows it; one with
an ``error`` may come at any time. ``debug`` means nothing.

Sources: docs.cohere.com "Streaming for tool use"; cohere 7.3.1 ``cohere.v2.types.V2ChatStreamResponse``,
``cohere.v2.raw_client`` (``[DONE]``); 31 recorded streams, all with ``[DONE]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import StreamEvent
from conformance.model import Json
from conformance.wires.facts import items, obj
from conformance.wires.grammar import START, BodyGrammar, Grammar, GrammarLevel, Look, Looks, Token, named

RULE = "cohere.stream.event-grammar"

_ANYWHERE = ("citation-start", "citation-end", "debug", "another")


def _anywhere(state: str) -> dict[str, str]:
    return dict.fromkeys(_ANYWHERE, state)


STREAM = {
    START: {"message-start": "OPEN", "debug": START, "error": "FAILED"},
    "OPEN": {
        "tool-plan-delta": "OPEN", "content-start": "CONTENT", "tool-call-start": "CALL", "message-end": "ENDED",
        "error": "FAILED", **_anywhere("OPEN"),
    },
    "CONTENT": {"content-delta": "CONTENT", "content-end": "OPEN", "error": "FAILED", **_anywhere("CONTENT")},
    "CALL": {"tool-call-delta": "CALL", "tool-call-end": "OPEN", "error": "FAILED", **_anywhere("CALL")},
    "ENDED": {"[DONE]": "DONE"},
    "DONE": {},
    "FAILED": {"[DONE]": "DONE"},
}  # fmt: skip
_KINDS = frozenset(kind for edges in STREAM.values() for kind in edges)


def _lane(name: str, again: bool) -> Mapping[str, Mapping[str, str]]:
    opening = {f"{name}-start": "OPEN"}
    return {
        START: opening,
        "OPEN": {f"{name}-delta": "OPEN", f"{name}-end": "CLOSED"},
        "CLOSED": opening if again else {},
    }


LANES = {"content": True, "tool-call": False, "citation": True}
"""What begins and ends under an index, and whether an index may come again."""

GRAMMAR = Grammar(
    (
        GrammarLevel("stream", RULE, STREAM, frozenset({"DONE", "FAILED"}), broken=frozenset({"FAILED"})),
        *(
            GrammarLevel(name, RULE, _lane(name, again), frozenset({"CLOSED"}), numbered=not again)
            for name, again in LANES.items()
        ),
    ),
    lambda: speak,
)


def speak(event: StreamEvent, data: Json) -> Iterator[Token]:
    """What an event means for the stream, and for the block, call or citation that it names."""
    fields = obj(data)
    kind = str(fields.get("type"))
    yield Token("stream", (), _kind(event, fields, kind), "/type")
    lane = next((name for name in LANES if kind in (f"{name}-start", f"{name}-delta", f"{name}-end")), None)
    if lane is not None:
        index = fields.get("index")
        yield Token(lane, (index if isinstance(index, int) else -1,), kind, "/index")


def _kind(event: StreamEvent, fields: Mapping[str, Json], kind: str) -> str:
    if not fields:
        return "[DONE]" if event.data.strip() == "[DONE]" else "no event"
    if kind == "message-end" and obj(fields.get("delta")).get("error"):
        return "error"
    return kind if kind in _KINDS else "another"


# --- blocking answers ------------------------------------------------------------------------------------------------


def looks(document: Json) -> Looks:
    """A chat response."""
    message = obj(document).get("message")
    if isinstance(message, str):
        return  # an error's words
    yield Look(isinstance(message, dict), "/message", "an object", message)
    for place, call in items(obj(message).get("tool_calls")):
        at = f"/message/tool_calls/{place}"
        yield from named(obj(call), at, "id")
        function = obj(obj(call).get("function"))
        yield from named(function, f"{at}/function", "name")
        arguments = function.get("arguments", "")
        yield Look(isinstance(arguments, str | None), f"{at}/function/arguments", "JSON text", arguments)


BODY_GRAMMAR = BodyGrammar("cohere.parse.calls-in-message", looks)
