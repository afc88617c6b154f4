"""Which cases there are: scenarios × providers × deliveries, as far as the wire and the adapter can do them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Literal

from conformance.adapters.contract import AdapterInfo, Kind
from conformance.adapters.libraries.ways import Way, way_at
from conformance.capabilities import CAPABILITIES, Lack
from conformance.deliveries import DELIVERIES, Delivery
from conformance.engine.covering import PLAINEST, covering
from conformance.model import Profile
from conformance.responders.kinds import ResponderChoice
from conformance.rules import Rule, catalogue, is_called, names_of
from conformance.scenarios import ANSWERS, GENERATED, Scenario, generated_names, generated_scenario, load_scenarios
from conformance.session.agent import suits_agents
from conformance.transcript import ReadingName, VariantName
from conformance.wires import card

DERIVED = (GENERATED, ANSWERS)
"""Families that nobody wrote. Agents have a task to do, and play written scenarios only."""
Generation = Literal["none", "pairs", "all"]
"""None of the generated scenarios, those of strength two, or those of strength three too."""
@dataclass(frozen=True, slots=True)
class Selection:
    """What to run. Empty means everything; scenarios and rules are globs."""

    providers: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    deliveries: tuple[str, ...] = ()
    profile: Profile = "native"
    root: Path | None = None
    """The folder of the scenarios, if not that of the package."""
    answering: ResponderChoice = field(default_factory=ResponderChoice)
    generated: Generation = "pairs"
    """Which generated scenarios are played beside the written ones."""
    seed: int | None = None
    """What more scenarios are made up from by chance."""
    tolerance: bool = False
    """Whether what only others than the provider itself do counts as well."""
    whole: bool = False
    """Whether all cases are played, however many there are."""

    @property
    def derives(self) -> bool:
        """Whether generated scenarios can be played: nobody recorded them, and real models do as they like."""
        return self.root is None and self.answering.kind == "scripted"


@dataclass(frozen=True, slots=True)
class Group:
    """The cases of one adapter, provider and scenario: one for each delivery. They share what the provider says.

    ``unsupported`` says why they cannot be played.
    """

    address: str
    provider: str
    scenario: str
    deliveries: tuple[str, ...]
    unsupported: Lack | None = None


def groups(
    address: str,
    info: AdapterInfo,
    scenarios: Mapping[str, Scenario],
    selection: Selection,
    kind: Kind = "translator",
) -> Iterator[Group]:
    """The groups to play for one adapter, provider by provider.

    Another way into a library plays only what it can: the usual way tells what the library cannot.
    """
    way = way_at(address)
    if way is None:
        yield from _groups(address, info, scenarios, selection, kind)
        return
    for group in _by_another_way(way, address, info, scenarios, selection, kind):
        if group.unsupported is None or group.unsupported.kind != "capability":
            yield group


def _by_another_way(
    way: Way, address: str, info: AdapterInfo, scenarios: Mapping[str, Scenario], selection: Selection, kind: Kind
) -> Iterator[Group]:
    """A selection of what was written, provider by provider, unless scenarios or deliveries are named."""
    taken = {name: one for name, one in scenarios.items() if not way.strict or _is_strict(one)}
    for provider in info.claims(selection.providers):
        if way.providers and provider not in way.providers:
            continue
        narrow = replace(selection, providers=(provider,), deliveries=selection.deliveries or PLAINEST)
        every = _groups(address, info, taken, narrow, kind)
        playable = {group.scenario: taken[group.scenario] for group in every if not group.unsupported}
        written = (one for one in playable.values() if one.family not in DERIVED)
        chosen = playable if selection.scenarios else covering(written)
        yield from _groups(address, info, chosen, narrow, kind)


def _is_strict(scenario: Scenario) -> bool:
    return bool(scenario.tools) and all(tool.strict for tool in scenario.tools)


def _groups(
    address: str, info: AdapterInfo, scenarios: Mapping[str, Scenario], selection: Selection, kind: Kind
) -> Iterator[Group]:
    if kind == "agent":
        scenarios = {name: one for name, one in scenarios.items() if suits_agents(one) and one.family not in DERIVED}
    answering = selection.answering.kinds
    for provider, declared in info.claims(selection.providers).items():
        lacks = answering.lacks(provider)
        if kind == "agent" and selection.answering.kind != "scripted":
            lacks = Lack("responder", "an agent runs its own loop, which only the script can lead")
        for scenario in scenarios.values():
            if not is_selected(scenario.id, selection.scenarios) or not fits(
                scenario, provider, scenario.profile_in(selection.profile)
            ):
                continue
            deliveries = [
                delivery
                for delivery in _deliveries(scenario, provider, selection.deliveries)
                if answering.plays(scenario, provider, delivery) and (kind == "client" or not delivery.loses)
            ]
            for why, names in _sorted(scenario, deliveries, declared, _release(info, provider), lacks).items():
                yield Group(address, provider, scenario.id, tuple(names), why)


def _sorted(
    scenario: Scenario,
    deliveries: Sequence[Delivery],
    declared: frozenset[str],
    release: Mapping[str, str],
    lacks: Lack | None,
) -> dict[Lack | None, list[str]]:
    """The deliveries by why they cannot be played; those that can be, by ``None``."""
    found: dict[Lack | None, list[str]] = {}
    for delivery in deliveries:
        missing = sorted({*scenario.needs, _mode(delivery)} - declared)
        why = _lack(missing, release) if missing else lacks
        found.setdefault(why, []).append(delivery.name)
    return found


def _lack(missing: Sequence[str], release: Mapping[str, str]) -> Lack:
    """Why capabilities are missing: the adapter never has them, or this release of its library has not."""
    gone = sorted({release[name] for name in missing if name in release})
    if len(gone) and all(name in release for name in missing):
        return Lack("release", f"this release lacks {', '.join(gone)}")
    return Lack("capability", f"the adapter does not declare {', '.join(missing)}")


def _release(info: AdapterInfo, provider: str) -> Mapping[str, str]:
    """What a release lacks, by capability. One that lacks a provider lacks all there."""
    whole = info.lacks.get(info.told(provider))
    return info.lacks if whole is None else dict.fromkeys(CAPABILITIES, whole)


def fits(scenario: Scenario, provider: str, profile: Profile) -> bool:
    """Whether the scenario makes sense on this provider: the provider can do, and does, what the scenario is about."""
    own = card(provider)
    return (
        (scenario.providers is None or own.provider in scenario.providers)
        and (scenario.profile is None or scenario.profile == profile)
        and scenario.quirks <= own.quirks
        and scenario.needs <= own.capabilities
    )


def _deliveries(scenario: Scenario, provider: str, wanted: Sequence[str]) -> Iterator[Delivery]:
    framings = set(card(provider).framings)
    usual = card(provider).framings[0]
    for delivery in DELIVERIES.values():
        if wanted and not is_selected(delivery.name, wanted):
            continue
        if delivery.streaming and (delivery.framing or usual) not in framings & set(delivery.framings):
            continue
        if scenario.streams_only and not delivery.streaming:
            continue
        if delivery.loses and not scenario.breaks_off:
            continue
        named = scenario.deliveries
        if delivery.name not in named if named is not None else not (wanted or delivery.everywhere):
            continue
        if scenario.is_damaged and delivery.name not in ("stream:whole", "stream:per-event"):
            continue
        if scenario.is_about_http and delivery.name not in ("blocking", "stream:whole"):
            continue
        yield delivery


def _mode(delivery: Delivery) -> str:
    return "streaming" if delivery.streaming else "blocking"


def is_selected(name: str, globs: Sequence[str]) -> bool:
    """Whether a name matches one of the globs, or there are none."""
    return not globs or any(fnmatchcase(name, glob) for glob in globs)


def is_wanted(rule: Rule, globs: Sequence[str]) -> bool:
    """Whether the rule, by any of its names, matches one of the globs, or there are none."""
    return not globs or is_called(rule.id, globs)


def selected_rules(selection: Selection) -> list[Rule]:
    """The rules to judge by."""
    return [rule for rule in catalogue().values() if is_wanted(rule, selection.rules)]


def scenarios_of(selection: Selection) -> Mapping[str, Scenario]:
    """The scenarios that there are, with the rules that they name by their ids of today. Raises `ScenarioError`."""
    if not selection.derives:
        return _with_rules_of_today(selection.root)
    generated, seed = selection.generated, selection.seed
    written = _with_rules_of_today(None)
    if generated == "none":
        written = {name: one for name, one in written.items() if one.family != ANSWERS}
    return {**written, **_generated(selection.scenarios, generated), **_made_up(generated, seed)}


@cache
def _with_rules_of_today(root: Path | None) -> Mapping[str, Scenario]:
    found = load_scenarios(root).values()
    return {one.id: replace(one, rules=tuple(names_of(name)[0] for name in one.rules)) for one in found}


@cache
def _generated(globs: tuple[str, ...], generated: Generation) -> Mapping[str, Scenario]:
    """Of the generated scenarios that are kept, those that are asked for."""
    names = generated_names() if generated != "none" else ()
    return {name: generated_scenario(name) for name in names if is_selected(name, globs)}


@cache
def _made_up(generated: Generation, seed: int | None) -> Mapping[str, Scenario]:
    """The scenarios that are made for this run."""
    if generated != "all" and seed is None:
        return {}
    from conformance.generated.catalogue import made_up

    return {one.id: one for one in made_up(triples=generated == "all", seed=seed)}


def varied_by(rules: Iterable[Rule], scenario: Scenario) -> list[VariantName]:
    """What the rules that a scenario is for vary, for a second request to compare with."""
    return [rule.varies for rule in rules if rule.varies is not None and rule.id in scenario.rules]


def read_near_by(rules: Iterable[Rule], scenario: Scenario) -> list[ReadingName]:
    """Near what the rules that a scenario is for want its streams to be read once more."""
    named = [rule.near for rule in rules if rule.near is not None and rule.id in scenario.rules]
    return [*named, *(("beside-another-on-a-loop",) if "beside-another" in named else ())]


def hears_news(rules: Iterable[Rule], scenario: Scenario) -> bool:
    """Whether the rules that a scenario is for want to hear what is told while its streams are open."""
    return any(rule.hears_news and rule.id in scenario.rules for rule in rules)
