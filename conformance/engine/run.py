"""Playing a group of cases and judging them, in this process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.addresses import Found
from conformance.adapters.bound import BoundClient, BoundTranslator
from conformance.deliveries import DELIVERIES, Delivery
from conformance.engine.blame import blamed, mishap
from conformance.engine.cases import Group, Selection, is_selected
from conformance.engine.evidence import bounded, evidence_id, evidence_of
from conformance.engine.narrow import guilty_cut
from conformance.engine.report import CaseReport, Failure, RuleReport
from conformance.engine.verdicts import Verdict, Verdicts
from conformance.model import AssistantTurn, to_json
from conformance.outcomes import Outcome, worst
from conformance.responders import Scripted
from conformance.rules import Rule, catalogue
from conformance.scenarios import Scenario
from conformance.session.client import ClientSeat
from conformance.session.play import Play
from conformance.session.seat import Seat, TranslatorSeat
from conformance.transcript import Exchange


@dataclass
class GroupRun:
    """One group being run: the scenario on one provider, delivery by delivery, with one adapter."""

    found: Found
    group: Group
    scenario: Scenario
    selection: Selection
    rules: list[Rule]
    _twins: list[AssistantTurn | None] | None = None
    _cut_told: bool = False
    _responder: Scripted = field(init=False)
    _verdicts: Verdicts = field(init=False)

    def __post_init__(self) -> None:
        self._responder = Scripted(self.scenario, self.group.provider)
        self._verdicts = Verdicts(self.rules, self.group.provider, self.selection.profile)

    def case(self, delivery_name: str) -> CaseReport:
        """Play and judge one case."""
        started = time.perf_counter()
        delivery = DELIVERIES[delivery_name]
        report = CaseReport(self.group.address, self.group.provider, self.group.scenario, delivery_name)
        seat = self._seat()
        exchanges = self._play(delivery, seat, self._blocking_turns() if delivery.streaming else ())
        if not delivery.streaming:
            self._twins = [exchange.turn for exchange in exchanges]
        for place, exchange in enumerate(exchanges):
            self._judge(report, exchange, place)
        report.adapter_seconds = seat.seconds
        report.seconds = time.perf_counter() - started
        return report

    def _seat(self) -> Seat:
        adapter: Any = self.found.make()
        if self.found.kind == "client":
            return ClientSeat(BoundClient(adapter, self.group.provider), self.group.provider)
        return TranslatorSeat(BoundTranslator(adapter, self.group.provider))

    def _play(self, delivery: Delivery, seat: Seat, twins: Sequence[AssistantTurn | None] = ()) -> list[Exchange]:
        provider, profile = self.group.provider, self.selection.profile
        return Play(self.scenario, provider, profile, delivery, seat, self._responder, twins).run()

    def _blocking_turns(self) -> list[AssistantTurn | None]:
        """What the adapter understands when the same turns come blocking. Played silently if that case is not run."""
        if self._twins is None:
            able = "blocking" in self.found.info.capabilities[self.group.provider]
            if self.scenario.streams_only or not able:
                self._twins = []
            else:
                blocking = self._play(DELIVERIES["blocking"], self._seat())
                self._twins = [exchange.turn for exchange in blocking]
        return self._twins

    def _judge(self, report: CaseReport, exchange: Exchange, place: int) -> None:
        verdicts = list(blamed(self._verdicts.of(exchange, place), exchange, self.scenario))
        broken = [verdict.rule for verdict in verdicts if verdict.findings]
        shown = evidence_of(exchange, place) if broken else {}
        if any(rule.stage == "stream" for rule in broken):
            shown |= self._cut(exchange, self._seat())
        for verdict in verdicts:
            entry = report.rules.setdefault(verdict.rule.id, RuleReport("pass"))
            entry.checked += verdict.checked
            if verdict.findings:
                name = evidence_id([report.address, report.provider, report.name, place, verdict.rule.id])
                report.evidence[name] = shown
                _enter(entry, verdict, _outcome(verdict, exchange), name)

    def _cut(self, exchange: Exchange, seat: Seat) -> dict[str, object]:
        """Which cut of the stream makes the difference: told once for each scenario, because it takes many tries."""
        intent, delivery = exchange.intent, exchange.delivery
        if self._cut_told or intent is None or delivery is None or len(exchange.chunks or ()) < 2:
            return {}
        self._cut_told = True
        cut = guilty_cut(exchange, lambda chunks: seat.read(chunks, intent, delivery))
        return {"cut": cut} if cut else {}


def _outcome(verdict: Verdict, exchange: Exchange) -> Outcome:
    failed = mishap(exchange, verdict.rule)
    if failed is not None:
        return failed.kind
    return "warn" if verdict.rule.level == "should" else "fail"


def _enter(entry: RuleReport, verdict: Verdict, outcome: Outcome, evidence: str) -> None:
    entry.outcome = worst((entry.outcome, outcome))
    document = "request" if verdict.rule.side == "build" else "turn"
    entry.failures += [
        Failure(finding.at, bounded(to_json(finding.expected)), bounded(to_json(finding.found)), document, evidence)
        for finding in verdict.findings[:5]
    ]


def selected_rules(selection: Selection) -> list[Rule]:
    """The rules to judge by."""
    return [rule for rule in catalogue().values() if is_selected(rule.id, selection.rules)]
