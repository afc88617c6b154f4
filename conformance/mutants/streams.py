"""Mutants that take the events of a stream wrongly: kind by kind, and field by field.

What kind an event is follows from its type, or from what it carries: ``delta.tool_calls``, ``finish_reason``, ...
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby, pairwise
from typing import Protocol

from conformance.http import StreamEvent
from conformance.model import Json, compact_json
from conformance.mutants.documents import IGNORED, is_carried
from conformance.mutants.edits import Edit, bend, changes, drop
from conformance.mutants.liar import Liar
from conformance.mutants.mutant import Mutant
from conformance.mutants.paths import paths
from conformance.mutants.trace import STREAM, Trace, TraceCase
from conformance.wires.facts import obj

Events = list[StreamEvent]


class EventReader(Protocol):
    """What is taken of a stream's events by a reader that is wrong about one kind of event."""

    __doc__: str | None

    def __call__(self, events: Events, kind: str) -> Events:
        """The events, as they are taken."""


CARRIED = (
    "error", "tool_calls", "function_call", "functionCall", "functionResponse", "thinking", "reasoning_content",
    "refusal", "content", "text", "finish_reason", "finishReason", "done_reason", "usage", "promptFeedback",
)  # fmt: skip
"""Keys that tell events without a type apart."""
INNER = ("delta", "content_block", "item", "part")
"""Where an event with a type carries something that has one, too."""


class Collects(Liar):
    """Takes the events of a stream wrongly."""

    def __init__(self, change: Callable[[Events], Events]) -> None:
        super().__init__()
        self._change = change

    def collects(self, events: Events) -> Events:
        """The events, as it takes them."""
        return self._change(events)


@lru_cache(maxsize=50_000)
def event_kind(event: StreamEvent) -> str:
    """What kind of event it is: its type with the type of what it carries, or the keys that it carries."""
    document = _document(event)
    if not document:
        return "damaged" if event.data.lstrip().startswith("{") else event.data.strip()[:20] or "blank"
    if isinstance(document.get("type"), str):
        inner = next((str(obj(document.get(key)).get("type") or "") for key in INNER if obj(document.get(key))), "")
        return f"{document['type']}:{inner}" if inner else str(document["type"])
    carried = set(_keys(document))
    return "+".join(key for key in CARRIED if key in carried) or "nothing"


def _document(event: StreamEvent) -> Mapping[str, Json]:
    """What an event carries, or nothing if it is not JSON."""
    try:
        return obj(json.loads(event.data))
    except (ValueError, RecursionError):
        return {}


def _keys(value: Json) -> Iterator[str]:
    """The keys of everything in a document that is neither empty nor null. Payloads are not entered."""
    if isinstance(value, dict):
        for key, item in value.items():
            if item not in (None, "", [], {}):
                yield key
                yield from _keys(item) if key not in ("args", "arguments", "usage") else ()
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


# --- wrong readers of one kind of event ------------------------------------------------------------------------------


def ignored(events: Events, kind: str) -> Events:
    """Not read at all."""
    return [event for event in events if event_kind(event) != kind]


def first_ignored(events: Events, kind: str) -> Events:
    """The first of several is not read."""
    places = _places(events, kind)
    return events if len(places) < 2 else events[: places[0]] + events[places[0] + 1 :]


def last_ignored(events: Events, kind: str) -> Events:
    """The last of several is not read."""
    places = _places(events, kind)
    return events if len(places) < 2 else events[: places[-1]] + events[places[-1] + 1 :]


def doubled(events: Events, kind: str) -> Events:
    """Read twice."""
    return [event for item in events for event in ((item, item) if event_kind(item) == kind else (item,))]


def swapped(events: Events, kind: str) -> Events:
    """The first two that follow each other are read in the wrong order."""
    places = _places(events, kind)
    place = next((one for one, other in pairwise(places) if one + 1 == other), None)
    if place is None:
        return events
    return [*events[:place], events[place + 1], events[place], *events[place + 2 :]]


def only_first(events: Events, kind: str) -> Events:
    """Of several that follow each other only the first is read."""
    return [event for one, run in _runs(events, kind) for event in (run[:1] if one else run)]


def only_last(events: Events, kind: str) -> Events:
    """Of several that follow each other only the last is read: set instead of added."""
    return [event for one, run in _runs(events, kind) for event in (run[-1:] if one else run)]


