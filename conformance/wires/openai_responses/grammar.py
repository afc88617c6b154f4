"""Responses: the grammar of an event stream.

    stream    START ─created▶ OPEN ─item▶ OPEN … ─completed | incomplete | failed▶ DONE       error ends it at any point
    item      START ─function_call▶ CALL ─arguments.delta▶ ARGUING … ─arguments.done▶ ARGUED ─done▶ CLOSED
              START ─message▶ MESSAGE ─part▶ MESSAGE … ─done▶ CLOSED
    part      START ─opens▶ OPEN ─adds▶ OPEN … ─said▶ SAID ─closes▶ CLOSED
    count     0, 1, 2 …, where there are sequence numbers at all

Items are numbered by ``output_index`` in the order in which they open, and may be open side by side. Every event of an
item repeats its id. A call's item ends only after its arguments have: with ``incomplete`` they may be cut. A message's
parts, and the summaries of reasoning, are numbered within their item, and end before it does. Items that the provider
runs by itself have events of their own, which are not looked into, and one kind, ``mcp_list_tools``, was seen open when
the response was completed.

Sources: openai/openai-openapi ``ResponseStreamEvent``; 279 recorded streams.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import StreamEvent
from conformance.model import Json
from conformance.wires.facts import items, obj
from conformance.wires.grammar import (
    START,
    BodyGrammar,
    Grammar,
    GrammarLevel,
    GrammarLiberty,
    Look,
    Looks,
    Token,
    named,
)

RULE = "responses.stream.event-grammar"
ENDING_RULE = "responses.stream.terminal-and-error"
COUNT_RULE = "responses.stream.sequence-number"

STREAM = {
    START: {"created": "OPEN", "error": "FAILED"},
    "OPEN": {
        "queued": "OPEN", "in_progress": "OPEN", "keepalive": "OPEN", "item": "OPEN", "another": "OPEN",
        "completed": "DONE", "incomplete": "CUT", "failed": "FAILED", "error": "FAILED",
    },
    "DONE": {},
    "CUT": {},
    "FAILED": {},
}
ITEM = {
    START: {
        "function_call": "CALL", "custom_tool_call": "CUSTOM", "message": "MESSAGE", "reasoning": "MESSAGE",
        "another": "OTHER",
    },
    "CALL": {"arguments.delta": "ARGUING", "arguments.done": "ARGUED", "cut": "CLOSED"},
    "ARGUING": {"arguments.delta": "ARGUING", "arguments.done": "ARGUED", "cut": "CLOSED"},
    "ARGUED": {"done": "CLOSED", "cut": "CLOSED"},
    "CUSTOM": {"input.delta": "CUSTOM", "input.done": "CUSTOM", "done": "CLOSED", "cut": "CLOSED"},
    "MESSAGE": {"part": "MESSAGE", "done": "CLOSED", "cut": "CLOSED"},
    "OTHER": {"own": "OTHER", "part": "OTHER", "done": "CLOSED", "cut": "CLOSED"},
    "CLOSED": {},
}
PART = {
    START: {"opens": "OPEN"},
    "OPEN": {"adds": "OPEN", "annotates": "OPEN", "said": "SAID"},
    "SAID": {"annotates": "SAID", "closes": "CLOSED"},
    "CLOSED": {},
}
COUNT = {
    START: {"first": "COUNTING"},
    "COUNTING": {"next": "COUNTING"},
}  # fmt: skip

_ITEM_EVENTS: Mapping[str, str] = {
    "response.output_item.done": "done",
    "response.function_call_arguments.delta": "arguments.delta",
    "response.function_call_arguments.done": "arguments.done",
    "response.custom_tool_call_input.delta": "input.delta",
    "response.custom_tool_call_input.done": "input.done",
}
_PART_EVENTS: Mapping[str, str] = {
    "response.content_part.added": "opens",
    "response.output_text.delta": "adds",
    "response.output_text.annotation.added": "annotates",
    "response.output_text.done": "said",
    "response.refusal.delta": "adds",
    "response.refusal.done": "said",
    "response.reasoning_text.delta": "adds",
    "response.reasoning_text.done": "said",
    "response.content_part.done": "closes",
    "response.reasoning_summary_part.added": "opens",
    "response.reasoning_summary_text.delta": "adds",
    "response.reasoning_summary_text.done": "said",
    "response.reasoning_summary_part.done": "closes",
}
_STREAM_EVENTS = frozenset({"created", "queued", "in_progress", "completed", "incomplete", "failed"})

LIBERTIES: Mapping[str, tuple[GrammarLiberty, ...]] = {
    # [DONE] as in Chat Completions.
    "done_sentinel": (
        GrammarLiberty("stream", tuple((state, "[DONE]", state) for state in ("DONE", "CUT", "FAILED"))),
    ),
    # No event names: hosts, and what an SDK or a fixture wrote down.
    "no_event_names": tuple(
        GrammarLiberty("stream", ((state, f"{kind} without event name", after),))
        for state, edges in STREAM.items()
        for kind, after in edges.items()
    ),
    # Only the final forms of what is said.
    "no_deltas": (
        GrammarLiberty("item", (("CALL", "done", "CLOSED"), ("ARGUING", "done", "CLOSED"))),
        GrammarLiberty("part", (("OPEN", "closes", "CLOSED"),)),
    ),
    # Ids that change from event to event: hosts, and fixtures of https://github.com/vercel/ai.
    "changing_ids": tuple(
        GrammarLiberty("item", ((state, f"{kind} of another item_id", after),))
        for state, edges in ITEM.items()
        for kind, after in edges.items()
    ),
    # Numbers that do not begin at 0, or leave some out.
    "any_index": (GrammarLiberty("item", any_number=True), GrammarLiberty("part", any_number=True)),
    "number_gaps": (GrammarLiberty("count", ((START, "a gap", "COUNTING"), ("COUNTING", "a gap", "COUNTING"))),),
}
"""What hosts do differently, by the name of the quirk. Who does is in the hosts' files (`conformance.wires.hosts`)."""

