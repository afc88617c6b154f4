"""What the reference adapter does in every scenario of a provider: what a mutant's doings are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.contract import Translator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.engine.blame import blamed
from conformance.engine.cases import fits, hears_news, read_near_by, varied_by
from conformance.engine.verdicts import GroupJudge, Verdict
from conformance.model import AssistantTurn, Profile
from conformance.responders import ScriptedResponder
from conformance.rules import Rule, catalogue
from conformance.scenarios import Scenario, written_scenarios
from conformance.session.other_providers import OtherProviders
from conformance.session.play import Play
from conformance.session.readings import listen
from conformance.session.seat import TranslatorSeat
from conformance.transcript import Exchange
from conformance.wires import card

BLOCKING = "blocking"
STREAM = "stream:per-event"
"""The plainest delivery of a stream."""


@dataclass(frozen=True, slots=True)
class TraceCase:
    """One scenario in one profile and delivery."""

    scenario: str
    profile: Profile
    delivery: str

    @property
    def streaming(self) -> bool:
        """Whether answers are streams."""
        return DELIVERIES[self.delivery].streaming

    @property
    def twin(self) -> TraceCase:
        """The same when it comes blocking."""
        return TraceCase(self.scenario, self.profile, BLOCKING)

    def __str__(self) -> str:
        return f"{self.scenario}/{self.delivery}{'' if self.profile == 'portable' else ' (native)'}"


@dataclass
class ReferenceRecord:
    """A case as the reference adapter played it. Judged when that is asked: who measures forms never does."""

    case: TraceCase
    exchanges: list[Exchange]
    judged: Callable[[], Iterable[Verdict]]

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """What the rules say of it."""
        return list(self.judged())

    @cached_property
    def examined(self) -> frozenset[str]:
        """The rules that found something to examine in it."""
        return frozenset(verdict.rule.id for verdict in self.verdicts)

    @cached_property
    def wrong(self) -> frozenset[str]:
        """Rules that blame the reference adapter. There should be none; they can tell nothing about a mutant."""
        return frozenset(verdict.rule.id for verdict in self.verdicts if verdict.findings)

    @property
    def turns(self) -> list[AssistantTurn | None]:
        """What was understood, answer by answer."""
        return [exchange.turn for exchange in self.exchanges]


@dataclass
class Trace:
    """Everything that the reference adapter does on one provider.

    There is a record of every scenario, blocking and streamed in the plainest way, and in the native profile where that
    makes a difference. Records of other deliveries are made when they are asked for. Mutants are played in written
    scenarios: most of what derived answers show is nothing that an adapter must tell.
    """

    provider: str
    rules: Sequence[Rule] = field(default_factory=lambda: list(catalogue().values()))
    scenarios: Mapping[str, Scenario] = field(default_factory=written_scenarios)
    _records: dict[TraceCase, ReferenceRecord] = field(default_factory=dict)
    _responders: dict[str, ScriptedResponder] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for scenario in self.scenarios.values():
            if fits(scenario, self.provider, "portable"):
                self._add(scenario, "portable")
            if fits(scenario, self.provider, "native"):
                self._add_if_different(scenario)

    @property
    def records(self) -> list[ReferenceRecord]:
        """The records of all scenarios in the plain deliveries."""
        return [record for case, record in self._records.items() if case.delivery in (BLOCKING, STREAM)]

    def record(self, case: TraceCase) -> ReferenceRecord | None:
        """The record of a case, or ``None`` where the scenario or the provider has no such delivery."""
        if case not in self._records and self._exists(case):
            self._records[case] = self._recorded(case)
        return self._records.get(case)

    def play(self, adapter: Translator, case: TraceCase, twins: Sequence[AssistantTurn | None]) -> list[Exchange]:
        """The case, played with an adapter. ``twins`` is what it understood when the same came blocking."""
        scenario = self.scenarios[case.scenario]
        responder = self._responders.setdefault(scenario.id, ScriptedResponder(scenario, self.provider))
        seat = TranslatorSeat(BoundTranslator(adapter, self.provider))
        delivery = DELIVERIES[case.delivery]
        variants = () if delivery.streaming else varied_by(self.rules, scenario)
        names, news = read_near_by(self.rules, scenario), hears_news(self.rules, scenario)
        claimed = card(self.provider).capabilities
        listens = partial(listen, names, news, claimed, seat.bound) if case.delivery == STREAM else None
        elsewhere = OtherProviders(scenario, self.provider, seat.at)
        return Play(
            scenario, self.provider, case.profile, delivery, seat, responder, twins,
            variants=variants, elsewhere=elsewhere, listens=listens,
        ).run()  # fmt: skip

    def verdicts(self, case: TraceCase, exchanges: Iterable[Exchange], rules: Iterable[Rule]) -> Iterator[Verdict]:
        """What ``rules`` say about exchanges of a case: the verdicts that count."""
        judge = GroupJudge(list(rules), self.provider, case.profile)
        scenario = self.scenarios[case.scenario]
        for place, exchange in enumerate(exchanges):
            yield from blamed(judge.of(exchange, place), exchange, scenario)

    # --- recording ---------------------------------------------------------------------------------------------------

    def _add(self, scenario: Scenario, profile: Profile) -> None:
        for delivery in (BLOCKING, STREAM):
            self.record(TraceCase(scenario.id, profile, delivery))

    def _add_if_different(self, scenario: Scenario) -> None:
        """The native records of a scenario, if the profile makes a difference, or has rules of its own there."""
        case = TraceCase(scenario.id, "native", STREAM if scenario.streams_only else BLOCKING)
        known = self._records.get(replace(case, profile="portable"))
        native = self.play(ReferenceAdapter(), case, ())
        own = [rule for rule in self.rules if rule.profile == "native"]
        different = known is None or [x.request for x in known.exchanges] != [x.request for x in native]
        if different or any(True for _ in self.verdicts(case, native, own)):
            self._add(scenario, "native")

    def _exists(self, case: TraceCase) -> bool:
        scenario, delivery = self.scenarios[case.scenario], DELIVERIES[case.delivery]
        framings = card(self.provider).framings
        if delivery.streaming and (delivery.framing or framings[0]) not in set(framings) & set(delivery.framings):
            return False
        if scenario.deliveries is not None and case.delivery not in scenario.deliveries:
            return False
        if scenario.is_about_http and scenario.deliveries is None:
            return not delivery.streaming
        return delivery.streaming or not scenario.streams_only

    def _recorded(self, case: TraceCase) -> ReferenceRecord:
        twin = self._records.get(case.twin) if case.streaming else None
        exchanges = self.play(ReferenceAdapter(), case, twin.turns if twin is not None else ())
        if case.delivery not in (BLOCKING, STREAM):  # says the same as in the plainest way
            plainest = self._records[replace(case, delivery=STREAM)]
            return ReferenceRecord(case, exchanges, lambda: plainest.verdicts)
        return ReferenceRecord(case, exchanges, lambda: self.verdicts(case, exchanges, self.rules))