def read_late(events: Events, kind: str) -> Events:
    """Read after all others."""
    return [*ignored(events, kind), *(event for event in events if event_kind(event) == kind)]


def the_end(events: Events, kind: str) -> Events:
    """Taken for the end of the stream."""
    places = _places(events, kind)
    return events[: places[0] + 1] if places else events


READERS: Mapping[str, EventReader] = {
    "ignored": ignored,
    "first-ignored": first_ignored,
    "last-ignored": last_ignored,
    "doubled": doubled,
    "swapped": swapped,
    "only-first": only_first,
    "only-last": only_last,
    "read-late": read_late,
    "the-end": the_end,
}


def _places(events: Events, kind: str) -> list[int]:
    return [place for place, event in enumerate(events) if event_kind(event) == kind]


def _runs(events: Events, kind: str) -> Iterator[tuple[bool, Events]]:
    for one, run in groupby(events, lambda event: event_kind(event) == kind):
        yield one, list(run)


# --- wrong readers of one field --------------------------------------------------------------------------------------


def zeroed(value: Json) -> Json:
    """Taken for 0."""
    return 0 if isinstance(value, int) and not isinstance(value, bool) else value


FIELDS: Mapping[str, Edit] = {"drop": drop, "zeroed": zeroed}

IN_EVENTS = re.compile(
    r"/(type|index|output_index|content_index|item_id|delta|text|refusal|arguments|item|part|message|content_block"
    r"|partial_json|call_id|id|name|args|summary_index)(/.*)?"
)
"""The parts of a typed event that hold what the neutral model carries, or that say where it belongs."""


def _matters(path: str) -> bool:
    return is_carried(path) or bool(IN_EVENTS.fullmatch(path))


def _bent(events: Events, kind: str, path: str, edit: Edit) -> Events:
    return [_bent_event(event, path, edit) if event_kind(event) == kind else event for event in events]


def _bent_event(event: StreamEvent, path: str, edit: Edit) -> StreamEvent:
    return StreamEvent(compact_json(bend(_document(event), path, edit)), event.event)


# --- the mutants -----------------------------------------------------------------------------------------------------


def stream_mutants(trace: Trace) -> Iterator[Mutant]:
    """The mutants that take one kind of event, or one field of it, wrongly."""
    streams = {
        record.case: [list(exchange.events) for exchange in record.exchanges if exchange.events]
        for record in trace.records
        if record.case.delivery == STREAM
    }
    kinds = dict.fromkeys(event_kind(event) for runs in streams.values() for events in runs for event in events)
    for kind in (kind for kind in kinds if not IGNORED.fullmatch(kind)):
        yield from _about_kind(kind, streams)
    for (kind, path), values in _fields(streams).items():
        yield from _about_field(kind, path, values)


def _about_kind(kind: str, streams: Mapping[TraceCase, Sequence[Events]]) -> Iterator[Mutant]:
    for name, reader in READERS.items():
        change = partial(reader, kind=kind)
        cases = tuple(case for case, runs in streams.items() if any(change(events) != events for events in runs))
        if cases:
            says = f"{kind} events: {(reader.__doc__ or '').strip().rstrip('.')}"
            yield Mutant(f"stream:{name}:{kind}", "stream", says, partial(Collects, change), cases=cases)


def _fields(streams: Mapping[TraceCase, Sequence[Events]]) -> dict[tuple[str, str], list[tuple[Json, TraceCase]]]:
    """Every field of every kind of event, with its values and the cases that they are in."""
    found: dict[tuple[str, str], list[tuple[Json, TraceCase]]] = {}
    for case, runs in streams.items():
        for event in (event for events in runs for event in events):
            kind = event_kind(event)
            for path, values in paths(_document(event)).items():
                if _matters(path) and not IGNORED.fullmatch(f"{kind}{path}"):
                    found.setdefault((kind, path), []).extend((value, case) for value in values)
    return found


def _about_field(kind: str, path: str, values: Sequence[tuple[Json, TraceCase]]) -> Iterator[Mutant]:
    for name, edit in FIELDS.items():
        cases = tuple(dict.fromkeys(case for value, case in values if changes(edit, value)))
        if cases:
            change = partial(_bent, kind=kind, path=path, edit=edit)
            says = f"{path} in {kind} events: {(edit.__doc__ or '').strip().rstrip('.')}"
            yield Mutant(f"stream:{name}:{kind}:{path}", "stream", says, partial(Collects, change), cases=cases)
