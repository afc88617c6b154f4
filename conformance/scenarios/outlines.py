"""What is asked of scenarios before one is played, without reading them all: where and how they are played.

A run begins with a plan of some thousand scenarios. So what a plan asks of ours is worked out once, and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any, Protocol

from conformance.files.packs import made_once
from conformance.model import Profile
from conformance.scenarios import Scenario, packaged_files, packaged_scenario, readers


class Outline(Protocol):
    """What a plan asks of a scenario. See `Scenario`."""

    @property
    def id(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def rules(self) -> tuple[str, ...]: ...
    @property
    def providers(self) -> tuple[str, ...] | None: ...
    @property
    def profile(self) -> Profile | None: ...
    @property
    def deliveries(self) -> tuple[str, ...] | None: ...
    @property
    def needs(self) -> frozenset[str]: ...
    @property
    def quirks(self) -> frozenset[str]: ...
    @property
    def length(self) -> tuple[int, int, int]: ...
    @property
    def streams_only(self) -> bool: ...
    @property
    def breaks_off(self) -> bool: ...
    @property
    def is_damaged(self) -> bool: ...
    @property
    def is_about_http(self) -> bool: ...
    @property
    def suits_agents(self) -> bool: ...
    @property
    def suits_models(self) -> bool: ...
    @property
    def has_changes(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class ScenarioOutline:
    """What a plan asks of one scenario, told without it."""

    id: str
    rules: tuple[str, ...]
    providers: tuple[str, ...] | None
    profile: Profile | None
    deliveries: tuple[str, ...] | None
    needs: frozenset[str]
    quirks: frozenset[str]
    length: tuple[int, int, int]
    streams_only: bool
    breaks_off: bool
    is_damaged: bool
    is_about_http: bool
    suits_agents: bool
    suits_models: bool
    has_changes: bool

    @property
    def family(self) -> str:
        """The folder it lies in."""
        return self.id.partition(".")[0]

    def data(self) -> list[Any]:
        """It as JSON data."""
        return [sorted(value) if isinstance(value, frozenset) else value for value in asdict(self).values()]


@cache
def packaged_outlines() -> Mapping[str, ScenarioOutline]:
    """The outlines of all scenarios that come with the package, by id. Raises `ScenarioError`."""
    kept = made_once("outlines", [*readers(), *packaged_files().values()], _made)
    return {outline.id: outline for outline in map(_outline_from, kept)}


def _made() -> list[list[Any]]:
    return [outline_of(packaged_scenario(name)).data() for name in packaged_files()]


def outline_of(scenario: Scenario) -> ScenarioOutline:
    """The outline of a scenario."""
    return ScenarioOutline(**{each.name: getattr(scenario, each.name) for each in fields(ScenarioOutline)})


def whole_scenario(outline: Outline) -> Scenario:
    """The scenario of an outline, which is one that comes with the package, unless it is whole already."""
    return outline if isinstance(outline, Scenario) else packaged_scenario(outline.id)


def _outline_from(data: list[Any]) -> ScenarioOutline:
    """The outline that was made to ``data``."""
    name, rules, providers, profile, deliveries, needs, quirks, length, *rest = data
    return ScenarioOutline(
        name, tuple(rules), _tuple(providers), profile, _tuple(deliveries), frozenset(needs), frozenset(quirks),
        tuple(length), *rest,
    )  # fmt: skip


def _tuple(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


class LazyScenarios(Mapping[str, Scenario]):
    """Scenarios by id, each read when it is asked for first, by its own reader."""

    def __init__(self, readers: Mapping[str, Callable[[str], Scenario]]) -> None:
        self._readers = readers

    def __getitem__(self, name: str) -> Scenario:
        return self._readers[name](name)

    def __contains__(self, name: object) -> bool:
        return name in self._readers

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)
