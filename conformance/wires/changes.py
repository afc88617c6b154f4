"""Changes of what a wire has rendered: the one place in which `conformance.script.Change` is carried out.

A change that does not fit is an error, never a silence: a scenario that says it would show nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.http import StreamEvent
from conformance.model import Json, compact_json, decoded_json
from conformance.script import Change, ChangeKind, ScriptError, ScriptTurn, Voice
from conformance.wires.base import Wire
from conformance.wires.places import PlaceError, PlaceStep, Spot, spots, steps_of

COUNTER = "sequence_number"
"""The member in which events count themselves, where a format has that."""

SAME = "(same)"
"""A member of an inserted event that is as in the event before."""

WHOLE_EVENTS = "stream: "
"""How a place begins that is a kind of events."""


class UnfitChangeError(ValueError):
    """A change for which the answer has no place. The message says which, and why."""


def changed_body(body: Mapping[str, Json], changes: Iterable[Change]) -> dict[str, Json]:
    """The blocking body with the changes that are about it. Raises `UnfitChangeError`."""
    edited: dict[str, Json] = copy.deepcopy(dict(body))
    for change in changes:
        if not change.streams:
            _edit([edited], change)
    return edited


def changed_events(wire: Wire, events: Sequence[StreamEvent], changes: Iterable[Change]) -> list[StreamEvent]:
    """The events of a stream with the changes that are about it. Raises `UnfitChangeError`."""
    edited = list(events)
    for change in changes:
        if change.streams:
            edited = _changed_events(wire, edited, change)
    return _numbered_again(edited) if _is_numbered(events) else edited


def unfit_change(
    wire: Wire,
    name: str,
    answers: Sequence[ScriptTurn | ScriptError],
    kinds: Mapping[str, str],
    *,
    streaming: bool,
) -> str | None:
    """The first change of a scenario's answers that has no place there, and where; ``None``: all have. ``kinds`` are
    those of its tools that the provider defined."""
    for place, says in enumerate(answers):
        try:
            if isinstance(says, ScriptTurn) and says.changes:
                _change(wire, says, Voice("a-model", {}, f"{name}/{place}", kinds), streaming=streaming)
        except (UnfitChangeError, PlaceError) as problem:
            return f"answer {place + 1}: {problem}"
    return None


def _change(wire: Wire, says: ScriptTurn, voice: Voice, *, streaming: bool) -> None:
    if streaming:
        changed_events(wire, wire.render_stream(says, voice), says.changes)
    else:
        changed_body(wire.render(says, voice), says.changes)


def _changed_events(wire: Wire, events: list[StreamEvent], change: Change) -> list[StreamEvent]:
    if change.do == "split":
        return _split(events, change)
    if change.do in EVENT_CHANGES:
        return _whole_events(wire, events, change)
    documents = [decoded_json(event.data) for event in events]
    _edit(documents, change)
    return [
        event if document == event.document else _said(document, event)
        for event, document in zip(events, documents, strict=True)
    ]


def _said(document: Json, like: StreamEvent) -> StreamEvent:
    """An event; its name repeats its type where that of the other does."""
    named = document.get("type") if isinstance(document, dict) else None
    renamed = like.event is not None and isinstance(named, str)
    return StreamEvent(compact_json(document), named if renamed else like.event)


# --- inside documents ------------------------------------------------------------------------------------------------


def _edit(documents: Sequence[Json], change: Change) -> None:
    if change.do not in EDITS:
        raise UnfitChangeError(f"{change.do} at {change.at}: this is done to events, and their place is 'stream: KIND'")
    steps = _steps(change)
    steps = steps[:-1] if change.do == "add" and steps and steps[-1].kind == "items" else steps
    found = _chosen([spot for document in documents for spot in spots(document, steps)], change)
    if not found:
        raise UnfitChangeError(f"{change.do} at {change.at}: there is no such place")
    for spot in reversed(found):  # the items behind one that goes keep their numbers until it is their turn
        EDITS[change.do](spot, change)


def _steps(change: Change) -> tuple[PlaceStep, ...]:
    if change.at.startswith("request"):
        raise UnfitChangeError(f"{change.do} at {change.at}: a provider answers, and makes no request")
    try:
        return steps_of(change.at)
    except PlaceError as problem:
        raise UnfitChangeError(str(problem)) from None


def _chosen(found: list[Spot], change: Change) -> list[Spot]:
    if change.do == "add":  # there, ``where`` says at which end of the list
        return found
    if change.do == "remove":
        found = [spot for spot in found if spot.there]
    match change.where:
        case "lacking":
            return [spot for spot in found if spot.value in (None, "", [], {})]
        case "first":
            return found[:1]
        case "last":
            return found[-1:]
    return found


def _set(spot: Spot, change: Change) -> None:
    spot.holder[spot.key] = copy.deepcopy(change.value)


def _remove(spot: Spot, change: Change) -> None:
    del spot.holder[spot.key]


def _add(spot: Spot, change: Change) -> None:
    items = spot.value if isinstance(spot.value, list) else []
    new = copy.deepcopy(change.value)
    spot.holder[spot.key] = [new, *items] if change.where == "first" else [*items, new]


EDITS: Mapping[ChangeKind, Callable[[Spot, Change], None]] = {"set": _set, "remove": _remove, "add": _add}


# --- whole events ----------------------------------------------------------------------------------------------------


def event_kinds(wire: Wire, events: Sequence[StreamEvent]) -> list[str]:
    """What each event of a stream is: its ``type``, or, where events have none, what the grammar sees in it."""
    say = wire.grammar.speak() if wire.grammar is not None else None
    kinds = []
    for event in events:
        document = decoded_json(event.data)
        named = document.get("type") if isinstance(document, dict) else None
        tokens = say(event, document) if say is not None else ()
        seen = "+".join(dict.fromkeys(token.kind for token in tokens))
        kinds.append(named if isinstance(named, str) else seen or event.event or "data")
    return kinds


def _whole_events(wire: Wire, events: list[StreamEvent], change: Change) -> list[StreamEvent]:
    kind = change.at.removeprefix(WHOLE_EVENTS)
    if kind == change.at:
        raise UnfitChangeError(f"{change.do} at {change.at}: the place of events is '{WHOLE_EVENTS}KIND'")
    numbers = [number for number, found in enumerate(event_kinds(wire, events)) if kind in (found, "*")]
    if change.do in ("late", "merge"):
        numbers = [number for number in numbers if number + 1 < len(events)]
    chosen = {"first": numbers[:1], "last": numbers[-1:]}.get(change.where, numbers)
    if not chosen:
        raise UnfitChangeError(f"{change.do} at {change.at}: there is no such event")
    for number in reversed(chosen):
        taken = 2 if change.do in ("late", "merge") else 1
        new = EVENT_CHANGES[change.do](events[number : number + taken], change)
        events = [*events[:number], *new, *events[number + taken :]]
    return events


def _insert(events: list[StreamEvent], change: Change) -> list[StreamEvent]:
    new = change.value if isinstance(change.value, list) else [change.value]
    return [*events, *(_said(_like(document, decoded_json(events[-1].data)), events[-1]) for document in new)]


def _like(document: Json, before: Json) -> Json:
    """An event in which members that are `SAME` are those of the event before; what that has not is left out."""
    if not isinstance(document, dict):
        return document
    known = before if isinstance(before, dict) else {}
    whole = {name: known.get(name, SAME) if value == SAME else value for name, value in document.items()}
    return {name: value for name, value in whole.items() if value != SAME}


def _late(events: list[StreamEvent], change: Change) -> list[StreamEvent]:
    return events[::-1]


def _repeat(events: list[StreamEvent], change: Change) -> list[StreamEvent]:
    return events * 2


def _leave_out(events: list[StreamEvent], change: Change) -> list[StreamEvent]:
    return []


def _merge(events: list[StreamEvent], change: Change) -> list[StreamEvent]:
    one, other = (decoded_json(event.data) for event in events)
    if not isinstance(one, dict) or not isinstance(other, dict):
        raise UnfitChangeError(f"merge at {change.at}: one of the two events is no JSON object")
    return [_said(_merged(one, other), events[0])]


EVENT_CHANGES: Mapping[ChangeKind, Callable[[list[StreamEvent], Change], list[StreamEvent]]] = {
    "insert": _insert, "leave_out": _leave_out, "repeat": _repeat, "late": _late, "merge": _merge,
}  # fmt: skip


def _merged(one: Json, other: Json) -> Json:
    """Both as one: texts that differ are joined, and of two other values the later one holds."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: _merged(one.get(name), other.get(name)) for name in {**one, **other}}
    if isinstance(one, list) and isinstance(other, list):
        return _merged_lists(one, other)
    if isinstance(one, str) and isinstance(other, str) and one != other:
        return one + other
    return one if other is None else other


