"""The gateway's API: the grammar of an event stream, and what a blocking answer must have.

    stream   START ─message.start▶ OPEN ─text.delta, refusal.delta▶ OPEN … ─message.end▶ DONE
                                   OPEN ─reasoning.delta▶ THINKING ─reasoning.end▶ OPEN
    call     START ─tool_call.start▶ OPEN ─tool_call.delta▶ OPEN … ─tool_call.end▶ CLOSED

Calls are numbered from 0, and their events may alternate. ``error`` may come at any time and ends the stream. Events
that are not known mean nothing. ``type`` in the data repeats the name of the event.

Source: ``docs/unified.md`` §5, §8, §9, §11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import StreamEvent
from conformance.model import Json
from conformance.wires.facts import items, obj
from conformance.wires.grammar import START, BodyGrammar, Grammar, GrammarLevel, Look, Looks, Token, named

RULE = "unified.stream.event-grammar"

STREAM = {
    START: {"message.start": "OPEN", "error": "FAILED", "another": START},
    "OPEN": {
        "text.delta": "OPEN", "refusal.delta": "OPEN", "reasoning.delta": "THINKING", "reasoning.end": "OPEN",
        "call": "OPEN", "message.end": "DONE", "error": "FAILED", "another": "OPEN",
    },
    "THINKING": {
        "reasoning.delta": "THINKING", "reasoning.end": "OPEN", "error": "FAILED", "another": "THINKING",
    },
    "DONE": {},
    "FAILED": {},
}  # fmt: skip

CALL = {
    START: {"start": "OPEN", "start without id": "OPEN"},
    "OPEN": {"delta": "OPEN", "end": "CLOSED"},
    "CLOSED": {},
}
"""Older gateways leave out ids (§11)."""

TEXTS = {"text.delta": "text", "refusal.delta": "text", "reasoning.delta": "text"}
"""The member that must be text, by event."""

GRAMMAR = Grammar(
    (
        GrammarLevel(
            "stream", RULE, STREAM, frozenset({"DONE", "FAILED"}), closes={"message.end": ("call",)},
            broken=frozenset({"FAILED"}),
        ),
        GrammarLevel("call", RULE, CALL, frozenset({"CLOSED"})),
    ),
    lambda: speak,
)  # fmt: skip


def speak(event: StreamEvent, data: Json) -> Iterator[Token]:
    """What an event means for the stream, and for the call that it names."""
    fields = obj(data)
    kind = str(fields.get("type") or event.event)
    part = kind.removeprefix("tool_call.")
    if part == kind or part not in ("start", "delta", "end"):
        yield Token("stream", (), _kind(event, fields, kind), "/type")
        return
    yield Token("stream", (), "call", "/type")
    index = fields.get("index")
    yield Token("call", (index if isinstance(index, int) else -1,), _part(part, fields), "/index")


def _kind(event: StreamEvent, fields: Mapping[str, Json], kind: str) -> str:
    if not fields:
        return "no event"
    if event.event is not None and event.event != kind:
        return "a type that is not the event's name"
    if kind in TEXTS and not isinstance(fields.get(TEXTS[kind]), str):
        return f"{kind} whose {TEXTS[kind]} is no text"
    return kind if kind in STREAM["OPEN"] or kind == "message.start" else "another"


def _part(part: str, fields: Mapping[str, Json]) -> str:
    if part == "start":
        if not fields.get("name") or not isinstance(fields["name"], str):
            return "start whose name is no text"
        return "start" if fields.get("id") else "start without id"
    return part if part == "end" or isinstance(fields.get("args"), str) else "delta whose args are no text"


# --- blocking answers ------------------------------------------------------------------------------------------------


def looks(document: Json) -> Looks:
    """A response: its output, and the calls in its messages."""
    if obj(document).get("error"):
        return
    output = obj(document).get("output")
    yield Look(isinstance(output, list), "/output", "a list", output)
    for place, message in items(output):
        if obj(message).get("type", "message") == "message":
            for number, call in items(obj(message).get("tool_calls")):
                yield from _call(obj(call), f"/output/{place}/tool_calls/{number}")


def _call(call: Mapping[str, Json], at: str) -> Looks:
    """A call of an unknown type means nothing (§11). In the form of OpenAI's Chat it is a call that is lost."""
    if isinstance(call.get("function"), dict) and "name" not in call:
        yield Look(False, at, "name and args in the call itself", call)
        return
    if call.get("type", "tool_call") != "tool_call":
        return
    yield from named(call, at, "name")
    args = call.get("args")
    yield Look(isinstance(args, dict | str), f"{at}/args", "an object, or its JSON text", args)


BODY_GRAMMAR = BodyGrammar("unified.parse.tool-call-args-object", looks)
