"""Which cases there are: scenarios × providers × deliveries, as far as the wire and the adapter can do them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from typing import Literal, NamedTuple

from conformance.adapters.contract import AdapterInfo, Kind
from conformance.adapters.libraries.way import Way
from conformance.adapters.libraries.ways import way_at
from conformance.capabilities import CAPABILITIES, Lack
from conformance.deliveries import DELIVERIES, Delivery
from conformance.engine.covering import PLAINEST, covering
from conformance.model import Profile
from conformance.responders.kinds import ResponderChoice
from conformance.rules import Rule, catalogue, is_called, names_of
from conformance.scenarios import ANSWERS, GENERATED, Scenario, load_scenarios, packaged_files, packaged_scenario
from conformance.scenarios.outlines import LazyScenarios, Outline, ScenarioOutline, packaged_outlines, whole_scenario
from conformance.script import ScriptTurn
from conformance.sets import playable_set
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
    requirement_set: str = ""
    """The set that is played, if not all that there is (`conformance.sets`)."""

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
    scenarios: Mapping[str, Outline],
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
    way: Way, address: str, info: AdapterInfo, scenarios: Mapping[str, Outline], selection: Selection, kind: Kind
) -> Iterator[Group]:
    """A selection of what was written, provider by provider, unless scenarios or deliveries are named."""
    for provider in info.claims(selection.providers):
        if way.providers and provider not in way.providers:
            continue
        taken = {name: one for name, one in scenarios.items() if _takes(way, one, provider)}
        narrow = replace(selection, providers=(provider,), deliveries=selection.deliveries or PLAINEST)
        every = _groups(address, info, taken, narrow, kind, ends_in_a_call=way.forced)
        playable = {group.scenario: taken[group.scenario] for group in every if not group.unsupported}
        written = (whole_scenario(one) for one in playable.values() if one.family not in DERIVED)
        chosen = playable if selection.scenarios else covering(written)
        yield from _groups(address, info, chosen, narrow, kind, ends_in_a_call=way.forced)


def _takes(way: Way, outline: Outline, provider: str) -> bool:
    """Whether a way takes such a conversation."""
    if not way.strict and not way.forced:
        return True
    if way.forced and outline.length[2] != 1:
        return False
    scenario = whole_scenario(outline)
    strict = bool(scenario.tools) and all(tool.strict for tool in scenario.tools)
    return strict >= way.strict and (not way.forced or _forces_the_only_tool(scenario, provider))


def _forces_the_only_tool(scenario: Scenario, provider: str) -> bool:
    """Whether the only tool must be called. Where a provider has no word for that, whether it is."""
    forced = scenario.choice.mode in ("required", "tool")
    called = all(isinstance(answer, ScriptTurn) and len(answer.calls) == 1 for answer in scenario.answers)
    return called and (forced or "tool_choice" not in card(provider).capabilities)


def _groups(
    address: str,
    info: AdapterInfo,
    scenarios: Mapping[str, Outline],
    selection: Selection,
    kind: Kind,
    *,
    ends_in_a_call: bool = False,
) -> Iterator[Group]:
    """The groups of these scenarios, provider by provider. ``ends_in_a_call``: an agent's work does, not in words."""
    chosen = [
        (one, _ways_of(one))
        for one in scenarios.values()
        if is_selected(one.id, selection.scenarios)
        and (kind != "agent" or ((one.suits_agents or ends_in_a_call) and one.family not in DERIVED))
    ]
    answering = selection.answering.kinds
    for provider, declared in info.claims(selection.providers).items():
        lacks = answering.lacks(provider)
        if kind == "agent" and selection.answering.kind != "scripted":
            lacks = Lack("responder", "an agent runs its own loop, which only the script can lead")
        why_not = _why_not(declared, _release(info, provider), lacks)
        for scenario, ways in chosen:
            if not fits(scenario, provider, "native" if scenario.profile == "native" else selection.profile):
                continue
            found: dict[Lack | None, list[str]] = {}
            lacks_answer = cache(partial(answering.lacks_answer, scenario, provider))
            for delivery in _deliveries(ways, provider, selection.deliveries):
                if answering.plays(scenario, provider, delivery) and (kind == "client" or not delivery.loses):
                    lack = why_not(scenario.needs, delivery.mode) or lacks_answer(delivery.streaming)
                    found.setdefault(lack, []).append(delivery.name)
            for why, names in found.items():
                yield Group(address, provider, scenario.id, tuple(names), why)


def _why_not(
    declared: frozenset[str], release: Mapping[str, str], lacks: Lack | None
) -> Callable[[frozenset[str], str], Lack | None]:
    """Why what needs some capabilities cannot be played in a mode; ``None`` for what can be. Many need the same."""

    @cache
    def why(needs: frozenset[str], mode: str) -> Lack | None:
        missing = sorted({*needs, mode} - declared)
        return _lack(missing, release) if missing else lacks

    return why


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


