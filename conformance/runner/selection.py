"""What to run: names and globs, each of which must match something."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import get_args

from conformance.engine.cases import Generation, Selection, scenarios_of
from conformance.hints import nearest
from conformance.model import Profile
from conformance.responders.kinds import ResponderChoice
from conformance.runner.errors import Option, UsageError
from conformance.scenarios import GENERATED, packaged_files

Names = str | Iterable[str]
"""One name, or several."""
PROFILES: tuple[Profile, ...] = get_args(Profile)


def as_tuple(names: Names) -> tuple[str, ...]:
    """The names, in order, as often as they are given."""
    return (names,) if isinstance(names, str) else tuple(names)


def selection_of(
    providers: Names,
    scenarios: Names,
    rules: Names,
    deliveries: Names,
    profile: Profile,
    root: Path | str | None,
    answering: ResponderChoice,
    generated: Generation = "pairs",
    seed: int | None = None,
    tolerance: bool = False,
    whole: bool = False,
    requirement_set: str = "",
) -> Selection:
    """The selection. Raises `UsageError` for a name or glob that matches nothing."""
    from conformance.deliveries import DELIVERIES
    from conformance.rules import rule_names

    chosen = Selection(
        checked_providers(providers),
        as_tuple(scenarios),
        as_tuple(rules),
        as_tuple(deliveries),
        profile,
        Path(root).resolve() if root is not None else None,
        answering,
        generated,
        seed,
        tolerance,
        whole,
        _checked_set(requirement_set, root, generated, seed),
    )
    _each_matches("scenario", chosen.scenarios, _known_scenarios(chosen))
    _each_matches("rule", chosen.rules, rule_names())
    _each_matches("delivery", chosen.deliveries, DELIVERIES)
    if profile not in PROFILES:
        raise UsageError(Option("profile"), f": unknown profile {profile!r}{nearest(profile, PROFILES)}")
    return chosen


def _checked_set(name: str, root: Path | str | None, generated: Generation, seed: int | None) -> str:
    """The name of a set, or none. Raises `UsageError`, also for what a set does not hold."""
    from conformance.sets import SetError, playable_set

    if not name:
        return ""
    if root is not None or generated != "pairs" or seed is not None:
        fits = "scenario_folder" if root is not None else "generated" if seed is None else "seed"
        raise UsageError(Option("requirement_set", name), " plays what it holds: leave out ", Option(fits))
    try:
        playable_set(name)
    except SetError as problem:
        raise UsageError(str(problem)) from None
    return name


def _known_scenarios(chosen: Selection) -> Collection[str]:
    """The ids that a glob may match."""
    if not chosen.derives:
        return scenario_ids(chosen.root)
    made_up = chosen.generated == "all" or chosen.seed is not None
    return [*packaged_files(), *(scenarios_of(chosen) if made_up else ())]


def checked_providers(names: Names) -> tuple[str, ...]:
    """The providers and hosts of these names. Raises `UsageError`."""
    from conformance.wires import known_ids

    for provider in as_tuple(names):
        if provider not in known_ids():
            raise UsageError(f"unknown provider {provider!r}{nearest(provider, known_ids())}")
    return as_tuple(names)


def scenario_ids(root: Path | str | None = None) -> Collection[str]:
    """The ids of the scenarios under ``root``. Raises `UsageError` when a scenario file cannot be used."""
    from conformance.rules import catalogue, find_rule
    from conformance.scenarios import ScenarioError, load_scenarios

    if root is None:
        return [name for name in packaged_files() if not name.startswith(f"{GENERATED}.")]
    try:
        scenarios = load_scenarios(Path(root).resolve())
    except ScenarioError as problem:
        raise UsageError(str(problem)) from None
    for scenario in scenarios.values():
        for name in scenario.rules:
            if find_rule(name) is None:
                raise UsageError(f"{root}: {scenario.id}: unknown rule {name!r}{nearest(name, catalogue())}")
    return scenarios.keys()


def _each_matches(what: str, globs: Iterable[str], names: Collection[str]) -> None:
    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in names):
            raise UsageError(f"no {what} matches {glob!r}{nearest(glob, names)}")
