"""What the reference adapter does in all cases of some providers: its calls, their results, and the lines they run.

A mutant that answers every recorded call as the reference adapter did plays every case as it did. So only the groups
need playing in which a call is answered in another way.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from types import FrameType
from typing import Any, TypeVar

from conformance.adapters.addresses import LocatedAdapter, find_adapter
from conformance.adapters.reference import ReferenceAdapter
from conformance.adapters.telling import NewsReport, heard
from conformance.engine.cases import Group, Selection, groups, outlines_of, scenarios_of, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.model import Profile
from conformance.outcomes import FAILURES, ORDER
from conformance.rules import catalogue
from conformance.scenarios import GENERATED, Scenario
from conformance.wires.changes import UnfitChangeError
from mutation.shadow import ROOT

PER_EVENT = "stream:per-event"
"""The delivery in which streams are heard while they are open."""
PROFILES: tuple[Profile, ...] = ("portable", "native")

T = TypeVar("T")
Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """A group in a profile."""

    group: Group
    profile: Profile

    @property
    def rank(self) -> tuple[bool, str]:
        """Its place in the order of play."""
        name = f"{self.group.provider}/{self.group.scenario}"
        return self.profile != PROFILES[0], hashlib.sha256(name.encode()).hexdigest()


@dataclass(slots=True)
class Call:
    """One call of the adapter: what it was given, what it answered, the lines it ran, and the cases it came in."""

    operation: str
    provider: str
    given: Any
    options: dict[str, Any]
    result: object
    shown: str
    lines: frozenset[Line]
    cases: list[tuple[int, str]] = field(default_factory=list)
    """Places of groups, and deliveries."""


@dataclass
class Recorded:
    """All groups of some providers and the calls in them."""

    groups: list[PlannedGroup]
    calls: list[Call]

    @cached_property
    def order(self) -> list[int]:
        """The places of the groups as they are played: those of the usual profile first, else by hash."""
        return sorted(range(len(self.groups)), key=lambda place: self.groups[place].rank)

    def calls_of(self, place: int) -> dict[str, tuple[int, ...]]:
        """The numbers of the calls in a group, by delivery."""
        return self._by_group.get(place, {})

    @cached_property
    def _by_group(self) -> dict[int, dict[str, tuple[int, ...]]]:
        found: dict[int, dict[str, tuple[int, ...]]] = {}
        for number, call in enumerate(self.calls):
            for place, delivery in dict.fromkeys(call.cases):
                known = found.setdefault(place, {})
                known[delivery] = (*known.get(delivery, ()), number)
        return found

    def running(self, path: str, first: int, last: int) -> set[int]:
        """The numbers of the calls that run a statement."""
        wanted = {(path, line) for line in range(first, last + 1)}
        return {number for number, call in enumerate(self.calls) if not wanted.isdisjoint(call.lines)}


class Tracer:
    """Notes which lines of some files run. ``paths`` are the files' names, by the names in their code."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths
        self._same: dict[frozenset[Line], frozenset[Line]] = {}

    def lines(self, work: Callable[[], T]) -> tuple[T, frozenset[Line]]:
        """What ``work`` gives, and the lines."""
        found: set[Line] = set()

        def enter(frame: FrameType, event: str, argument: object) -> Any:
            path = self._paths.get(frame.f_code.co_filename)
            if path is None:
                return None

            def inside(frame: FrameType, event: str, argument: object) -> Any:
                if event == "line":
                    found.add((path, frame.f_lineno))
                return inside

            return inside

        sys.settrace(enter)
        try:
            result = work()
        finally:
            sys.settrace(None)
        ran = frozenset(found)
        return result, self._same.setdefault(ran, ran)


