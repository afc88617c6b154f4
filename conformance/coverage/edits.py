"""Taking one form out of a document, or making another of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Sequence

from conformance.coverage.documents import FormDocument
from conformance.coverage.forms import form_kind
from conformance.coverage.walk import FormPath, Occurrence
from conformance.http import StreamEvent
from conformance.model import Json, decoded_json

ANOTHER_WORD = "another_word"
"""Instead of a word of a closed set of which no other is known."""

MOST_VALUES = 2
"""How many other values are tried for one of a closed set."""


class GoneError(Exception):
    """Nothing is left of the document."""


def edited(document: Json, found: Sequence[Occurrence]) -> Iterator[Json]:
    """The document without a form, or with another one instead. Raises `GoneError` when all of it is the form.

    Members, items, branches and nulls are taken out wherever they are; a value becomes another one of its set; what is
    absent becomes null.
    """
    kind = form_kind(found[0].form)
    if kind == "value":
        others = list(found[0].options[:MOST_VALUES]) or [ANOTHER_WORD]
        for other in others:
            yield _with(document, [(occurrence.path, other) for occurrence in found])
    elif kind == "absent":
        yield _with(document, [(occurrence.path, None) for occurrence in found])
    else:
        yield _without(document, [occurrence.path for occurrence in found])


def _with(document: Json, values: Iterable[tuple[FormPath, Json]]) -> Json:
    changed = copy.deepcopy(document)
    for path, value in values:
        if not path:
            return value
        _at(changed, path[:-1])[path[-1]] = value
    return changed


def _without(document: Json, paths: Iterable[FormPath]) -> Json:
    changed = copy.deepcopy(document)
    for path in sorted(set(paths), key=_order, reverse=True):
        if not path:
            raise GoneError
        del _at(changed, path[:-1])[path[-1]]
    return changed


def _order(path: FormPath) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in path)


def _at(document: Json, path: FormPath) -> Json:
    for step in path:
        document = document[step]
    return document


def edited_events(
    events: Sequence[StreamEvent], found: Sequence[tuple[FormDocument, Sequence[Occurrence]]]
) -> Iterator[list[StreamEvent]]:
    """The stream without a form in any of its events."""
    versions: list[list[StreamEvent | None]] = []
    for document, occurrences in found:
        assert document.number is not None
        try:
            changes: list[Json] = list(edited(document.value, occurrences))
        except GoneError:
            changes = [GoneError]
        for place, change in enumerate(changes):
            while len(versions) <= place:
                versions.append(list(events))
            event = events[document.number]
            new = None if change is GoneError else StreamEvent(json.dumps(change), _name(event, change))
            versions[place][document.number] = new
    yield from ([event for event in version if event is not None] for version in versions)


def _name(event: StreamEvent, document: Json) -> str | None:
    """The event's name, which repeats its type in some formats."""
    before = decoded_json(event.data)
    if isinstance(before, dict) and isinstance(document, dict) and event.event == before.get("type"):
        kind = document.get("type")
        return kind if isinstance(kind, str) else event.event
    return event.event


def swapped(events: Sequence[StreamEvent], number: int) -> list[StreamEvent]:
    """The stream with an event after the one that follows it."""
    changed = list(events)
    changed[number : number + 2] = changed[number + 1], changed[number]
    return changed