def fits(scenario: Outline, provider: str, profile: Profile) -> bool:
    """Whether the scenario makes sense on this provider: the provider can do, and does, what the scenario is about."""
    own = card(provider)
    return (
        (scenario.providers is None or own.provider in scenario.providers)
        and (scenario.profile is None or scenario.profile == profile)
        and scenario.quirks <= own.quirks
        and scenario.needs <= own.capabilities
    )


class _Ways(NamedTuple):
    """What of a scenario decides in which deliveries it is played."""

    streams_only: bool
    breaks_off: bool
    is_damaged: bool
    is_about_http: bool
    named: tuple[str, ...] | None


def _ways_of(scenario: Outline) -> _Ways:
    return _Ways(
        scenario.streams_only, scenario.breaks_off, scenario.is_damaged, scenario.is_about_http, scenario.deliveries
    )


@cache
def _deliveries(ways: _Ways, provider: str, wanted: tuple[str, ...]) -> tuple[Delivery, ...]:
    """The deliveries of scenarios on a provider: thousands of scenarios go one of a few dozen ways."""
    return tuple(delivery for delivery in DELIVERIES.values() if _goes(delivery, ways, provider, wanted))


def _goes(delivery: Delivery, ways: _Ways, provider: str, wanted: Sequence[str]) -> bool:
    framings = card(provider).framings
    if wanted and not is_selected(delivery.name, wanted):
        return False
    if delivery.streaming and (delivery.framing or framings[0]) not in {*framings} & {*delivery.framings}:
        return False
    if (ways.streams_only and not delivery.streaming) or (delivery.loses and not ways.breaks_off):
        return False
    if delivery.name not in ways.named if ways.named is not None else not (wanted or delivery.everywhere):
        return False
    if ways.is_damaged and delivery.name not in ("stream:whole", "stream:per-event"):
        return False
    return not ways.is_about_http or delivery.name in ("blocking", "stream:whole")


def is_selected(name: str, globs: Sequence[str]) -> bool:
    """Whether a name matches one of the globs, or there are none."""
    return not globs or any(fnmatchcase(name, glob) for glob in globs)


def is_wanted(rule: Rule, globs: Sequence[str]) -> bool:
    """Whether the rule, by any of its names, matches one of the globs, or there are none."""
    return not globs or is_called(rule.id, globs)


def judges(rule: Rule, selection: Selection) -> bool:
    """Whether a selection judges by a rule: it is wanted, and in the set, if there is one."""
    known = playable_set(selection.requirement_set).rules if selection.requirement_set else None
    return is_wanted(rule, selection.rules) and (known is None or not known.isdisjoint(names_of(rule.id)))


def selected_rules(selection: Selection) -> list[Rule]:
    """The rules to judge by."""
    return [rule for rule in catalogue().values() if judges(rule, selection)]


def scenarios_of(selection: Selection) -> Mapping[str, Scenario]:
    """The scenarios that there are, with the rules that they name by their ids of today. Each of ours is read when it
    is asked for. Raises `ScenarioError`."""
    if selection.root is not None:
        return _with_rules_of_today(selection.root)
    made_up = _made_up(selection.generated, selection.seed) if selection.derives else {}
    names = (*_ours(selection), *made_up)
    return LazyScenarios({name: made_up.__getitem__ if name in made_up else _of_today for name in names})


def outlines_of(selection: Selection) -> Mapping[str, Outline]:
    """What a plan asks of the same scenarios. Raises `ScenarioError`."""
    if selection.root is not None:
        return _with_rules_of_today(selection.root)
    made_up = _made_up(selection.generated, selection.seed) if selection.derives else {}
    ours = packaged_outlines()
    return {**{name: _outline_of_today(ours[name]) for name in _ours(selection)}, **made_up}


def _ours(selection: Selection) -> list[str]:
    """The ids of the scenarios of ours that a selection may play; the generated ones last, those that it asks for."""
    none = () if selection.derives else (GENERATED,)
    left_out = DERIVED if selection.derives and selection.generated == "none" else none
    own = playable_set(selection.requirement_set).scenarios if selection.requirement_set else packaged_files()
    names = [name for name in packaged_files() if name in own and name.partition(".")[0] not in left_out]
    made = [name for name in names if name.startswith(f"{GENERATED}.")]
    written = [name for name in names if not name.startswith(f"{GENERATED}.")]
    return [*written, *(name for name in made if is_selected(name, selection.scenarios))]


@cache
def _with_rules_of_today(root: Path) -> Mapping[str, Scenario]:
    return {one.id: replace(one, rules=_rules_of_today(one.rules)) for one in load_scenarios(root).values()}


def _rules_of_today(rules: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(names_of(name)[0] for name in rules)


@cache
def _of_today(name: str) -> Scenario:
    """A scenario of ours."""
    one = packaged_scenario(name)
    rules = _rules_of_today(one.rules)
    return one if rules == one.rules else replace(one, rules=rules)


def _outline_of_today(one: ScenarioOutline) -> ScenarioOutline:
    rules = _rules_of_today(one.rules)
    return one if rules == one.rules else replace(one, rules=rules)


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