class _Recorder(ReferenceAdapter):
    """The reference adapter, which writes down its calls."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__()
        self._tracer = Tracer({str(ROOT / path): path for path in paths})
        self.calls: dict[str, Call] = {}
        self.case: tuple[int, str] = (0, "")
        self.hears_news = False
        self._whole_chunks = any("/gemini/" in path for path in paths)
        """Whether it matters how a stream is cut: where a wire looks at the chunks itself."""

    def build_request(self, provider: str, conversation: Any, *, stream: bool) -> Any:
        return self._do("build_request", provider, conversation, {"stream": stream}, (conversation, stream))

    def parse_response(self, provider: str, response: Any, *, conversation: Any = None) -> Any:
        return self._do("parse_response", provider, response, {"conversation": conversation}, (response, conversation))

    def parse_stream(self, provider: str, chunks: Iterable[bytes], *, conversation: Any = None) -> Any:
        given = list(chunks)
        told = given if self._whole_chunks else b"".join(given)
        options = {"conversation": conversation}
        if self.hears_news and self.case[1] == PER_EVENT:
            self._do("stream_news", provider, given, options, (given, conversation), self._heard)
        read = super().parse_stream
        return self._do("parse_stream", provider, given, options, (told, conversation), _of_iterator(read))

    def _heard(self, provider: str, given: list[bytes], *, conversation: Any) -> NewsReport:
        return heard(lambda chunks: self.stream_news(provider, chunks, conversation=conversation), given)

    def _do(
        self,
        operation: str,
        provider: str,
        given: Any,
        options: dict[str, Any],
        told: object,
        work: Callable[..., object] | None = None,
    ) -> Any:
        key = hashlib.sha256(repr((operation, provider, told)).encode("utf-8", "surrogatepass")).hexdigest()
        if key not in self.calls:
            asked = work or getattr(super(), operation)
            result, ran = self._tracer.lines(lambda: asked(provider, given, **options))
            self.calls[key] = Call(operation, provider, given, options, result, repr(result), ran)
        call = self.calls[key]
        if not call.cases or call.cases[-1] != self.case:
            call.cases.append(self.case)
        return call.result


def _of_iterator(read: Callable[..., T]) -> Callable[..., T]:
    """An operation that takes chunks one by one, given a list of them."""
    return lambda provider, chunks, **options: read(provider, iter(chunks), **options)


def record(providers: Sequence[str], paths: Sequence[str], *, also_generated: Sequence[str] = ()) -> Recorded:
    """Play all groups of some providers, without judging. ``paths`` are the files whose lines are noted.

    ``also_generated``: on these the generated scenarios are played as well, in the usual profile.
    """
    recorder = _Recorder(paths)
    comparing = {rule.id for rule in catalogue().values() if rule.varies}  # these ask for more than is judged
    news = {rule.id for rule in catalogue().values() if rule.hears_news}
    found = replace(find_adapter("reference"), make=lambda: recorder)
    planned: list[PlannedGroup] = []
    for selection in _selections(providers, also_generated):
        for group in groups(found.address, found.info, outlines_of(selection), selection):
            if not group.unsupported:
                planned.append(PlannedGroup(group, selection.profile))
                asks = scenarios()[group.scenario].rules
                recorder.hears_news = not news.isdisjoint(asks)
                play = play_of(found, planned[-1], rules=not comparing.isdisjoint(asks))
                for delivery in group.deliveries:
                    recorder.case = (len(planned) - 1, delivery)
                    with suppress(UnfitChangeError):  # what is changed in the provider's answers a host may not send
                        play.case(delivery)
    return Recorded(planned, list(recorder.calls.values()))


def _selections(providers: Sequence[str], also_generated: Sequence[str]) -> Iterator[Selection]:
    for profile in PROFILES:
        yield Selection(providers=tuple(providers), profile=profile, generated="none")
    if also_generated:
        yield Selection(providers=tuple(also_generated), profile=PROFILES[0], scenarios=(f"{GENERATED}.*",))


@cache
def scenarios() -> Mapping[str, Scenario]:
    """All that can be played, generated ones included."""
    return scenarios_of(Selection())


def play_of(found: LocatedAdapter, planned: PlannedGroup, *, rules: bool = True) -> GroupPlay:
    """A group, ready to be played."""
    selection = Selection(profile=planned.profile)
    judges = selected_rules(selection) if rules else []
    return GroupPlay(found, planned.group, scenarios()[planned.group.scenario], selection, judges)


@dataclass(frozen=True, slots=True)
class Kill:
    """The first case that a mutant fails, and the rules that say so. ``worst`` is their outcome."""

    worst: str
    rules: list[str]
    provider: str
    scenario: str
    delivery: str
    profile: str


class Player:
    """Plays groups with an adapter and says which rules it breaks that the original does not break.

    ``original`` says what the original breaks in a case.
    """

    def __init__(self, found: LocatedAdapter, original: Callable[[PlannedGroup, str], Iterable[str]]) -> None:
        self._found = found
        self._original = original
        self._plays: dict[PlannedGroup, GroupPlay] = {}
        self.warned: Kill | None = None

    def kill(self, planned: PlannedGroup, delivery: str) -> Kill | None:
        """How the case fails, if it does. A mere warning is kept in ``warned``."""
        if planned not in self._plays:
            self._plays[planned] = play_of(self._found, planned)
        try:
            found = broken(self._plays[planned], delivery)
        except Exception as problem:  # the judge cannot stand what the adapter says
            found = {f"harness: {type(problem).__name__}: {problem}"[:200]: "harness_error"}
        if found:
            own = set(self._original(planned, delivery))
            found = {rule: outcome for rule, outcome in found.items() if rule not in own}
        failing = {rule: outcome for rule, outcome in found.items() if outcome in FAILURES}
        if not found:
            return None
        group, told = planned.group, failing or found
        worst = min(told.values(), key=ORDER.index)  # type: ignore[arg-type]
        kill = Kill(worst, list(told), group.provider, group.scenario, delivery, planned.profile)
        if failing:
            return kill
        self.warned = self.warned or kill
        return None


def reference_player(adapter: ReferenceAdapter) -> Player:
    """Plays another reference adapter than the real one."""
    real = find_adapter("reference")

    def original(planned: PlannedGroup, delivery: str) -> Iterable[str]:
        return broken(play_of(real, planned), delivery)

    return Player(replace(real, make=lambda: adapter), original)


def broken(play: GroupPlay, delivery: str) -> dict[str, str]:
    """The rules that a case breaks, and how."""
    report = play.case(delivery)
    return {
        rule: entry.outcome
        for rule, entry in report.rules.items()
        if entry.outcome in FAILURES or entry.outcome == "warn"
    }
