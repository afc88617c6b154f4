"""What the last full selftest showed of each rule, in short: ``kills.json``, which goes with the package.

Playing all mutants takes minutes, and ``conformance explain`` must answer at once. So ``conformance selftest --kills
conformance/mutants/kills.json`` writes down how many mutants die by each rule, a few of them by name, and in which
scenarios the rule has something to examine. A set of scenarios is a hexadecimal number: each bit stands for a place in
the list of their names.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from conformance.scenarios import written_scenarios

NAMED = 5
"""How many of a rule's mutants are named."""


@dataclass(frozen=True, slots=True)
class Victim:
    """A mutant that dies by a rule, on a provider, and its lie in words."""

    name: str
    provider: str
    says: str


@dataclass(frozen=True, slots=True)
class Kills:
    """What is known of one rule. ``count`` counts a mutant once for each provider; ``victims`` are a few of them.

    ``why`` says why there are none. ``scenarios`` are those in which the rule examines the reference adapter.
    """

    count: int = 0
    victims: tuple[Victim, ...] = ()
    scenarios: tuple[str, ...] = ()
    why: str = ""


@cache
def killing_cases() -> Mapping[str, Collection[str]] | None:
    """By provider the cases, as ``scenario/delivery``, that kill all mutants that the last full selftest killed;
    ``None`` where it did not write that down."""
    known = _document().get("cases")
    return None if known is None else {provider: frozenset(cases) for provider, cases in known.items()}


@cache
def known_kills() -> Mapping[str, Kills]:
    """What is known of each rule, by id."""
    document = _document()
    return {rule: _kills(entry, document) for rule, entry in document["rules"].items()}


@cache
def _document() -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(
        resources.files("conformance.mutants").joinpath("kills.json").read_text("utf-8")
    )
    return document


def _kills(entry: Mapping[str, Any], document: Mapping[str, Any]) -> Kills:
    pairs = [name.split(" ", 1) for name in entry["mutants"]]
    victims = tuple(Victim(name, provider, document["says"][name]) for provider, name in pairs)
    bits = int(entry["scenarios"], 16)
    scenarios = tuple(name for place, name in enumerate(document["scenarios"]) if bits >> place & 1)
    return Kills(entry["kills"], victims, scenarios, entry.get("why", ""))


def kills_text(document: Mapping[str, Any]) -> str:
    """``kills.json`` for a selftest, given as its document: a line for each rule and each mutant."""
    scenarios = sorted({name for rule in document["rules"] for name in rule["scenarios"]})
    places = {name: place for place, name in enumerate(scenarios)}
    victims = {rule["id"]: list(_victims(rule, document["mutants"])) for rule in document["rules"]}
    rules = {
        rule["id"]: {
            "kills": rule["kills"],
            "mutants": [f"{mutant['provider']} {mutant['name']}" for mutant in victims[rule["id"]]],
            "scenarios": f"{sum(1 << places[name] for name in rule['scenarios']):x}",
            **({"why": rule["why"]} if "why" in rule else {}),
        }
        for rule in document["rules"]
    }
    says = {mutant["name"]: mutant["says"] for named in victims.values() for mutant in named}
    parts = [
        f'"suite": {json.dumps(document["suite"]["version"])}',
        f'"scenarios": {json.dumps(scenarios, indent=1)}',
        f'"says": {_lines(says)}',
        f'"rules": {_lines(rules)}',
        f'"cases": {_lines(shortest_killers(document["mutants"]))}',
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _victims(rule: Mapping[str, Any], mutants: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The first few mutants of a rule, each on the first provider on which it dies by that rule."""
    for name in rule["mutants"][:NAMED]:
        own = (mutant for mutant in mutants if mutant["name"] == name)
        yield next(mutant for mutant in own if any(kill["rule"] == rule["id"] for kill in mutant.get("killed_by", ())))


def _lines(entries: Mapping[str, Any]) -> str:
    lines = [f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=True)}" for name, entry in entries.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def shortest_killers(mutants: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """By provider cases that together kill each of these mutants (of a selftest's document): those with few answers,
    and few in number."""
    scenarios = written_scenarios()
    found: dict[str, set[str]] = {}
    for mutant in sorted(mutants, key=lambda mutant: len(mutant.get("killed_by", ()))):
        cases = {kill["case"].removesuffix(" (native)") for kill in mutant.get("killed_by", ())}
        own = found.setdefault(mutant["provider"], set())
        if cases and not cases & own:
            own.add(min(cases, key=lambda case: (len(scenarios[case.rpartition("/")[0]].answers), case)))
    return {provider: sorted(cases) for provider, cases in found.items()}
