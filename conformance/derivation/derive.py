"""Deriving changes: every form that is wanted and not shown, packed into as few answers as will hold them.

A change is taken when the answer still says what the script says, by the reference reader, and the provider's grammar
has nothing against it. What is refused is told with its reason: the reader has a fault, or the form means something,
and then a scenario must be written for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.coverage.documents import forms_in_types
from conformance.coverage.forms import SIDES, form_kind, parents, side_of
from conformance.coverage.scope import matches, reason_for
from conformance.derivation.candidates import WantedForm
from conformance.derivation.trial import AnswerTrial, same_usage
from conformance.derivation.values import tables
from conformance.scenarios import change_of
from conformance.script import Change, ChangeEvidence, ScriptTurn
from conformance.wires import card
from conformance.wires.changes import UnfitChangeError

FULL = 24
"""How many changes go together at most."""


@dataclass
class Bucket:
    """One turn with changes that go together. ``now`` is the answer as it is, blocking and as a stream."""

    base: str
    evidence: ChangeEvidence
    plain: Mapping[bool, AnswerTrial]
    now: dict[bool, AnswerTrial]
    changes: list[Change] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)

    def taken(self, wanted: WantedForm, number: int, missing: Set[str]) -> str | None:
        """Take the first alternative that may be; the reason of the last refusal where none may.

        Of the form's later values only those are taken that show something which is ``missing``.
        """
        why = "no place"
        for alternative in wanted.alternatives(number, self.now[True]):
            problem = self._problem(alternative, wanted, missing)
            if problem is None:
                self.changes += alternative
                return None
            why = problem if why in SLIGHT else why
        return why

    def _problem(self, alternative: Sequence[Change], wanted: WantedForm, missing: Set[str]) -> str | None:
        sides = {change.streams for change in alternative}
        after = {side: self.now[side].with_changes(alternative) for side in sides}
        here = after.get(wanted.side == "stream")
        try:
            if here is None or (form_kind(wanted.form) == "order" and wanted.form not in here.order):
                return "not shown"
            for side, trial in after.items():
                if (why := trial.refusal(self.plain[side])) is not None:
                    return why
        except UnfitChangeError:
            return "unfit"
        if wanted.form not in here.forms:
            return "not shown"
        if True in after and wanted.is_about_order and self._new_orders(after[True]) - set(wanted.recorded):
            return "an order that was not recorded"
        seen = {one for trial in after.values() for one in trial.forms}
        if not seen & missing:
            return NOTHING_NEW
        if {one for one in self.shown if (side_of(one) == "stream") in sides} - seen:
            return "hides others"
        if self.changes and any(not same_usage(trial, self.now[side]) for side, trial in after.items()):
            return "other tokens"
        self.shown |= seen & missing
        self.now.update(after)
        return None


    def _new_orders(self, after: AnswerTrial) -> Set[str]:
        return after.order - self.now[True].order


NOTHING_NEW = "nothing new"
SLIGHT = frozenset({"no place", "unfit", "not shown", "an order that was not recorded"})
"""Reasons that say less than others."""


@dataclass
class Derivation:
    """What was derived for one provider. ``refused`` are forms for which no change was found, and why."""

    provider: str
    buckets: list[Bucket] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


def derive(
    provider: str, covered: frozenset[str], recorded: Mapping[str, int], bases: Mapping[str, ScriptTurn]
) -> Derivation:
    """Changes of a provider's answers for all that is wanted and not ``covered``."""
    found = Derivation(provider)
    wanted = dict(_wanted(provider, recorded))
    missing = set(wanted.keys() - covered)
    for seed in tables()["seeds"].get(provider, ()):
        _plant(found, provider, seed, bases, missing)
    while True:
        left = missing - found.refused.keys()
        top = [form for form in left if not any(parent in left for parent in parents(_positive(form)))]
        if not top:
            return found
        for form in sorted(top, key=lambda one: (wanted[one] != "own host", *_late(one), one)):
            if form in missing:
                why = _shown(found, WantedForm(provider, form, wanted[form], tuple(recorded)), bases, missing)
                if why is not None:
                    found.refused[form] = why


