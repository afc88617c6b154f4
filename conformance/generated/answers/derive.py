"""Deriving changes: every form that is wanted and not shown, packed into as few answers as will hold them.

A change is taken when the answer still says what the script says, by the reference reader, and the provider's grammar
has nothing against it. What is refused is told with its reason: the reader has a fault, or the form means something,
and then a scenario must be written for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.coverage.forms import IN_TYPES, SIDES, form_kind, parents, side_of
from conformance.coverage.documents import forms_in_types
from conformance.coverage.scope import reason_for
from conformance.generated.answers.candidates import Wanted
from conformance.generated.answers.trial import Trial, same_usage
from conformance.script import Change, Evidence, ScriptTurn
from conformance.wires import card
from conformance.wires.changes import UnfitChangeError


@dataclass
class Bucket:
    """One turn with changes that go together."""

    base: str
    evidence: Evidence
    plain: Mapping[bool, Trial]
    changes: list[Change] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)

    def trial(self, *, streaming: bool) -> Trial:
        """The answer as it is."""
        plain = self.plain[streaming]
        return plain.with_changes(self.changes)

    def taken(self, wanted: Wanted, number: int) -> str | None:
        """Take the first alternative that may be; the reason of the last refusal where none may."""
        streaming = wanted.side == "stream"
        why = "no place"
        for alternative in wanted.alternatives(number, self.trial(streaming=True)):
            problem = self._problem(alternative, wanted.form, streaming=streaming)
            if problem is None:
                self.changes += alternative
                return None
            why = problem if why in ("no place", "unfit", "not shown") else why
        return why

    def _problem(self, alternative: Sequence[Change], form: str, *, streaming: bool) -> str | None:
        sides = {change.streams for change in alternative}
        after: dict[bool, Trial] = {}
        for side in sides:
            after[side] = self.trial(streaming=side).with_changes(alternative)
            why = after[side].refusal(self.plain[side])
            if why is not None:
                return why
        here = after.get(streaming)
        if here is None or form not in here.forms:
            return "not shown"
        seen = {one for side, trial in after.items() for one in trial.forms}
        lost = {one for one in self.shown if (side_of(one) == "stream") in sides} - seen
        if lost:
            return "hides others"
        if any(self._changes_usage(side) != (not same_usage(trial, self.plain[side])) for side, trial in after.items() if self.changes):
            return "other tokens"
        self.shown.add(form)
        return None

    def _changes_usage(self, side: bool) -> bool:
        return not same_usage(self.trial(streaming=side), self.plain[side])


@dataclass
class Derivation:
    """What was derived for one provider. ``refused`` are forms for which no change was found, and why."""

    provider: str
    buckets: list[Bucket] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


def derive(provider: str, covered: frozenset[str], recorded: Mapping[str, int], bases: Mapping[str, ScriptTurn]) -> Derivation:
    """Changes of a provider's answers for all that is wanted and not ``covered``."""
    found = Derivation(provider)
    seen = set(covered)
    wanted = dict(_wanted(provider, recorded))
    while True:
        left = [form for form in wanted if form not in seen and form not in found.refused]
        top = [form for form in left if not any(parent in left for parent in parents(_positive(form)))]
        if not top:
            return found
        for form in sorted(top, key=lambda one: (wanted[one] != "own host", side_of(one) == "stream", one)):
            if form in seen:
                continue
            want = Wanted(provider, form, wanted[form], tuple(recorded))
            why = _shown(found, want, bases, seen)
            if why is not None:
                found.refused[form] = why


def _positive(form: str) -> str:
    return form.removesuffix(" absent").removesuffix(" = null")


def _wanted(provider: str, recorded: Mapping[str, int]) -> Iterator[tuple[str, Evidence]]:
    for form in recorded:
        if side_of(form) != "request":
            yield form, "own host"
    for side in SIDES[1:]:
        for form in forms_in_types(provider, side):
            if form_kind(form) == "branch" and form not in recorded and reason_for(provider, form) is None:
                yield form, "typed"


def _shown(found: Derivation, want: Wanted, bases: Mapping[str, ScriptTurn], seen: set[str]) -> str | None:
    """Show a form by all its values, each in the first bucket that holds it. Returns why not, if none does."""
    whys = [_placed(found, want, number, bases, seen) for number in range(want.count)]
    if want.form in seen:
        return None
    return next((why for why in whys if why is not None), "not shown")


def _placed(found: Derivation, want: Wanted, number: int, bases: Mapping[str, ScriptTurn], seen: set[str]) -> str | None:
    why: str | None = None
    same = [bucket for bucket in found.buckets if bucket.evidence == want.evidence]
    for bucket in [*same, *_new(want, bases)]:
        why = bucket.taken(want, number) if why is None or why in RETRIED else why
        if why is None:
            if bucket not in found.buckets:
                found.buckets.append(bucket)
            seen |= _forms(bucket)
            return None
    return why


RETRIED = frozenset({"no place", "unfit", "not shown", "hides others", "other tokens", "another meaning", "against the grammar"})


def _new(want: Wanted, bases: Mapping[str, ScriptTurn]) -> Iterator[Bucket]:
    for name, turn in bases.items():
        plain = {streaming: Trial(want.provider, turn, (), streaming) for streaming in (False, True)}
        yield Bucket(name, want.evidence, plain)


def _forms(bucket: Bucket) -> frozenset[str]:
    try:
        return bucket.trial(streaming=False).forms | bucket.trial(streaming=True).forms
    except UnfitChangeError:
        return frozenset()