def _merged_lists(one: list[Any], other: list[Any]) -> list[Any]:
    """Items that count themselves are merged with those of their number; others are put after each other."""
    found = list(one)
    for item in other:
        same = [number for number, old in enumerate(found) if _number(old) == _number(item) is not None]
        if same:
            found[same[0]] = _merged(found[same[0]], item)
        else:
            found.append(item)
    return found


def _number(item: Json) -> Json:
    return item.get("index") if isinstance(item, dict) else None


def _split(events: list[StreamEvent], change: Change) -> list[StreamEvent]:
    """The member moves into an event of its own. There, objects beside it are empty, and what is no object stays."""
    steps, along = _steps(change), change.value if isinstance(change.value, list) else []
    said = [[spot for spot in spots(decoded_json(event.data), steps) if spot.value is not None] for event in events]
    found = [number for number, there in enumerate(said) if there]
    chosen = {"first": found[:1], "last": found[-1:]}.get(change.where, found)
    if not chosen or not steps or steps[-1].kind != "member":
        raise UnfitChangeError(f"split at {change.at}: there is no such member")
    for number in reversed(chosen):
        first, second = decoded_json(events[number].data), decoded_json(events[number].data)
        for spot in spots(first, steps):
            spot.holder[spot.key] = None
        for spot in spots(second, steps):
            for name, value in spot.holder.items():
                if name != spot.key and isinstance(value, dict):
                    spot.holder[name] = {}
        if isinstance(first, dict):
            first = {name: value for name, value in first.items() if name not in along}
        events = [*events[:number], *(_said(half, events[number]) for half in (first, second)), *events[number + 1 :]]
    return events


# --- events that count themselves ------------------------------------------------------------------------------------


def _is_numbered(events: Sequence[StreamEvent]) -> bool:
    first = decoded_json(events[0].data) if events else None
    return isinstance(first, dict) and COUNTER in first


def _numbered_again(events: list[StreamEvent]) -> list[StreamEvent]:
    """The events, counted from the start."""
    counted = []
    for number, event in enumerate(events):
        document = decoded_json(event.data)
        if isinstance(document, dict) and document.get(COUNTER) != number:
            event = replace(event, data=compact_json(_counted(document, number)))
        counted.append(event)
    return counted


def _counted(document: dict[str, Json], number: int) -> dict[str, Json]:
    rest = {name: value for name, value in document.items() if name not in ("type", COUNTER)}
    return {"type": document.get("type"), COUNTER: number, **rest}
