"""What the mutants came to: which rule kills which, what survives and why, and what that says about the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from conformance.documents import Document
from conformance.engine.evidence import bounded
from conformance.model import to_json
from conformance.mutants.equivalence import Equivalence
from conformance.mutants.equivalent import equivalences, explanation
from conformance.mutants.examples import example_dies
from conformance.mutants.run import MutantResult, MutantSelection, Share
from conformance.mutants.trial import Kill
from conformance.rules import Rule
from conformance.scenarios import written_scenarios
from conformance.schemas import schema
from conformance.version import VERSION

Fate = Literal["killed", "survived", "equivalent", "idle"]
"""``survived`` is without explanation, ``equivalent`` with one. ``idle`` does just what the reference adapter does."""

Standing = Literal["kills", "no_kill", "not_observable"]

MANY = 12
"""A mutant that more rules than this name shows rules that are not precise."""


@dataclass
class Score:
    """All that was played."""

    wanted: MutantSelection
    shares: Sequence[Share]
    examples: dict[str, bool] = field(init=False)

    def __post_init__(self) -> None:
        self.examples = {rule.id: example_dies(rule) for rule in self.rules}

    @cached_property
    def played(self) -> list[tuple[MutantResult, Fate]]:
        """Every mutant on every provider, and its fate."""
        return [(item, self._fate(item)) for share in self.shares for item in share.played]

    @cached_property
    def rules(self) -> list[Rule]:
        """The rules on trial: those that are told at one of the providers."""
        return [rule for rule in self.wanted.judges() if any(map(rule.is_told, self.wanted.on))]

    @cached_property
    def kills(self) -> dict[str, list[MutantResult]]:
        """The mutants that each rule kills: those that were written for it first, then others written by hand."""
        found: dict[str, list[MutantResult]] = {rule.id: [] for rule in self.rules}
        for item, _ in self.played:
            for kill in item.trial.kills:
                found[kill.rule].append(item)
        return {
            rule: sorted(items, key=lambda item: (rule not in item.aims, not item.aims))
            for rule, items in found.items()
        }

    def _fate(self, item: MutantResult) -> Fate:
        trial = item.trial
        if trial.outcome == "survived" and explanation(item.name, trial.provider) is not None:
            return "equivalent"
        return trial.outcome

    # --- the verdict -------------------------------------------------------------------------------------------------

    def standing(self, rule: Rule) -> tuple[Standing, str | None]:
        """Whether a rule kills, and why not if there is a reason."""
        if self.kills[rule.id]:
            return "kills", None
        if any(rule.id in share.examined for share in self.shares):
            return "no_kill", None
        reasons = [rule.not_observed.get(provider) or rule.not_observed.get("all") for provider in self.wanted.on]
        why = next((reason for reason in reasons if reason), None)
        return ("not_observable", why) if why else ("no_kill", "no scenario gives it anything to examine")

    @cached_property
    def problems(self) -> list[str]:
        """What makes the selftest fail."""
        return [
            *self._idle_rules(),
            *self._immortal(),
            *self._missed(),
            *self._stale(),
            *self._examples(),
            *self._wrong(),
        ]

    def _idle_rules(self) -> Iterator[str]:
        if self.wanted.mutants:
            return  # only some mutants were played, so this says nothing about rules
        for rule in self.rules:
            standing, why = self.standing(rule)
            if standing == "no_kill":
                yield f"{rule.id} kills no mutant" + (f": {why}" if why else "")

    def _immortal(self) -> Iterator[str]:
        for item, fate in self.played:
            aimed = any(rule.id in item.aims for rule in self.rules)
            if item.aims and fate != "killed" and aimed:
                yield f"{item.name} must die and does not on {item.trial.provider} ({fate})"

    def _missed(self) -> Iterator[str]:
        """Mutants written by hand that die, but on no provider by the rule that they are written for."""
        names = {item.name: item for item, _ in self.played if item.aims}
        for name, item in names.items():
            killers = {kill.rule for one, _ in self.played if one.name == name for kill in one.trial.kills}
            for rule in self.rules:
                examined = any(rule.id in share.examined for share in self.shares)
                if rule.id in item.aims and rule.id not in killers and killers and examined:
                    yield f"{name} dies, but not by {rule.id}"

    def _stale(self) -> Iterator[str]:
        if self.wanted.rules:
            return  # not all rules have had their say
        for entry in equivalences():
            covered = [(item, fate) for item, fate in self.played if entry.covers(item.name, item.trial.provider)]
            for trial in (item.trial for item, fate in covered if fate == "killed"):
                yield f"explained as equivalent, but dies: {trial.mutant} on {trial.provider} by {trial.kills[0].rule}"
            if not covered and not self.wanted.mutants and set(entry.providers) <= set(self.wanted.on):
                yield f"explained as equivalent, but there is no such mutant: {entry.name}"

    def _examples(self) -> Iterator[str]:
        yield from (f"example:{name} survives" for name, dies in self.examples.items() if not dies)

    def _wrong(self) -> Iterator[str]:
        for share in self.shares:
            for rule, case in share.wrong.items():
                yield f"{rule} blames the reference adapter on {share.provider} in {case}"

    # --- as data -----------------------------------------------------------------------------------------------------

    def document(self, command: str, seconds: float) -> Document:
        """Everything, as a document that conforms to ``selftest.schema.json``."""
        return {
            "schema": schema("selftest")["$id"],
            "suite": {"version": VERSION, "rules": len(self.rules), "scenarios": len(written_scenarios())},
            "run": {"command": command, "duration_s": round(seconds, 1), "providers": list(self.wanted.on)},
            "summary": self._summary(),
            "rules": [self._rule(rule) for rule in self.rules],
            "mutants": [self._mutant(item, fate) for item, fate in self.played],
            "equivalent": [entry for entry in map(self._equivalent, equivalences()) if entry["mutants"]],
            "problems": self.problems,
        }

    def _summary(self) -> Document:
        standings = Counter(self.standing(rule)[0] for rule in self.rules)
        return {
            **_counts(fate for _, fate in self.played),
            "rules": {name: standings[name] for name in ("kills", "no_kill", "not_observable")},
            "examples": {"killed": sum(self.examples.values()), "survived": list(self.examples.values()).count(False)},
            "providers": self._by(lambda item: item.trial.provider),
            "kinds": self._by(lambda item: item.kind),
        }

    def _by(self, key: Any) -> dict[str, Document]:
        groups: dict[str, list[Fate]] = {}
        for item, fate in self.played:
            groups.setdefault(key(item), []).append(fate)
        return {name: _counts(fates) for name, fates in groups.items()}

    def _rule(self, rule: Rule) -> Document:
        standing, why = self.standing(rule)
        killed = self.kills[rule.id]
        names = list(dict.fromkeys(item.name for item in killed))
        scenarios = sorted({name for share in self.shares for name in share.examined.get(rule.id, ())})
        known = {"id": rule.id, "side": rule.side, "standing": standing, "kills": len(killed), "mutants": names}
        known |= {"scenarios": scenarios, "example_dies": self.examples[rule.id]}
        return known | ({"why": why} if why else {})

    @staticmethod
    def _mutant(item: MutantResult, fate: Fate) -> Document:
        trial = item.trial
        shown: Document = {"name": item.name, "kind": item.kind, "says": item.says, "provider": trial.provider}
        shown |= {"fate": fate, "must_die": bool(item.aims), "cases": trial.played}
        if item.aims:
            shown["aims"] = list(item.aims)
        if trial.kills:
            shown["killed_by"] = [_kill(kill) for kill in trial.kills]
        why = explanation(item.name, trial.provider) if fate == "equivalent" else None
        optional = {"why": why.why if why else None, "survives_in": trial.example}
        return shown | {name: value for name, value in optional.items() if value}

    def _equivalent(self, entry: Equivalence) -> Document:
        covered = [item for item, fate in self.played if fate == "equivalent" and _first(entry, item)]
        names = [f"{item.trial.provider} {item.name}" for item in covered]
        return {"providers": list(entry.providers), "name": entry.name, "why": entry.why, "mutants": names}


def _first(entry: Equivalence, item: MutantResult) -> bool:
    return explanation(item.name, item.trial.provider) is entry


def _kill(kill: Kill) -> Document:
    finding = kill.finding
    expected, found = bounded(to_json(finding.expected)), bounded(to_json(finding.found))
    return {"rule": kill.rule, "case": kill.case, "at": finding.at, "expected": expected, "found": found}


def _counts(fates: Iterable[Fate]) -> Document:
    """How many of each fate, and the share killed of those that are no equals of the reference adapter."""
    counts = Counter(fates)
    real = counts["killed"] + counts["survived"]
    shown: Document = {name: counts[name] for name in ("killed", "survived", "equivalent", "idle")}
    return shown | {"score": round(counts["killed"] / real, 4) if real else None}
