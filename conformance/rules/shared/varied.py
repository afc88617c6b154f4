"""Two requests that differ in one thing that the application changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from conformance.http import Request
from conformance.model import Json
from conformance.outcomes import OperationFailure
from conformance.recordings.differences import ABSENT, differences
from conformance.rules.check import Finding
from conformance.transcript import Exchange, VariantName
from conformance.wires.facts import Facts

Places = Callable[[Facts], Iterable[str]]
"""Where two requests may differ, as JSON pointers."""


def varied(x: Exchange, name: VariantName) -> Exchange | None:
    """The exchange with one thing changed, where it was asked for."""
    return x.variants.get(name) if isinstance(x.request, Request) else None


def failed(failure: OperationFailure) -> Finding:
    return Finding("", "a request, as before", failure.message)


def equal_but_for(x: Exchange, name: VariantName, places: Places) -> Iterator[Finding | None]:
    """What differs outside of the places that may, in either request."""
    other = varied(x, name)
    if other is None:
        return
    if isinstance(other.request, OperationFailure):
        yield failed(other.request)
        return
    allowed = {*places(x.facts), *places(other.facts)}
    found = [
        one for one in differences(x.facts.document, other.facts.document) if not is_inside(one.at, allowed)
    ]
    yield from (Finding(one.at, shown(one.recorded), shown(one.sent)) for one in found)
    if not found:
        yield None


def choice_places(facts: Facts) -> list[str]:
    """Where a request says which tools may be called, and how many at once."""
    return [*([facts.choice.at] if facts.choice is not None else ()), *filter(None, [facts.parallel_at])]


def is_inside(at: str, places: Collection[str]) -> bool:
    """Whether a pointer leads to one of the places, into it, or to what is there only for its sake."""
    return any(at == place or at.startswith(f"{place}/") or place.startswith(f"{at}/") for place in places if place)


def shown(value: Json) -> Json:
    return "nothing" if value is ABSENT else value
