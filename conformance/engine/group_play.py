"""Playing a group of cases and judging them, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from conformance.adapters.addresses import LocatedAdapter
from conformance.adapters.bound import BoundAgent, BoundClient, BoundTranslator
from conformance.adapters.libraries.way import Way
from conformance.adapters.libraries.ways import way_at
from conformance.adapters.paths import portable
from conformance.deliveries import DELIVERIES, Delivery
from conformance.engine.blame import blamed, mishap
from conformance.engine.cases import Group, Selection, hears_news, read_near_by, varied_by
from conformance.engine.evidence import evidence_id, evidence_of, shortened, shown_value
from conformance.engine.halts import halt_of
from conformance.engine.narrow import guilty_cut
from conformance.engine.obstruction import obstruction
from conformance.engine.report import CaseReport, Failure, RuleReport
from conformance.engine.shims import is_older
from conformance.engine.verdicts import GroupJudge, Verdict
from conformance.files.scratch import folder_for_a_while
from conformance.http import Request
from conformance.masking.door import Mask
from conformance.model import AssistantTurn, Profile
from conformance.outcomes import OperationFailure, Outcome, worst
from conformance.responders import Responder, ScriptedResponder
from conformance.responders.kinds import ScriptedKind
from conformance.rules import Rule
from conformance.rules.check import Finding
from conformance.scenarios import Scenario
from conformance.session.agent import OBSERVED, AgentPlay
from conformance.session.asking import AskingPlay
from conformance.session.client import ClientSeat
from conformance.session.directions import directed
from conformance.session.other_providers import NEEDED, OtherProviders
from conformance.session.play import Play
from conformance.session.readings import listen
from conformance.session.seat import Seat, TranslatorSeat
from conformance.session.variants import VARIANTS
from conformance.session.workspace import Workspace
from conformance.transcript import Exchange, VariantName

LEFT_TO_CALLERS = frozenset({"chat.http.usage-asked-for"})
"""What a library leaves to its callers to ask for. Shims do what documentation shows first, so they do not ask."""


@dataclass
class GroupPlay:
    """One group being played and judged: the scenario on one provider, delivery by delivery, with one adapter."""

    found: LocatedAdapter
    group: Group
    scenario: Scenario
    selection: Selection
    rules: list[Rule]
    responder: Responder | None = None
    """Who answers, where it is not the one that the selection asks for."""
    twins: list[AssistantTurn | None] | None = None
    """What the adapter understands when the same answers come blocking, where that is known."""
    mask: Mask = field(default_factory=Mask)
    """Knows what is secret: what it learns in one group it removes in those that come after."""
    on_failure: Callable[[OperationFailure], object] = lambda failure: None
    """Is told of each operation that gave no result, in the order of the play."""
    printed: Callable[[], str] = str
    """What the adapter printed since this was asked last, where somebody heard it."""
    _cut_told: bool = False
    _responders: dict[str, Responder] = field(default_factory=dict)
    _is_light: bool = False
    """Whether what fails in the case is a warning at most: only others than the provider itself do what it is about."""
    _profile: Profile = field(init=False)
    _verdicts: GroupJudge = field(init=False)

    def __post_init__(self) -> None:
        if self.found.kind == "agent":
            self.rules = [rule for rule in self.rules if rule.side == "build" or rule.id in OBSERVED]
        if self.found.kind == "client":
            self.rules = [rule for rule in self.rules if rule.id not in LEFT_TO_CALLERS]
        self._profile = self.scenario.profile_in(self.selection.profile)
        self._verdicts = GroupJudge(self.rules, self.group.provider, self._profile)

    def case(self, delivery_name: str, attempt: int = 0) -> CaseReport:
        """Play and judge one case. ``attempt`` counts repetitions from 1; 0 where there are none."""
        try:
            return self._case(delivery_name, attempt)
        except Exception as problem:
            halt = halt_of(problem)
            if halt is None:
                raise
            return CaseReport(self.group.address, self.group.provider, self.group.scenario, delivery_name, halt=halt)

    def _case(self, delivery_name: str, attempt: int) -> CaseReport:
        started = time.perf_counter()
        delivery = DELIVERIES[delivery_name]
        others = self.scenario.elsewhere_than(self.group.provider, delivery_name)
        self._is_light = others is not None and not self.selection.tolerance
        report = CaseReport(
            self.group.address, self.group.provider, self.group.scenario, delivery_name, attempt=attempt
        )
        if self.found.kind == "agent":
            return self._agent_case(report, delivery, started)
        seat, responder = self._seat(), self._responder(delivery)
        twins = self._blocking_turns() if delivery.streaming and isinstance(responder, ScriptedResponder) else ()
        exchanges = self._play(delivery, seat, responder, twins)
        self._learn(exchanges)
        report.unsupported = obstruction(exchanges, older=self._is_older)
        if report.unsupported:
            report.learned = self.mask.learned()
            return report
        if not delivery.streaming:
            self.twins = [exchange.turn for exchange in exchanges]
        for place, exchange in enumerate(exchanges):
            self._judge(report, exchange, place)
        self._enter_model_choice(report, exchanges)
        self._show_printed(report)
        report.learned = self.mask.learned()
        report.adapter_seconds = seat.seconds
        report.seconds = time.perf_counter() - started
        return report

    def _agent_case(self, report: CaseReport, delivery: Delivery, started: float) -> CaseReport:
        agent = BoundAgent(self.found.make(), self._told)  # type: ignore[arg-type]
        profile, responder = self._profile, self._responder(delivery)
        work, way = AgentPlay(self.scenario, self.group.provider, profile, delivery, agent, responder), self._way
        exchanges = AskingPlay(work, way.meets).run() if way is not None and way.meets is not None else work.run()
        self._learn(exchanges)
        report.unsupported = obstruction(exchanges, older=self._is_older)
        if report.unsupported:
            report.learned = self.mask.learned()
            return report
        for place, exchange in enumerate(exchanges):
            self._judge(report, exchange, place)
        self._show_printed(report)
        report.learned = self.mask.learned()
        report.adapter_seconds = agent.seconds
        report.seconds = time.perf_counter() - started
        return report

    @property
    def _is_older(self) -> bool:
        """Whether the library is of a release before the one that its shim was written for."""
        return is_older(self.group.address, self.found.info.version or "")

    @property
    def _way(self) -> Way | None:
        """The way into a library that the adapter's address names."""
        return way_at(self.group.address)

    def _show_printed(self, report: CaseReport) -> None:
        """Show what was printed in a case that fails."""
        text = self.printed() if report.evidence else ""
        if text:
            shown = shortened(self.mask.text(portable(text)))
            report.evidence = {name: {**item, "printed": shown} for name, item in report.evidence.items()}

    def _learn(self, exchanges: Sequence[Exchange]) -> None:
        """Learn what the adapter sent as credentials, before any of it is shown.

        Bodies take longer, so they are read only where the adapter said something in words.
        """
        said = [said for one in exchanges for said in (one.request, one.understood)]
        failed = [one for one in said if isinstance(one, OperationFailure)]
        for one in failed:
            self.on_failure(one)
        for exchange in exchanges:
            if isinstance(exchange.request, Request):
                request = exchange.request
                self.mask.learn_request(request.url, request.headers, request.body if failed else b"")

    def _responder(self, delivery: Delivery) -> Responder:
        """Who answers. The script answers all deliveries, so that it is rendered once."""
        if self.responder is not None:
            return self.responder
        kind = self.selection.answering.kinds
        mode = "stream" if delivery.streaming and not isinstance(kind, ScriptedKind) else "any"
        if mode not in self._responders:
            self._responders[mode] = kind.responder(self.scenario, self.group.provider, delivery)
        return self._responders[mode]

    def _enter_model_choice(self, report: CaseReport, exchanges: Sequence[Exchange]) -> None:
        """What the scenario is for could not be seen when the model chose to do something else."""
        choice = next((exchange.model_choice for exchange in exchanges if exchange.model_choice), "")
        wanted = {rule.id for rule in self.rules} & set(self.scenario.rules) if choice else set()
        for rule in wanted - report.rules.keys():
            report.rules[rule] = RuleReport("model_choice")

    @property
    def _claimed(self) -> frozenset[str]:
        """What the adapter can do with the provider."""
        return self.found.info.claims((self.group.provider,))[self.group.provider]

    @property
    def _told(self) -> str:
        """The provider that the adapter is told."""
        return self.found.info.told(self.group.provider)

    def _seat(self) -> Seat:
        adapter: Any = self.found.make()
        if self.found.kind == "client":
            return ClientSeat(BoundClient(adapter, self._told), self.group.provider)
        return TranslatorSeat(BoundTranslator(adapter, self._told))

    def _play(
        self, delivery: Delivery, seat: Seat, responder: Responder, twins: Sequence[AssistantTurn | None] = ()
    ) -> list[Exchange]:
        provider, profile = self.group.provider, self._profile
        if not responder.free:
            variants = self._variants(delivery) if isinstance(responder, ScriptedResponder) else ()
            listens = self._listens(delivery, seat) if isinstance(responder, ScriptedResponder) else None
            elsewhere = self._elsewhere(seat) if isinstance(responder, ScriptedResponder) else None
            return Play(
                self.scenario, provider, profile, delivery, seat, responder, twins,
                variants=variants, elsewhere=elsewhere, listens=listens,
            ).run()  # fmt: skip
        with folder_for_a_while() as folder:
            tools = Workspace(folder, self.scenario, self.selection.answering.allow_shell)
            told = directed(self.scenario)
            return Play(told, provider, profile, delivery, seat, responder, twins, tools).run()

    def _elsewhere(self, seat: Seat) -> OtherProviders:
        """Where the adapter reads what other providers said before: at those whose thinking it can hand back."""

        def at(provider: str) -> Seat | None:
            can = self.found.info.capabilities.get(provider, frozenset())
            return seat.at(provider) if can >= NEEDED and isinstance(seat, TranslatorSeat | ClientSeat) else None

        return OtherProviders(self.scenario, self.group.provider, at)

    def _variants(self, delivery: Delivery) -> Sequence[VariantName]:
        """What the rules that the scenario is for compare with: in one delivery, because requests depend on none."""
        if delivery.name != self.group.deliveries[0]:
            return ()
        streams = "streaming" in self._claimed and not delivery.streaming
        return [name for name in varied_by(self.rules, self.scenario) if streams or not VARIANTS[name].streamed]

    def _listens(self, delivery: Delivery, seat: Seat) -> Callable[[Exchange], None] | None:
        """Reads streams once more in other ways, in the plainest delivery."""
        if delivery.name != "stream:per-event" or not isinstance(seat, TranslatorSeat | ClientSeat):
            return None
        names, news = read_near_by(self.rules, self.scenario), hears_news(self.rules, self.scenario)
        return partial(listen, names, news, self._claimed, seat.bound) if names or news else None

    def _blocking_turns(self) -> list[AssistantTurn | None]:
        """What the adapter understands when the same turns come blocking. Played silently if that case is not run."""
        if self.twins is None:
            chosen = self.scenario.deliveries
            alone = self.scenario.streams_only or (chosen is not None and "blocking" not in chosen)
            if alone or "blocking" not in self._claimed:
                self.twins = []
            else:
                delivery = DELIVERIES["blocking"]
                blocking = self._play(delivery, self._seat(), self._responder(delivery))
                self.twins = [exchange.turn for exchange in blocking]
        return self.twins

    def _judge(self, report: CaseReport, exchange: Exchange, place: int) -> None:
        verdicts = list(blamed(self._verdicts.of(exchange, place), exchange, self.scenario))
        broken = [verdict.rule for verdict in verdicts if verdict.findings]
        shown = evidence_of(exchange, place, self.mask) if broken else {}
        if self.found.kind != "agent" and any(rule.stage == "stream" for rule in broken):
            shown |= self._cut(exchange, self._seat())
        self._charge_build(report, exchange, place)
        for verdict in verdicts:
            entry = report.rules.setdefault(verdict.rule.id, RuleReport("pass"))
            entry.checked += verdict.checked
            if verdict.findings:
                name = evidence_id([report.address, report.provider, report.name, place, verdict.rule.id])
                report.evidence[name] = shown
                self._enter(entry, verdict, _outcome(verdict, exchange), name)

    def _enter(self, entry: RuleReport, verdict: Verdict, outcome: Outcome, evidence: str) -> None:
        entry.lightened |= self._is_light
        entry.outcome = worst((entry.outcome, "warn" if self._is_light else outcome))
        entry.words |= {"oddity"} if self._is_light else {finding.word for finding in verdict.findings}
        document = "request" if verdict.rule.side == "build" else "turn"
        entry.failures += [
            Failure(
                self.mask.text(finding.at), shown_value(finding.expected, self.mask),
                shown_value(finding.found, self.mask), document, evidence,
            )
            for finding in verdict.findings[:5]
        ]  # fmt: skip

    def _charge_build(self, report: CaseReport, exchange: Exchange, place: int) -> None:
        """A request that was never made breaks the rules about requests that the scenario is for.

        Rules that compare two requests had none to compare.
        """
        if not isinstance(exchange.request, OperationFailure):
            return
        for rule in self.rules:
            if rule.side == "build" and rule.id in self.scenario.rules and not rule.varies:
                name = evidence_id([report.address, report.provider, report.name, place, rule.id])
                report.evidence[name] = evidence_of(exchange, place, self.mask)
                finding = Finding("", "a request", exchange.request.message)
                entry = report.rules.setdefault(rule.id, RuleReport("pass"))
                self._enter(entry, Verdict(rule, 1, (finding,)), exchange.request.kind, name)

    def _cut(self, exchange: Exchange, seat: Seat) -> dict[str, object]:
        """Which cut of the stream makes the difference: told once for each scenario, because it takes many tries."""
        intent, delivery = exchange.intent, exchange.delivery
        if exchange.lost or self._cut_told or intent is None or delivery is None or len(exchange.chunks or ()) < 2:
            return {}
        self._cut_told = True
        cut = guilty_cut(exchange, lambda chunks: seat.read(chunks, intent, delivery))
        return {"cut": cut} if cut else {}


def _outcome(verdict: Verdict, exchange: Exchange) -> Outcome:
    failed = mishap(exchange, verdict.rule)
    if failed is not None:
        return failed.kind
    return "warn" if verdict.rule.level == "should" else "fail"

