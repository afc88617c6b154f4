"""What was measured as a document, and what is worse than in another one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path

from conformance.coverage.forms import SIDES, FormSide, form_kind, parents, side_of
from conformance.coverage.measure import Measurement
from conformance.coverage.scope import reason_for
from conformance.documents import Document, bytes_read
from conformance.rules import catalogue
from conformance.scenarios import load_scenarios
from conformance.schemas import problems
from conformance.wording import LineError

MAX_DOCUMENT = 100_000_000
"""How many bytes a document may have."""


class CoverageError(LineError):
    """A document of coverage that cannot be read. The message says which, where and why."""


def coverage_document(every: Sequence[Measurement]) -> Document:
    """The document: what was played and asked, then counts and lists of names, provider by provider."""
    suite = {"scenarios": len(load_scenarios()), "rules": len(catalogue())}
    return {"suite": suite, "providers": {one.provider: {side: _side(one, side) for side in SIDES} for one in every}}


def read_coverage(path: Path) -> Document:
    """The document in a file. Raises `CoverageError`."""
    try:
        document: Document = json.loads(bytes_read(path, MAX_DOCUMENT))
    except OSError as problem:
        raise CoverageError(f"{path}: {problem.strerror}") from None
    except (ValueError, RecursionError) as problem:
        raise CoverageError(f"{path}: not JSON: {problem}") from None
    for at, why in problems("coverage", document):
        raise CoverageError(f"{path}: no document of coverage: at {at or '/'}: {why}")
    return document


def _side(found: Measurement, side: FormSide) -> Document:
    forms = {form for form in found.forms if side_of(form) == side}
    uncovered = forms - found.covered
    reasons = Counter(reason for form in uncovered if (reason := reason_for(found.provider, form)) is not None)
    return {
        "types": _counts(found, forms & found.in_types),
        "recorded": _counts(found, forms & found.recorded.keys()),
        "unions": _counts(found, {form for form in forms & found.in_types if form_kind(form) == "branch"}),
        "all": _counts(found, forms),
        "by_grammar_only": sum(found.looked.get(form) == "grammar" for form in forms),
        "reasons": dict(sorted(reasons.items())),
        "uncovered": topmost(uncovered, found),
        "not_looked_at": sorted(form for form in forms & found.asked if form not in found.looked),
    }


def _counts(found: Measurement, forms: Set[str]) -> dict[str, int]:
    return {
        "forms": len(forms),
        "covered": len(forms & found.covered),
        "looked_at": len(forms & found.looked.keys()),
    }


def topmost(uncovered: Set[str], found: Measurement) -> Document:
    """The forms above which all is covered: how many there are with those below, in how many exchanges it was recorded,
    and why it is not covered."""
    below: Counter[str] = Counter()
    for form in uncovered:
        below[next((one for one in reversed([*parents(form)]) if one in uncovered), form)] += 1
    return {
        form: _entry(found.provider, form, below[form], found.recorded.get(form, 0)) for form in sorted(below)
    }


def _entry(provider: str, form: str, count: int, recorded: int) -> Document:
    reason = reason_for(provider, form)
    return {"forms": count, **({"recorded": recorded} if recorded else {}), **({"reason": reason} if reason else {})}


def total(document: Document, share: str, sides: Iterable[str], providers: Iterable[str] | None = None) -> Counter[str]:
    """The counts of some sides, of some or all providers."""
    chosen = document["providers"] if providers is None else providers
    found: Counter[str] = Counter(forms=0, covered=0, looked_at=0)
    for provider in chosen:
        for side in sides:
            found.update(document["providers"][provider][side][share])
    return found


def worse(before: Document, now: Sequence[Measurement]) -> Iterator[str]:
    """What was covered, or looked at, and is no more: a line for each."""
    for found in now:
        known = before["providers"].get(found.provider)
        if known is None:
            yield f"{found.provider}: it was not measured before"
            continue
        uncovered = {form for side in SIDES for form in known[side]["uncovered"]}
        unseen = {form for side in SIDES for form in known[side]["not_looked_at"]}
        for form in sorted(found.forms - found.covered):
            if form not in uncovered and not uncovered.intersection(parents(form)):
                yield f"{found.provider}: not covered any more: {form}"
        for form in sorted(found.asked - found.looked.keys()):
            if form not in unseen and form not in uncovered and not uncovered.intersection(parents(form)):
                yield f"{found.provider}: not looked at any more: {form}"


def excused_share(document: Document) -> float:
    """Which share of all forms has a reason for not being covered."""
    sides: list[Document] = [side for one in document["providers"].values() for side in one.values()]
    excused: int = sum(sum(side["reasons"].values()) for side in sides)
    every: int = sum(side["all"]["forms"] for side in sides)
    return excused / max(1, every)
