"""The changes that were derived, as scenarios: one for each base, evidence and way of delivery, of a few turns each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.coverage.forms import form_kind
from conformance.derivation.bases import base_steps, base_tools
from conformance.derivation.derive import Bucket, Derivation
from conformance.derivation.values import tables
from conformance.model import ToolChoice
from conformance.scenarios import ANSWERS, AnswerStep, Scenario, Shelf, Step, UserStep
from conformance.script import Change, ScriptTurn
from conformance.wires import card

FAMILY = ANSWERS
BOTH = ("blocking", "stream:per-event")
TURNS = 5
"""How many changed turns a scenario has at most."""

KINDS = {"member": "members", "branch": "kinds", "value": "values", "null": "nulls", "absent": "absences",
         "order": "orders"}  # fmt: skip
SENDERS = {"own host": "that its hosts sent", "typed": "of its SDK's types", "deviating hosts": "of other hosts"}


@dataclass(frozen=True, slots=True)
class ChangedTurn:
    """A turn of one base, with its changes, in the deliveries in which it means the same."""

    base: str
    evidence: str
    deliveries: tuple[str, ...]
    turn: ScriptTurn
    shown: frozenset[str]


def answer_scenarios(found: Derivation) -> Iterator[Scenario]:
    """The scenarios of one provider."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[ChangedTurn]] = {}
    for bucket in found.buckets:
        for changed in _turns(bucket):
            groups.setdefault((changed.base, changed.evidence, changed.deliveries), []).append(changed)
    for (base, evidence, deliveries), turns in groups.items():
        for number, start in enumerate(range(0, len(turns), TURNS), 1):
            few = turns[start : start + TURNS]
            way = {BOTH: "", ("blocking",): "blocking", ("stream:per-event",): "stream"}[deliveries]
            which = str(number) if len(turns) > TURNS else ""
            words = "_".join(filter(None, [found.provider, base, evidence, way, which]))
            yield _scenario(re.sub("[ -]", "_", words), found.provider, few)


def _turns(bucket: Bucket) -> Iterator[ChangedTurn]:
    """The bucket; in two where a stream counts other tokens than a body."""
    plain = bucket.plain[False].turn
    body, stream = bucket.now[False], bucket.now[True]
    if body.read.usage == stream.read.usage:
        yield _changed(bucket, plain, bucket.changes, BOTH, bucket.shown)
        return
    for streams, delivery in ((False, "blocking"), (True, "stream:per-event")):
        own = [change for change in bucket.changes if change.streams == streams]
        if own:
            shown = {form for form in bucket.shown if form.startswith("stream") == streams}
            yield _changed(bucket, plain, own, (delivery,), shown)


def _changed(
    bucket: Bucket, plain: ScriptTurn, changes: Sequence[Change], deliveries: tuple[str, ...], shown: set[str]
) -> ChangedTurn:
    return ChangedTurn(
        bucket.base, bucket.evidence, deliveries, replace(plain, changes=tuple(changes)), frozenset(shown)
    )


def _scenario(name: str, provider: str, turns: Sequence[ChangedTurn]) -> Scenario:
    base: Mapping[str, Any] = tables()["bases"][turns[0].base]
    own: Mapping[str, Any] = base.get("scenario", {})
    shelf = Shelf.packaged()
    return Scenario(
        id=f"{FAMILY}.{name}",
        title=_title(provider, turns),
        rules=tuple(_rules(provider, turns)),
        requires=frozenset(),
        providers=(provider,),
        profile=own.get("profile"),
        system=None,
        reasoning=own.get("reasoning", False),
        tools=base_tools(turns[0].base, shelf),
        choice=ToolChoice("auto"),
        history=(),
        steps=tuple(_steps(turns)),
        deliveries=turns[0].deliveries,
    )


def _title(provider: str, turns: Sequence[ChangedTurn]) -> str:
    counts: Counter[str] = Counter(form_kind(form) for turn in turns for form in turn.shown)
    words = ", ".join(f"{counts[kind]} {KINDS[kind]}" for kind in KINDS if counts[kind])
    deliveries = turns[0].deliveries
    way = "" if deliveries == BOTH else f", {deliveries[0].partition(':')[0]}"
    return f"{card(provider).title}, {turns[0].base}{way}: {words} {SENDERS[turns[0].evidence]}"


def _rules(provider: str, turns: Sequence[ChangedTurn]) -> Iterator[str]:
    said, table = turns[0].turn, tables()["rules"]
    has = {
        "calls": bool(said.calls),
        "text and calls": bool(said.calls and said.text),
        "words": bool(said.text and not said.calls),
        "refusal": said.refusal is not None,
        "usage": True,
        "both deliveries": turns[0].deliveries == BOTH,
        f"items of {provider}'s own": turns[0].base == "hosted",
    }
    for name, there in has.items():
        if there:
            yield from table.get(name, ())


def _steps(turns: Sequence[ChangedTurn]) -> Iterator[Step]:
    yield UserStep("What does a.txt say?")
    for number, changed in enumerate(turns):
        yield from base_steps(changed.turn, last=number == len(turns) - 1)
    if turns[-1].turn.calls:
        yield AnswerStep(ScriptTurn(text="It says hello."))
