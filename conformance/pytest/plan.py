"""What a suite plays, by the engine of `conformance run`, in the process of the tests."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from conformance.adapters.addresses import LocatedAdapter, find_adapter
from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries.ways import split_way
from conformance.baseline import BaselineEntry, apply_baseline, expecting, is_needed, live_entries
from conformance.engine.cases import Group, Selection, groups, scenarios_of, selected_rules
from conformance.engine.children import AdapterChild, open_child
from conformance.engine.group_play import GroupPlay
from conformance.engine.pool import AdapterProbe
from conformance.engine.report import CaseReport, Failure
from conformance.matrix import Cell, Matrix, repeating_command
from conformance.obstacles import ADVICE, HEADS
from conformance.outcomes import FAILURES, OperationFailure, Outcome
from conformance.rules import Rule, is_called, load_checks
from conformance.runner.errors import UsageError
from conformance.runner.settings import SECONDS

IN_A_CHILD = ("stdio:", "env:")
"""Addresses of adapters that cannot live in this process."""


@dataclass(frozen=True, slots=True)
class SuiteCase:
    """What one test plays: a scenario on a provider. A group for the deliveries that can be played, and one for each
    reason why others cannot."""

    provider: str
    scenario: str
    groups: tuple[Group, ...]

    @property
    def family(self) -> str:
        """The scenario's family."""
        return self.scenario.partition(".")[0]

    @property
    def names(self) -> list[str]:
        """The names of its cases, as results and baselines have them."""
        return [f"{self.scenario}/{delivery}" for group in self.groups for delivery in group.deliveries]


@dataclass(frozen=True, slots=True)
class BrokenCase:
    """One rule that one delivery broke. ``evidence`` is that of its first failure."""

    rule: Rule
    delivery: str
    outcome: Outcome
    failures: tuple[Failure, ...]
    evidence: Mapping[str, Any]
    reproduce: str


@dataclass
class PlayedCase:
    """What a test came to. ``broken`` is what no baseline expects, ``known`` says what one does, ``warned`` are rules
    that say ``should``. ``idle`` says why nothing was examined. ``raised`` is what the adapter raised, by delivery."""

    plan: SuitePlan
    case: SuiteCase
    broken: list[BrokenCase] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    expected: list[BrokenCase] = field(default_factory=list)
    warned: list[Rule] = field(default_factory=list)
    idle: str = ""
    hindered: str = ""
    """What stood against playing it, where that is no lack that the adapter declares."""
    raised: dict[str, BaseException] = field(default_factory=dict)

    @property
    def fails(self) -> bool:
        """Whether something is broken, known or not."""
        return bool(self.broken or self.expected)

    @property
    def told(self) -> list[BrokenCase]:
        """What a failing test tells: what is known only where nothing else is (``--runxfail``)."""
        return self.broken or self.expected

    @property
    def problem(self) -> BaseException | None:
        """The first exception of the adapter that made something fail."""
        at_fault = {one.delivery for one in self.told if one.outcome in ("error", "crash")}
        return next((problem for delivery, problem in self.raised.items() if delivery in at_fault), None)