def _plant(
    found: Derivation, provider: str, seed: Mapping[str, Any], bases: Mapping[str, ScriptTurn], missing: set[str]
) -> None:
    """Take changes that stand in the tables, if they say what the script says."""
    evidence: ChangeEvidence = seed.get("evidence", "own host")
    bucket = next(_new(WantedForm(provider, "response", evidence), {seed["base"]: bases[seed["base"]]}))
    bucket.changes += [change_of({"evidence": evidence, **change}) for change in seed["changes"]]
    for streaming, plain in bucket.plain.items():
        bucket.now[streaming] = plain.with_changes([change for change in bucket.changes if change.streams == streaming])
        why = bucket.now[streaming].refusal(plain)
        if why is not None:
            found.refused[f"seed {seed['changes']}"] = why
            return
    bucket.shown = missing & {form for trial in bucket.now.values() for form in trial.forms}
    missing -= bucket.shown
    found.buckets.append(bucket)


def _late(form: str) -> tuple[bool, bool]:
    """Orders come last, for others may bring them about; and streams after bodies."""
    return form_kind(form) == "order", side_of(form) == "stream"


def _positive(form: str) -> str:
    return form.removesuffix(" absent").removesuffix(" = null")


def _wanted(provider: str, recorded: Mapping[str, int]) -> Iterator[tuple[str, ChangeEvidence]]:
    for side in SIDES[1:]:
        for form in sorted(forms_in_types(provider, side)):
            if form_kind(form) == "branch" and reason_for(provider, form) is None and not _means(provider, form):
                yield from ((above, _typed(provider, above)) for above in parents(form) if above not in SIDES)
                yield form, _typed(provider, form)
    for form in recorded:
        if side_of(form) != "request" and not _means(provider, form):
            undeclared = _is_undeclared(provider, form)
            yield form, "deviating hosts" if undeclared else "own host"


def _means(provider: str, form: str) -> bool:
    return matches(form, tables()["meaning"].get(provider, ()))


def _is_undeclared(provider: str, form: str) -> bool:
    kinds = tables()["undeclared"].get(card(provider).format, ())
    return any(f"[type={kind}]" in form or f"(type={kind})" in form for kind in kinds)


def _typed(provider: str, form: str) -> ChangeEvidence:
    """Who sends a form of the types. Calls of tools that our client did not declare are sent by nobody else, and events
    of the types that belong to no item come at no place that we know of."""
    alone = form.startswith("stream(type=") and "item(" not in form and "content_block" not in form
    return "deviating hosts" if alone or _is_undeclared(provider, form) else "typed"


def _shown(found: Derivation, want: WantedForm, bases: Mapping[str, ScriptTurn], missing: set[str]) -> str | None:
    """Show a form by all its values, each in the first bucket that holds it. Returns why not, if none does."""
    whys = [_placed(found, want, number, bases, missing) for number in range(want.count)]
    if want.form not in missing:
        return None
    why = next((why for why in whys if why is not None), "not shown")
    return _shown_with_more(found, want, bases, missing) if why in SLIGHT else why


def _shown_with_more(
    found: Derivation, want: WantedForm, bases: Mapping[str, ScriptTurn], missing: set[str]
) -> str | None:
    """Show a form by a new one of what it stands in."""
    for above in parents(_positive(want.form)):
        if above.endswith("]") or above.count(".") == 1:
            more = replace(want, form=above)
            for number in range(more.count):
                _placed(found, more, number, bases, missing)
            if want.form not in missing:
                return None
    return "unfit"


def _placed(
    found: Derivation, want: WantedForm, number: int, bases: Mapping[str, ScriptTurn], missing: set[str]
) -> str | None:
    why: str | None = "no place"
    same = [bucket for bucket in found.buckets if bucket.evidence == want.evidence and len(bucket.changes) < FULL]
    for bucket in [*same[::-1], *_new(want, bases)]:
        problem = bucket.taken(want, number, missing)
        if problem is None:
            if bucket not in found.buckets:
                found.buckets.append(bucket)
            missing -= {form for trial in bucket.now.values() for form in trial.forms}
            return None
        if problem == NOTHING_NEW:
            return problem
        why = problem if why in SLIGHT else why
    return why


def _new(want: WantedForm, bases: Mapping[str, ScriptTurn]) -> Iterator[Bucket]:
    for name, turn in bases.items():
        plain = {streaming: AnswerTrial(want.provider, turn, streaming) for streaming in (False, True)}
        yield Bucket(name, want.evidence, plain, dict(plain))