_INSIDE = ("item", "part", "summary")

GRAMMAR = Grammar(
    (
        GrammarLevel(
            "stream", ENDING_RULE, STREAM, frozenset({"DONE", "CUT", "FAILED"}),
            closes={"completed": _INSIDE}, broken=frozenset({"CUT", "FAILED"}),
        ),
        GrammarLevel("item", RULE, ITEM, frozenset({"CLOSED", "OTHER"}), closes={"done": ("part", "summary")}),
        GrammarLevel("part", RULE, PART, frozenset({"CLOSED"})),
        GrammarLevel("summary", RULE, PART, frozenset({"CLOSED"})),
        GrammarLevel("count", COUNT_RULE, COUNT, frozenset({"COUNTING"})),
    ),
    lambda: ResponsesSpeaker(),
    LIBERTIES,
)  # fmt: skip


class ResponsesSpeaker:
    """Says what the events of one stream mean. Remembers the items' ids, and how far the count is."""

    def __init__(self) -> None:
        self._ids: dict[int, Json] = {}
        self._count = -1

    def __call__(self, event: StreamEvent, data: Json) -> Iterator[Token]:
        said = obj(data)
        kind = str(said.get("type"))
        yield Token("stream", (), _stream_kind(event, said, kind), "/type" if said else "")
        number = said.get("sequence_number")
        if isinstance(number, int):
            yield Token("count", (), self._counted(number), "/sequence_number")
        index = said.get("output_index")
        if isinstance(index, int) and kind.startswith("response."):
            yield from self._item(index, kind, said)

    def _counted(self, number: int) -> str:
        expected, self._count = self._count + 1, number
        return ("next" if number else "first") if number == expected else "a gap"

    def _item(self, index: int, kind: str, said: Mapping[str, Json]) -> Iterator[Token]:
        item = obj(said.get("item"))
        if kind == "response.output_item.added":
            self._ids[index] = item.get("id")
            opened = str(item.get("type"))
            yield Token("item", (index,), opened if opened in ITEM[START] else "another", "/item/type")
            return
        part = _PART_EVENTS.get(kind)
        word = "part" if part else _ITEM_EVENTS.get(kind, "own")
        if word == "own" and index not in self._ids:
            return  # an event that is yet to be invented
        if word == "done" and item.get("status") == "incomplete":
            word = "cut"
        yield Token("item", (index,), word + self._other_id(index, said, item), "/type")
        if part:
            level = "summary" if "summary" in kind else "part"
            place = said.get("summary_index" if level == "summary" else "content_index")
            yield Token(level, (index, place if isinstance(place, int) else -1), part, "/type")

    def _other_id(self, index: int, said: Mapping[str, Json], item: Mapping[str, Json]) -> str:
        own = item.get("id") if item else said.get("item_id")
        known = self._ids.get(index)
        return "" if own is None or known is None or own == known else " of another item_id"


def _stream_kind(event: StreamEvent, said: Mapping[str, Json], kind: str) -> str:
    if not said:
        return "[DONE]" if event.data.strip() == "[DONE]" else "no event"
    word = kind.removeprefix("response.")
    if isinstance(said.get("output_index"), int) and word != kind:
        word = "item"
    elif word not in _STREAM_EVENTS and kind not in ("error", "keepalive"):
        word = "another"
    if event.event is None:
        return f"{word} without event name"
    return word if event.event == kind else f"{kind} under the event name {event.event}"


# --- blocking answers ------------------------------------------------------------------------------------------------


def looks(document: Json) -> Looks:
    """A response."""
    output = obj(document).get("output")
    if obj(document).get("error"):
        return
    yield Look(isinstance(output, list), "/output", "a list of items", output)
    for place, item in items(output):
        if obj(item).get("type") == "function_call":
            yield from named(item, f"/output/{place}", "call_id", "name")
            arguments = item.get("arguments")
            yield Look(isinstance(arguments, str), f"/output/{place}/arguments", "JSON text", arguments, True)


BODY_GRAMMAR = BodyGrammar("responses.parse.function-call-items", looks)