class SuitePlan:
    """The cases of a suite, and what they came to so far in this process.

    ``matrix`` holds the cells, as in a run. Raises `UsageError` and `AdapterError`.
    """

    def __init__(
        self, address: str, selection: Selection, entries: tuple[BaselineEntry, ...], *, expects: bool = True
    ) -> None:
        self._child: AdapterChild | None = None
        self.found = self._adapter(address)
        self.entries = entries
        self._live = live_entries(entries, datetime.date.today()) if expects else []
        self._selection = selection
        self._scenarios = scenarios_of(selection)
        self._rules = selected_rules(selection)
        load_checks()
        probe = AdapterProbe(address, self.found.info, self.found.kind)
        self.matrix = Matrix([probe], self._scenarios, selection)
        self.cases = list(self._planned(address))
        self._played: set[tuple[str, str]] = set()
        if not self.cases:
            raise UsageError(self._why_nothing())

    def _adapter(self, address: str) -> LocatedAdapter:
        if address.startswith(IN_A_CHILD):
            self._child = open_child(address)
            found = self._child.found
        else:
            found = find_adapter(address)
        if found.kind == "gateway":
            raise AdapterError(f"{address} is a gateway; this version plays translators, clients and agents")
        return found

    def close(self) -> None:
        """End the adapter's child, if it has one."""
        if self._child is not None:
            self._child.caller.close()

    def _planned(self, address: str) -> Iterator[SuiteCase]:
        found: dict[tuple[str, str], list[Group]] = {}
        for group in groups(address, self.found.info, self._scenarios, self._selection, self.found.kind):
            found.setdefault((group.provider, group.scenario), []).append(group)
        for (provider, scenario), together in found.items():
            yield SuiteCase(provider, scenario, tuple(together))

    def _why_nothing(self) -> str:
        info, wanted = self.found.info, self._selection.providers
        if wanted and not info.claims(wanted):
            return f"{info.name} does not declare {', '.join(wanted)}: it declares {', '.join(info.capabilities)}"
        return "nothing is to be played: no scenario fits the providers and deliveries that are chosen"

    # --- playing -----------------------------------------------------------------------------------------------------

    def play(self, case: SuiteCase) -> PlayedCase:
        """Play a case and judge it. Raises what is wrong with ourselves."""
        played = PlayedCase(self, case)
        self._played.add((case.provider, case.scenario))
        reports = [report for group in case.groups if not group.unsupported for report in self._reports(group, played)]
        for report in reports:
            self._enter(report, played)
        if not any(report.rules for report in reports):
            met = next((report.unsupported for report in reports if report.unsupported), None)
            if met is not None and met.kind in HEADS:
                played.hindered = f"{met}; {ADVICE[met.kind]}"
            played.idle = _why_idle(case)
        return played

    def _reports(self, group: Group, played: PlayedCase) -> Iterator[CaseReport]:
        raised: list[OperationFailure] = []
        play = GroupPlay(
            self.found, group, self._scenarios[group.scenario], self._selection, self._rules,
            mask=self.matrix.mask, on_failure=raised.append,
        )  # fmt: skip
        for delivery in group.deliveries:
            if self._child is not None:
                self._child.caller.revive()
                self._child.caller.allow(SECONDS)
            raised.clear()
            yield self.matrix.report(play.case(delivery))
            if problems := [one.raised for one in raised if one.raised is not None]:
                played.raised[delivery] = problems[0]
            if self._child is not None and self._child.has_grown:
                self._child.rest()

    def _enter(self, report: CaseReport, played: PlayedCase) -> None:
        """Count a case, and sort out what failed in it."""
        self.matrix.enter(report)
        for name, entry in report.rules.items():
            cell = self.matrix.cells.get((split_way(report.address)[0], report.provider, name))
            if cell is None:
                continue
            if entry.outcome == "warn" and cell.rule not in played.warned:
                played.warned.append(cell.rule)
            if entry.outcome in FAILURES:
                self._enter_failure(report, cell, played)

    def _enter_failure(self, report: CaseReport, cell: Cell, played: PlayedCase) -> None:
        entry = report.rules[cell.rule.id]
        evidence = report.evidence.get(entry.failures[0].evidence, {}) if entry.failures else {}
        repeat = repeating_command(report, cell.rule.id, self._selection, self.found.info.version)
        failures = tuple(entry.failures)
        broken = BrokenCase(cell.rule, report.delivery, entry.outcome, failures, evidence, repeat)
        expected = expecting(self._live, cell, report.name)
        if expected is None:
            played.broken.append(broken)
            return
        played.expected.append(broken)
        words = f"{expected}: {expected.reason} ({expected.link})"
        if words not in played.known:
            played.known.append(words)

    # --- the baseline ------------------------------------------------------------------------------------------------

    def complaints(self, entry: BaselineEntry) -> list[str]:
        """What is wrong with an entry. What it is about, and was not played in this process, is played now."""
        today = datetime.date.today()
        cells = self.matrix.cells.values()
        if entry.expires >= today and any(map(entry.matches, cells)):
            for case in self._about(entry):
                if is_needed(entry, cells):
                    break
                self.play(case)
        return apply_baseline([entry], self.matrix, today)

    def _about(self, entry: BaselineEntry) -> list[SuiteCase]:
        """The cases that were not played and that an entry may be about, those first that are for its rule.

        Where it covers no case at all they are those that fail instead, so that the nearest can be named.
        """
        own = [case for case in self.cases if fnmatchcase(case.provider, entry.provider)]
        covered = [case for case in own if any(map(entry.covers, case.names))]
        left = [case for case in covered or own if (case.provider, case.scenario) not in self._played]
        rules = {case: self._scenarios[case.scenario].rules for case in left}
        return sorted(left, key=lambda case: not any(is_called(rule, (entry.rule,)) for rule in rules[case]))


def _why_idle(case: SuiteCase) -> str:
    """Why a case examined nothing."""
    lacks = dict.fromkeys(str(group.unsupported) for group in case.groups if group.unsupported)
    return f"unsupported: {'; '.join(lacks)}" if lacks else "not applicable: no rule had anything to examine"
