"""Answers with parts taken out, to find out which parts a failure needs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from conformance.answers import Answer, answer_of_events, answer_of_response
from conformance.deliveries import Delivery
from conformance.http import Request, Response, StreamEvent
from conformance.model import AssistantTurn, Conversation, Json, decoded_json
from conformance.responders import DeliveredAnswer, ScriptedResponder
from conformance.wires import wire
from conformance.wires.facts import Facts

Pointer = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Removal:
    """A part of an answer that is taken out: a member at ``pointer``, or a whole event where that is empty.

    ``answer`` counts answers from 0, ``event`` the events of a stream; a blocking body has none.
    """

    answer: int
    event: int | None
    pointer: Pointer = ()


@dataclass
class EditedResponder(ScriptedResponder):
    """Answers as the scenario says, without what is taken out. Remembers the answers of the last play."""

    edits: Sequence[Removal] = ()
    delivered: list[DeliveredAnswer] = field(default_factory=list)

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> DeliveredAnswer:
        """See `ScriptedResponder`."""
        answer = super().respond(place, request, facts, intent, delivery)
        self.delivered[place:] = [answer]
        return answer

    @property
    def meanings(self) -> list[AssistantTurn]:
        """What the provider means, answer by answer."""
        return [one.answer.offered for one in self.delivered]

    def rendered(self, place: int, answer: Answer, reader: Conversation) -> Answer:
        """``answer`` without what is taken out."""
        edits = [edit for edit in self.edits if edit.answer == place]
        if not edits:
            return answer
        speaker = wire(self.provider)
        if answer.events is not None:
            events = list(_edited_events(answer.events, [edit for edit in edits if edit.event is not None]))
            return answer_of_events(speaker, events, reader)
        if answer.response is None:
            return answer
        body = json.loads(answer.response.body)
        for edit in edits:
            if edit.event is None:
                body = without(body, edit.pointer)
        edited = replace(answer.response, body=_encoded(body).encode())
        return answer_of_response(speaker, edited, reader)


def _edited_events(events: Sequence[StreamEvent], edits: Sequence[Removal]) -> Iterator[StreamEvent]:
    for number, event in enumerate(events):
        own = [edit for edit in edits if edit.event == number]
        if any(not edit.pointer for edit in own):
            continue
        if not own:
            yield event
            continue
        data = json.loads(event.data)
        for edit in own:
            data = without(data, edit.pointer)
        yield replace(event, data=_encoded(data))


def without(value: Json, pointer: Pointer) -> Json:
    """``value`` without what is at ``pointer``. What is not there is no error: something around it went before."""
    if not pointer:
        return value
    key, *rest = pointer
    if isinstance(value, dict) and key in value:
        if not rest:
            return {name: item for name, item in value.items() if name != key}
        return {name: without(item, tuple(rest)) if name == key else item for name, item in value.items()}
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        if not rest:
            return value[:key] + value[key + 1 :]
        return [without(item, tuple(rest)) if place == key else item for place, item in enumerate(value)]
    return value


def members(value: Json, at: Pointer = (), *, items: bool = False) -> Iterator[Pointer]:
    """Where the members of all objects in ``value`` are, what holds others before these.

    With ``items`` those of lists are, too, but for the last one.
    """
    if isinstance(value, dict):
        for name, item in value.items():
            yield (*at, name)
            yield from members(item, (*at, name), items=items)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            if items and len(value) > 1:
                yield (*at, place)
            yield from members(item, (*at, place), items=items)


def parts(place: int, delivered: DeliveredAnswer) -> Iterator[list[Removal]]:
    """What can be taken out of an answer together: an event, or a member; first a member that many events have."""
    answer = delivered.answer
    if answer.events is not None:
        numbered = list(enumerate(answer.events))
        yield from ([Removal(place, number)] for number, _ in reversed(numbered))
        found = [Removal(place, number, at) for number, event in numbered for at in members(decoded_json(event.data))]
        alike: dict[Pointer, list[Removal]] = {}
        for edit in found:
            alike.setdefault(tuple(part for part in edit.pointer if isinstance(part, str)), []).append(edit)
        yield from (edits for edits in alike.values() if len(edits) > 1)
        yield from ([edit] for edit in found)
    elif isinstance(answer.response, Response):
        yield from ([Removal(place, None, at)] for at in members(decoded_json(answer.response.body)))


def _encoded(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
