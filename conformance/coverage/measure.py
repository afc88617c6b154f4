"""Measuring a provider: which forms there are, which are covered, and which are looked at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources

from conformance.coverage.documents import forms_in_types
from conformance.coverage.forms import IN_TYPES, SIDES, form_kind
from conformance.coverage.looking import Appearance, By, Looker
from conformance.coverage.recorded import RecordedForms
from conformance.coverage.scope import is_counted
from conformance.mutants.trace import Trace
from conformance.scenarios import load_scenarios
from conformance.transcript import Exchange

MOST_SIGHTINGS = 4
"""In how many exchanges it is asked whether a form is looked at."""


@dataclass(slots=True)
class Measurement:
    """What was found of one provider. ``asked`` are the forms of which it was asked whether they are looked at;
    ``looked`` are those that are, and what tells."""

    provider: str
    in_types: frozenset[str]
    recorded: Mapping[str, int]
    covered: frozenset[str]
    looked: dict[str, By] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()

    @property
    def forms(self) -> frozenset[str]:
        """All that counts."""
        return self.in_types | self.recorded.keys()


def measure(
    provider: str,
    recorded: Mapping[str, int],
    *,
    share: int = 1,
    look: bool = True,
    beside: Iterable[Sequence[Exchange]] = (),
    is_right: Callable[[Sequence[Exchange]], bool] = bool,
) -> Measurement:
    """Play every scenario with the reference adapter, and measure. ``share``: it is asked of one form in so many.

    ``beside`` are more conversations: of those that are right the last requests count, for what no scenario shows.
    """
    types = frozenset(
        form
        for side in SIDES
        for form in forms_in_types(provider, side)
        if form_kind(form) in IN_TYPES and is_counted(provider, form)
    )
    counted = {form: count for form, count in recorded.items() if is_counted(provider, form)}
    looker = Looker(provider)
    forms = types | counted.keys()
    seen = _seen(looker, provider) if forms else {}
    if forms:
        _add_requests(looker, beside, is_right, seen)
    found = Measurement(provider, types, counted, frozenset(seen.keys() & forms))
    if look:
        found.asked = frozenset(sorted(found.covered)[::share])
        for form in sorted(found.asked):
            if (by := looker.looked_at(form, spread(seen[form]))) is not None:
                found.looked[form] = by
    return found


def _seen(looker: Looker, provider: str) -> dict[str, list[Appearance]]:
    seen: dict[str, list[Appearance]] = {}
    for exchanges in played(provider):
        for form, appearance in looker.appearances(exchanges):
            seen.setdefault(form, []).append(appearance)
    return seen


def _add_requests(
    looker: Looker,
    conversations: Iterable[Sequence[Exchange]],
    is_right: Callable[[Sequence[Exchange]], bool],
    seen: dict[str, list[Appearance]],
) -> None:
    """Enter what is new in the last requests, each form with a few exchanges."""
    found: dict[str, list[Appearance]] = {}
    for exchanges in conversations:
        forms = {form for form in looker.request_forms(exchanges[-1]) if form not in seen}
        fresh = [form for form in forms if len(found.get(form, ())) < MOST_SIGHTINGS]
        if fresh and is_right(exchanges):
            for form in fresh:
                found.setdefault(form, []).append(Appearance(exchanges[-1]))
    seen.update(found)


def shown_by(provider: str, wanted: Callable[[str], bool]) -> frozenset[str]:
    """The forms that some scenarios show, chosen by their ids."""
    looker = Looker(provider)
    return frozenset(form for exchanges in played(provider, wanted) for form, _ in looker.appearances(exchanges))


def played(provider: str, wanted: Callable[[str], bool] = bool) -> Iterator[Sequence[Exchange]]:
    """What the reference adapter did in the scenarios that are wanted by their ids."""
    for record in _trace(provider).records:
        if wanted(record.case.scenario):
            yield record.exchanges


@lru_cache(maxsize=1)
def _trace(provider: str) -> Trace:
    return Trace(provider, scenarios=load_scenarios())


def spread(appearances: Sequence[Appearance]) -> list[Appearance]:
    """A few of many, from all over."""
    step = max(1, -(-len(appearances) // MOST_SIGHTINGS))
    return list(appearances[::step])


@cache
def packaged() -> RecordedForms:
    """What own hosts were recorded to send and to take, when it was last looked: ``recorded.json``."""
    text = (resources.files(__package__) / "recorded.json").read_text("utf-8")
    found: RecordedForms = json.loads(text)
    return found
