"""OpenAI Responses, client half: put a stream's events together.

Source: openai/openai-openapi ``ResponseStreamEvent``. Items are kept apart by ``output_index``: GitHub Copilot gives an
item another id in each event (https://github.com/BerriAI/litellm/issues/30071). A finished item replaces what its
deltas said, and its copy in the terminal event: only the reasoning item of ``response.output_item.done`` is promised to
be fit for replay. Events that repeat what the deltas said are passed over: a finished item says it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from conformance.http import StreamEvent
from conformance.model import Json
from conformance.wires.base import Assembly
from conformance.wires.facts import items, obj
from conformance.wires.openai_responses.approvals import is_request
from conformance.wires.openai_responses.client import failure, function_calls
from conformance.wires.openai_responses.kinds import client_kind

PARTS = {"output_text": "text", "refusal": "refusal"}
"""The content parts whose text comes in deltas, and the field that holds it."""


@dataclass
class Slot:
    """An output item as far as it came: as it began, and what the deltas said since; or, when it is ``done``, whole.

    ``texts`` are by kind and ``content_index``.
    """

    item: dict[str, Json]
    arguments: list[str] = field(default_factory=list)
    texts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    done: bool = False
    thought: bool = False
    """Whether its thinking came in deltas."""

    def current(self) -> dict[str, Json]:
        """The item so far. Of others than calls and messages nothing can be used before they are done."""
        match self.item.get("type"):
            case _ if self.done:
                return self.item
            case "function_call":
                return {**self.item, "arguments": "".join(self.arguments)}
            case "custom_tool_call":
                return {**self.item, "input": "".join(self.arguments)}
            case "message":
                parts = [{"type": kind, PARTS[kind]: "".join(said)} for (kind, _), said in self.texts.items()]
                return {**self.item, "content": parts}
            case _ if client_kind(self.item) is not None or is_request(self.item):
                return self.item  # what it is given comes whole with its end
        return {}


class ResponsesAssembler:
    """Follows a stream of events. Those of unknown types change nothing."""

    def __init__(self) -> None:
        self.response: dict[str, Json] = {}
        self.slots: list[Slot] = []
        self.thoughts: list[str] = []
        """The model's thinking, in the order in which it came: summaries, and on hosts of open models its own words."""
        self.by_index: dict[str, Slot] = {}
        self.terminal = False
        self.handlers: dict[str, Callable[[Mapping[str, Json]], object]] = {
            "response.created": self._state,
            "response.output_item.added": self._added,
            "response.output_text.delta": partial(self._text, "output_text"),
            "response.refusal.delta": partial(self._text, "refusal"),
            "response.reasoning_summary_text.delta": self._thought,
            "response.reasoning_text.delta": self._thought,
            "response.function_call_arguments.delta": self._arguments,
            "response.custom_tool_call_input.delta": self._arguments,
            "response.output_item.done": self._done,
            "response.completed": self._end,
            "response.incomplete": self._end,
            "response.failed": self._failed,
            "error": self._error,
        }

    def feed(self, event: StreamEvent) -> None:
        """Take one event."""
        said = obj(event.document)
        self.handlers.get(str(said.get("type")), self._other)(said)

    def _state(self, said: Mapping[str, Json]) -> None:
        self.response = dict(obj(said.get("response")))

    def _end(self, said: Mapping[str, Json]) -> None:
        self._state(said)
        self.terminal = True

    def _failed(self, said: Mapping[str, Json]) -> None:
        self._end(said)
        self.response["status"] = "failed"

    def _error(self, said: Mapping[str, Json]) -> None:
        """A bare error: its fields stand on the event itself, or, on some hosts, in ``error``."""
        fields = said.get("error") or {key: said.get(key) for key in ("code", "message", "param")}
        self.response |= {"status": "failed", "error": fields}

    def _other(self, said: Mapping[str, Json]) -> None:
        if said.get("error"):
            self._error(said)

    def _slot(self, said: Mapping[str, Json]) -> Slot | None:
        """The item that an event speaks of."""
        return self.by_index.get(str(said.get("output_index")))

    def _added(self, said: Mapping[str, Json]) -> Slot:
        slot = Slot(dict(obj(said.get("item"))))
        self.slots.append(slot)
        self.by_index[str(said.get("output_index"))] = slot
        return slot

    def _text(self, kind: str, said: Mapping[str, Json]) -> None:
        if slot := self._slot(said):
            pieces = slot.texts.setdefault((kind, str(said.get("content_index"))), [])
            pieces.append(str(said.get("delta") or ""))

    def _thought(self, said: Mapping[str, Json]) -> None:
        self.thoughts.append(str(said.get("delta") or ""))
        if slot := self._slot(said):
            slot.thought = True

    def _arguments(self, said: Mapping[str, Json]) -> None:
        if slot := self._slot(said):
            slot.arguments.append(str(said.get("delta") or ""))

    def _done(self, said: Mapping[str, Json]) -> None:
        slot = self._slot(said) or self._added(said)
        slot.item, slot.done = dict(obj(said.get("item"))), True
        if not slot.thought:
            self.thoughts.append(_thinking(slot.item))

    def assembly(self) -> Assembly:
        """The response so far: the terminal event's own items, as they were streamed; without it, what was streamed."""
        streamed = [item for item in (slot.current() for slot in self.slots) if item]
        final = [item for _, item in items(self.response.get("output")) if isinstance(item, dict)]
        finished = {str(item["id"]): item for item in self._finished() if "id" in item}
        output = [finished.get(str(item.get("id")), item) for item in final] or streamed
        body = {**self.response, "output": output}
        calls = [slot for slot in self.slots if function_calls([slot.item])]
        open_calls = frozenset(number for number, slot in enumerate(calls) if not (slot.done or self.terminal))
        sent = tuple("".join(slot.arguments) or _whole(slot.item) for slot in calls)
        return Assembly(body, self.terminal, open_calls, failure(body), sent=sent, thinking="".join(self.thoughts))

    def _finished(self) -> Iterable[dict[str, Json]]:
        return (slot.current() for slot in self.slots if slot.done)


def _thinking(item: Mapping[str, Json]) -> str:
    """The words of a reasoning item's summary. Some hosts send them in its final form alone."""
    parts = items(item.get("summary")) if item.get("type") == "reasoning" else ()
    return "".join(str(obj(part).get("text") or "") for _, part in parts)


def _whole(item: Mapping[str, Json]) -> str:
    """What a call is given, as the item has it."""
    return str(item.get("arguments") or item.get("input") or "")


def assemble(events: Iterable[StreamEvent]) -> Assembly:
    """The blocking body that a stream of events amounts to."""
    assembler = ResponsesAssembler()
    for event in events:
        assembler.feed(event)
    return assembler.assembly()
