"""Items of the model's turn that go back: is what they say as it came?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from conformance.model import Json, compact_json
from conformance.rules.check import Finding, Verdicts, same_json
from conformance.rules.shared.pairing import usable
from conformance.wires.facts import Object, pointer


def unchanged(sent: Sequence[tuple[str, Object]], came: Sequence[Object]) -> Verdicts:
    """A verdict for each item that was sent and is one that came: the members that both have are equal.

    Members may be left out: some are only for answers. ``sent`` are items with their JSON pointers.
    """
    forms_of, times_sent = _by_name(came), Counter(_name(item) for _, item in sent)
    for at, item in sent:
        name = _name(item)
        forms = forms_of.get(name, [])
        if forms and (usable(item.get("id")) or len(forms) == times_sent[name] == 1):
            found = [change for own in forms if (change := _first_change(at, own, item)) is not None]
            yield found[-1] if len(found) == len(forms) else None


def _name(item: Object) -> str:
    """By what an item is known: its type and its id. One without an id is known if it is the only one of its type."""
    return compact_json([item.get("type"), item.get("id")])


def _by_name(items: Iterable[Object]) -> dict[str, list[Object]]:
    named: dict[str, list[Object]] = {}
    for item in items:
        named.setdefault(_name(item), []).append(item)
    return named


def _first_change(at: str, came: Object, sent: Object) -> Finding | None:
    return next(_changes(at, came, sent), None)


def _changes(at: str, came: Object, sent: Object) -> Iterator[Finding]:
    for name, value in came.items():
        if not _agrees(value, sent.get(name)):
            yield Finding(at + pointer(name), value, sent[name])


def _agrees(came: Json, sent: Json) -> bool:
    """Whether all that is said was said so, at any depth. Null says as much as nothing."""
    if sent is None:
        return True
    if isinstance(came, dict) and isinstance(sent, dict):
        return all(_agrees(came.get(name), value) for name, value in sent.items() if value is not None)
    if isinstance(came, list) and isinstance(sent, list):
        return len(came) == len(sent) and all(map(_agrees, came, sent))
    return same_json(came, sent)
