"""OpenAI Responses, client half: put a stream's events together.

Source: openai/openai-openapi ``ResponseStreamEvent``. What the events of a finished item say replaces what its deltas
said, and a finished item replaces its copy in the terminal event: only the reasoning item of
``response.output_item.done`` is promised to be fit for replay.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from conformance.http import StreamEvent
from conformance.model import Json
from conformance.wires.base import Assembly
from conformance.wires.facts import items, obj
from conformance.wires.openai_responses.client import failure, function_calls


@dataclass(slots=True, eq=False)
class Slot:
    """An output item as far as it came. ``whole``: its arguments are; ``done``: the item is."""

    item: dict[str, Json]
    index: int
    arguments: list[str] = field(default_factory=list)
    parts: dict[int, dict[str, Json]] = field(default_factory=dict)
    texts: dict[int, list[str]] = field(default_factory=dict)
    whole: bool = False
    done: bool = False

    def put(self, place: int, part: Mapping[str, Json]) -> None:
        """Set a content part, with the text that it has."""
        self.parts[place] = dict(part)
        self.texts[place] = [str(part.get(_text_key(part)) or "")]

    def say(self, place: int, kind: str, text: str) -> None:
        """Add text to a content part."""
        self.parts.setdefault(place, {"type": kind})
        self.texts.setdefault(place, []).append(text)

    def current(self) -> dict[str, Json]:
        """The item, with what the deltas said when its end was not seen."""
        if self.done:
            return self.item
        if self.item.get("type") == "function_call":
            return {**self.item, "arguments": "".join(self.arguments)}
        if self.item.get("type") == "message":
            parts = [(part, "".join(self.texts[place])) for place, part in sorted(self.parts.items())]
            return {**self.item, "content": [{**part, _text_key(part): text} for part, text in parts]}
        return self.item


def _text_key(part: Mapping[str, Json]) -> str:
    return "refusal" if part.get("type") == "refusal" else "text"


class ResponsesAssembler:
    """Follows a stream of events. Items are kept apart by id, and by ``output_index`` where hosts change the ids."""

    def __init__(self) -> None:
        self.response: dict[str, Json] = {}
        self.slots: list[Slot] = []
        self.by_id: dict[str, Slot] = {}
        self.by_index: dict[int, Slot] = {}
        self.terminal = False
        self.handlers: dict[Json, Callable[[Mapping[str, Json]], None]] = {
            "response.created": self._state,
            "response.queued": self._state,
            "response.in_progress": self._state,
            "response.output_item.added": self._added,
            "response.content_part.added": self._part,
            "response.output_text.delta": self._text_delta,
            "response.output_text.done": self._text_done,
            "response.refusal.delta": self._text_delta,
            "response.refusal.done": self._text_done,
            "response.content_part.done": self._part,
            "response.function_call_arguments.delta": self._arguments_delta,
            "response.function_call_arguments.done": self._arguments_done,
            "response.output_item.done": self._done,
            "response.completed": self._end,
            "response.incomplete": self._end,
            "response.failed": self._end,
            "error": self._error,
        }

    def feed(self, event: StreamEvent) -> None:
        """Take one event. Events of unknown types change nothing."""
        try:
            said = obj(json.loads(event.data))
        except (ValueError, RecursionError):
            return  # [DONE], or cut off: the missing terminal event says so
        kind = said.get("type") or event.event
        if isinstance(kind, str) and kind in self.handlers:
            self.handlers[kind](said)
        elif said.get("error"):
            self._error(said)

    def _state(self, said: Mapping[str, Json]) -> None:
        self.response = dict(obj(said.get("response")))

    def _end(self, said: Mapping[str, Json]) -> None:
        self._state(said)
        self.terminal = True
        if said.get("type") == "response.failed":
            self.response["status"] = "failed"

    def _error(self, said: Mapping[str, Json]) -> None:
        """A bare error: its fields stand on the event itself, or, on some hosts, in ``error``."""
        fields = said.get("error") or {key: said.get(key) for key in ("code", "message", "param")}
        self.response |= {"status": "failed", "error": fields}

    def _added(self, said: Mapping[str, Json]) -> None:
        item = dict(obj(said.get("item")))
        if not item or self._slot(item.get("id"), None) is not None:
            return
        slot = self._open(item, said.get("output_index"))
        for place, part in items(item.get("content")):
            slot.put(place, obj(part))
        slot.arguments = [str(item.get("arguments") or "")]

    def _done(self, said: Mapping[str, Json]) -> None:
        item = dict(obj(said.get("item")))
        if not item:
            return
        slot = self._slot(item.get("id"), None)
        if slot is None:
            slot = self._slot(None, said.get("output_index"))
            if slot is None or slot.done:
                slot = self._open(item, said.get("output_index"))
        if item.get("type") == "function_call" and not item.get("arguments") and slot.arguments:
            item["arguments"] = "".join(slot.arguments)
        slot.item, slot.whole, slot.done = item, True, True

    def _open(self, item: dict[str, Json], index: Json) -> Slot:
        slot = Slot(item, index if isinstance(index, int) else len(self.slots))
        self.slots.append(slot)
        self.by_index[slot.index] = slot
        if item.get("id") and isinstance(item["id"], str):
            self.by_id[item["id"]] = slot
        return slot

    def _slot(self, item_id: Json, index: Json) -> Slot | None:
        slot = self.by_id.get(item_id) if isinstance(item_id, str) else None
        return self.by_index.get(index) if slot is None and isinstance(index, int) else slot

    def _of(self, said: Mapping[str, Json]) -> Slot | None:
        """The unfinished item that an event speaks of."""
        slot = self._slot(said.get("item_id"), said.get("output_index"))
        return None if slot is None or slot.done else slot

    def _part(self, said: Mapping[str, Json]) -> None:
        if slot := self._of(said):
            slot.put(_place(said), obj(said.get("part")))

    def _text_delta(self, said: Mapping[str, Json]) -> None:
        if slot := self._of(said):
            slot.say(_place(said), _part_type(said), str(said.get("delta") or ""))

    def _text_done(self, said: Mapping[str, Json]) -> None:
        if slot := self._of(said):
            kind, place = _part_type(said), _place(said)
            text = said.get("refusal" if kind == "refusal" else "text")
            slot.texts.pop(place, None)
            slot.say(place, kind, str(text or ""))

    def _arguments_delta(self, said: Mapping[str, Json]) -> None:
        slot = self._of(said)
        if slot is not None and not slot.whole:
            slot.arguments.append(str(said.get("delta") or ""))

    def _arguments_done(self, said: Mapping[str, Json]) -> None:
        if slot := self._of(said):
            slot.arguments = [str(said.get("arguments") or "")]
            slot.whole = True

    def assembly(self) -> Assembly:
        """The response so far."""
        streamed = sorted(self.slots, key=lambda slot: slot.index)
        if not self.terminal:
            # The end of a reasoning item is what makes it fit for replay.
            streamed = [slot for slot in streamed if slot.done or slot.item.get("type") != "reasoning"]
        calls = [slot for slot in streamed if function_calls([slot.item])]
        body = {**self.response, "output": self._merged([slot.current() for slot in streamed])}
        open_calls = frozenset(number for number, slot in enumerate(calls) if not (slot.whole or self.terminal))
        sent = tuple("".join(slot.arguments) for slot in calls)
        return Assembly(body, self.terminal, open_calls, failure(body), sent=sent)

    def _merged(self, streamed: list[Json]) -> list[Json]:
        """The terminal event's own items, each as it was streamed; the streamed items alone where it has none."""
        output = self.response.get("output") if self.terminal else None
        final = [item for _, item in items(output) if isinstance(item, dict)]
        finished = {key: slot.item for key, slot in self.by_id.items() if slot.done}
        return [finished.get(str(item.get("id")), item) for item in final] if final else streamed


def _place(said: Mapping[str, Json]) -> int:
    place = said.get("content_index")
    return place if isinstance(place, int) else 0


def _part_type(said: Mapping[str, Json]) -> str:
    return "refusal" if str(said.get("type")).startswith("response.refusal.") else "output_text"


def assemble(events: Iterable[StreamEvent]) -> Assembly:
    """The blocking body that a stream of events amounts to."""
    assembler = ResponsesAssembler()
    for event in events:
        assembler.feed(event)
    return assembler.assembly()
