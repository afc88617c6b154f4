"""What the reference adapter does in all cases of some providers: its calls, their results, and the lines they run.

A mutant that answers every recorded call as the reference adapter did plays every case as it did. So only the groups
need playing in which a call is answered in another way.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

from conformance.adapters.addresses import LocatedAdapter, find_adapter
from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.engine.cases import Group, Selection, groups, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.model import Profile
from conformance.outcomes import FAILURES
from conformance.scenarios import load_scenarios
from mutation.shadow import ROOT

PROFILES: tuple[Profile, ...] = ("portable", "native")

Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """A group in a profile."""

    group: Group
    profile: Profile


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
    interned: dict[frozenset[Line], frozenset[Line]]

    def running(self, path: str, first: int, last: int) -> list[Call]:
        """The calls that run a statement."""
        wanted = {(path, line) for line in range(first, last + 1)}
        return [call for call in self.calls if not wanted.isdisjoint(call.lines)]


class _Recorder(ReferenceAdapter):
    """The reference adapter, which writes down its calls."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__()
        self._paths = {str(ROOT / path): path for path in paths}
        self.calls: dict[str, Call] = {}
        self.interned: dict[frozenset[Line], frozenset[Line]] = {}
        self.case: tuple[int, str] = (0, "")
        self._bound: dict[str, BoundTranslator] = {}
        self._whole_chunks = any("/gemini/" in path for path in paths)
        """Whether it matters how a stream is cut: where a wire looks at the chunks itself."""

    def build_request(self, provider: str, conversation: Any, *, stream: bool) -> Any:
        return self._do("build_request", provider, conversation, {"stream": stream}, (conversation, stream))

    def parse_response(self, provider: str, response: Any, *, conversation: Any = None) -> Any:
        return self._do("parse_response", provider, response, {"conversation": conversation}, (response, conversation))

    def parse_stream(self, provider: str, chunks: Iterable[bytes], *, conversation: Any = None) -> Any:
        given = list(chunks)
        told = given if self._whole_chunks else b"".join(given)
        return self._do("parse_stream", provider, given, {"conversation": conversation}, (told, conversation))

    def _do(self, operation: str, provider: str, given: Any, options: dict[str, Any], told: object) -> Any:
        key = hashlib.sha256(repr((operation, provider, told)).encode("utf-8", "surrogatepass")).hexdigest()
        if key not in self.calls:
            lines: set[Line] = set()
            argument = iter(given) if operation == "parse_stream" else given
            result = self._traced(lambda: getattr(super(_Recorder, self), operation)(provider, argument, **options), lines)
            ran = frozenset(lines)
            ran = self.interned.setdefault(ran, ran)
            self.calls[key] = Call(operation, provider, given, options, result, repr(result), ran)
        call = self.calls[key]
        if not call.cases or call.cases[-1] != self.case:
            call.cases.append(self.case)
        return call.result

    def _traced(self, work: Callable[[], Any], lines: set[Line]) -> Any:
        def enter(frame: FrameType, event: str, argument: object) -> Any:
            path = self._paths.get(frame.f_code.co_filename)
            if path is None:
                return None

            def inside(frame: FrameType, event: str, argument: object) -> Any:
                if event == "line":
                    lines.add((path, frame.f_lineno))
                return inside

            return inside

        sys.settrace(enter)
        try:
            return work()
        finally:
            sys.settrace(None)


def record(providers: Sequence[str], paths: Sequence[str]) -> Recorded:
    """Play all groups of some providers, without judging. ``paths`` are the files whose lines are noted."""
    recorder = _Recorder(paths)
    found = replace(find_adapter("reference"), make=lambda: recorder)
    planned: list[PlannedGroup] = []
    for profile in PROFILES:
        selection = Selection(providers=tuple(providers), profile=profile)
        for group in groups(found.address, found.info, load_scenarios(), selection):
            if not group.unsupported:
                planned.append(PlannedGroup(group, profile))
                play = _play(found, planned[-1], rules=False)
                for delivery in group.deliveries:
                    recorder.case = (len(planned) - 1, delivery)
                    play.case(delivery)
    calls = sorted(recorder.calls.items(), key=lambda item: (item[1].cases[0][0] >= _natives(planned), item[0]))
    return Recorded(planned, [call for _, call in calls], recorder.interned)


def _natives(planned: list[PlannedGroup]) -> int:
    """The place of the first group in the native profile."""
    return sum(item.profile == "portable" for item in planned)


def _play(found: LocatedAdapter, planned: PlannedGroup, *, rules: bool = True) -> GroupPlay:
    selection = Selection(profile=planned.profile)
    judges = selected_rules(selection) if rules else []
    return GroupPlay(found, planned.group, load_scenarios()[planned.group.scenario], selection, judges)


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
    """Plays groups with an adapter and says which rules it breaks that the reference adapter does not break."""

    def __init__(self, adapter: ReferenceAdapter) -> None:
        reference = find_adapter("reference")
        self._found = replace(reference, make=lambda: adapter)
        self._reference = reference
        self._plays: dict[PlannedGroup, GroupPlay] = {}
        self.warned: Kill | None = None

    def kill(self, planned: PlannedGroup, delivery: str) -> Kill | None:
        """How the case fails, if it does. A mere warning is kept in ``warned``."""
        if planned not in self._plays:
            self._plays[planned] = _play(self._found, planned)
        try:
            broken = _broken(self._plays[planned], delivery)
        except Exception as problem:  # the judge cannot stand what the adapter says
            broken = {f"harness: {type(problem).__name__}: {problem}"[:200]: "harness_error"}
        if broken:
            own = _broken(_play(self._reference, planned), delivery)
            broken = {rule: outcome for rule, outcome in broken.items() if rule not in own}
        for failing in (True, False):
            rules = [rule for rule, outcome in broken.items() if (outcome in FAILURES) is failing]
            if rules:
                group = planned.group
                worst = "fail" if failing and all(broken[rule] == "fail" for rule in rules) else broken[rules[0]]
                kill = Kill(worst, rules, group.provider, group.scenario, delivery, planned.profile)
                if failing:
                    return kill
                self.warned = self.warned or kill
        return None


def _broken(play: GroupPlay, delivery: str) -> dict[str, str]:
    report = play.case(delivery)
    return {
        rule: entry.outcome
        for rule, entry in report.rules.items()
        if entry.outcome in FAILURES or entry.outcome == "warn"
    }
