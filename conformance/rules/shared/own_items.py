"""Items of the model's turn that go back: is what they say as it came?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, same_json
from conformance.rules.shared.pairing import usable
from conformance.wires.facts import Object, pointer


def unchanged(sent: Sequence[tuple[str, Object]], came: Sequence[Object]) -> Verdicts:
    """A verdict for each item that was sent and is one that came: the members that both have are equal.

    Members may be left out: some are only for answers. ``sent`` are items with their JSON pointers.
    """
    for at, item in sent:
        forms = [own for own in came if _name(own) == _name(item)]
        if forms and (usable(item.get("id")) or _alone(item, sent, came)):
            found = [change for own in forms if (change := _first_change(at, own, item)) is not None]
            yield found[-1] if len(found) == len(forms) else None


def _name(item: Object) -> tuple[Json, Json]:
    return item.get("type"), item.get("id")


def _alone(item: Object, sent: Sequence[tuple[str, Object]], came: Sequence[Object]) -> bool:
    """Whether an item without an id is the only one of its type, so that it is known which one it is."""
    return all(sum(_name(one) == _name(item) for one in some) == 1 for some in ([one for _, one in sent], came))


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
