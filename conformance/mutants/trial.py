"""Playing a mutant on one provider, and finding out which rules name its fault.

A mutant is the reference adapter but for one thing, and the rules have nothing against the reference adapter. So only
the cases need playing in which the mutant does something else, only from there on need they be judged, and not even all
of them: enough that every rule that examines something in any of them gets its say. A mutant that no rule has named
then, or not by the rules that it was written for, is played in all the others, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from conformance.adapters.bound import BoundTranslator
from conformance.engine.cases import is_selected
from conformance.http import Request
from conformance.model import AssistantTurn, compact_json
from conformance.mutants.liar import Liar
from conformance.mutants.mutant import BUILD_HOOKS, READ_HOOKS, STREAM_HOOKS, Mutant, hooks
from conformance.mutants.trace import BLOCKING, STREAM, ReferenceRecord, Trace, TraceCase
from conformance.outcomes import OperationFailure
from conformance.rules import Rule
from conformance.rules.check import Finding
from conformance.session.readings import readings, telling_of
from conformance.transcript import Exchange, TurnOrFailure
from conformance.wires import card, wire
from conformance.wires.facts import decode

TrialOutcome = Literal["killed", "survived", "idle"]
"""``idle``: in no case does the mutant do anything else than the reference adapter."""


MOST = 6
"""How many cases are played at first of a mutant that was made by a machine. They are those that tell most."""


@dataclass(frozen=True, slots=True)
class Kill:
    """A rule that names a mutant's fault: in which case first, and with which words."""

    rule: str
    case: str
    finding: Finding


@dataclass(slots=True)
class Trial:
    """What became of a mutant on one provider. ``played`` counts the cases in which it did something else."""

    mutant: str
    provider: str
    outcome: TrialOutcome
    played: int
    kills: list[Kill] = field(default_factory=list)
    example: str | None = None
    """For a survivor: a case in which it does something else."""


def play(mutant: Mutant, trace: Trace) -> Trial:
    """Play a mutant on the provider of ``trace``."""
    return _Player(mutant, trace).run()


@dataclass
class _Player:
    mutant: Mutant
    trace: Trace
    _liar: Liar = field(init=False)
    _bound: BoundTranslator = field(init=False)
    _hooks: set[str] = field(init=False)
    _aims: set[str] = field(init=False)
    _kills: dict[str, Kill] = field(default_factory=dict)
    _different: list[TraceCase] = field(default_factory=list)
    _turns: dict[TraceCase, list[AssistantTurn | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._liar = self.mutant.make()
        self._bound = BoundTranslator(self._liar, self.trace.provider)
        self._hooks = hooks(self._liar)
        own = {rule.id for rule in self.trace.rules if self.trace.provider in rule.providers}
        self._aims = own & set(self.mutant.aims)

    def run(self) -> Trial:
        affected = list(self._records())
        first = list(self._telling(affected))
        for record in first[: MOST if self.mutant.cases is not None else None]:
            self._play(record)
        for record in affected:
            if self._unsatisfied() and record not in first and self._affects(record):
                self._play(record)
        outcome: TrialOutcome = "killed" if self._kills else "survived" if self._different else "idle"
        example = str(self._different[0]) if outcome == "survived" else None
        kills = list(self._kills.values())
        return Trial(self.mutant.name, self.trace.provider, outcome, len(self._different), kills, example)

    def _unsatisfied(self) -> bool:
        """Whether no rule, or not every rule that the mutant is aimed at, has named its fault yet."""
        return not self._kills or not self._aims <= self._kills.keys()

    # --- which cases -------------------------------------------------------------------------------------------------

    def _records(self) -> Iterator[ReferenceRecord]:
        """The records of all cases in which the mutant makes a difference."""
        if self.mutant.cases is not None:
            yield from (record for case in self.mutant.cases if (record := self.trace.record(case)) is not None)
        else:
            yield from (record for record in self._possible() if self._affects(record))

    def _possible(self) -> Iterator[ReferenceRecord]:
        known = [record for record in self.trace.records if is_selected(record.case.scenario, self.mutant.scenarios)]
        yield from (record for record in known if record.case.delivery in self.mutant.deliveries)
        for delivery in self.mutant.deliveries:
            if delivery not in (BLOCKING, STREAM):
                for record in known:
                    if record.case.delivery == STREAM and record.case.profile == "portable":
                        other = self.trace.record(replace(record.case, delivery=delivery))
                        yield from () if other is None else (other,)

    def _affects(self, record: ReferenceRecord) -> bool:
        """Whether the mutant does something else with what the reference adapter was given there."""
        return any(
            self._differs(exchange, record.case) or any(map(self._asks_otherwise, exchange.variants.values()))
            for exchange in record.exchanges
        )

    def _asks_otherwise(self, variant: Exchange) -> bool:
        """Whether it builds another request of a variant of a model call."""
        intent, delivery = variant.intent, variant.delivery
        assert intent is not None and delivery is not None
        if not self._hooks & BUILD_HOOKS:
            return False
        return self._bound.build_request(intent, stream=delivery.streaming) != variant.request

    def _differs(self, exchange: Exchange, case: TraceCase) -> bool:
        """Whether it says something else there, or changes what it is given."""
        self._bound.changes = ()
        return self._says_otherwise(exchange, case) or self._reads_otherwise(exchange) or bool(self._bound.changes)

    def _reads_otherwise(self, exchange: Exchange) -> bool:
        """Whether it makes something else of a stream near another conversation."""
        if not self._hooks & (STREAM_HOOKS | {"understands"}):
            return False
        claimed = card(exchange.provider).capabilities
        if "stream_news" in self._hooks and telling_of(self._bound, claimed, exchange) != exchange.telling:
            return True
        return readings(exchange.readings, self._bound, exchange) != exchange.readings

    def _says_otherwise(self, exchange: Exchange, case: TraceCase) -> bool:
        intent, answer = exchange.intent, exchange.response
        assert intent is not None
        if self._hooks & BUILD_HOOKS and self._bound.build_request(intent, stream=case.streaming) != exchange.request:
            return True
        if not self._hooks - BUILD_HOOKS:
            return False
        if self._hooks == {"collects"}:
            return self._collects_differently(exchange)
        if exchange.chunks is not None:
            return _is_other(self._bound.parse_stream(exchange.chunks, intent), exchange.understood)
        if not self._hooks & READ_HOOKS or answer is None:
            return False
        return _is_other(self._bound.parse_response(answer, intent), exchange.understood)

    def _collects_differently(self, exchange: Exchange) -> bool:
        """Whether events are taken in a way that makes another turn of them. Quicker than reading the bytes again."""
        if exchange.events is None:
            return False
        speaker, events = wire(self.trace.provider), self._liar.collects(list(exchange.events))
        return speaker.finish(speaker.assembled(events), exchange.intent) != exchange.understood

    def _telling(self, affected: Sequence[ReferenceRecord]) -> Iterator[ReferenceRecord]:
        """A few of the cases, in which every rule examines something that does so in any of them.

        A stream tells nothing new about a mutant that is wrong in blocking answers, too.
        """
        plain = {record.case for record in affected if record.case.delivery == BLOCKING}
        left = [record for record in affected if not (record.case.streaming and record.case.twin in plain)]
        missing = frozenset[str]().union(*(record.examined for record in left))
        while missing:
            best = max(left, key=lambda record: len(record.examined & missing))
            missing -= best.examined
            yield best

    # --- playing -----------------------------------------------------------------------------------------------------

    def _play(self, record: ReferenceRecord) -> None:
        case = record.case
        exchanges = self.trace.play(self._liar, case, self._twins(case))
        pairs = zip(exchanges, record.exchanges, strict=False)
        place = next((place for place, pair in enumerate(pairs) if _behaves_differently(*pair)), None)
        if place is None:
            return
        self._different.append(case)
        for verdict in self.trace.verdicts(case, exchanges[place:], self._rules(exchanges, record)):
            rule = verdict.rule.id
            if verdict.findings and rule not in record.wrong and rule not in self._kills:
                self._kills[rule] = Kill(rule, str(case), verdict.findings[0])

    def _rules(self, exchanges: Sequence[Exchange], record: ReferenceRecord) -> Sequence[Rule]:
        """The rules that may see a difference. Those about one side see none where that side is the same."""
        pairs = list(zip(exchanges, record.exchanges, strict=False))
        same_requests = all(
            _same_requests(one, other) and one.intent == other.intent for one, other in pairs
        )
        if same_requests:
            return [rule for rule in self.trace.rules if rule.side == "parse"]
        same_turns = all(_same_readings(one, other) and one.answer is other.answer for one, other in pairs)
        if same_turns:
            return [rule for rule in self.trace.rules if rule.side == "build"]
        return self.trace.rules

    def _twins(self, case: TraceCase) -> Sequence[AssistantTurn | None]:
        """What the mutant understood when the same came blocking."""
        if not case.streaming or (twin := self.trace.record(case.twin)) is None:
            return ()
        if not self._hooks & READ_HOOKS:
            return twin.turns
        if case.twin not in self._turns:
            exchanges = self.trace.play(self._liar, case.twin, ())
            self._turns[case.twin] = [exchange.turn for exchange in exchanges]
        return self._turns[case.twin]


def _behaves_differently(exchange: Exchange, other: Exchange) -> bool:
    """Whether it shows from outside that this is another adapter."""
    if exchange.changes != other.changes:
        return True
    return not _same_requests(exchange, other) or not _same_readings(exchange, other)


def _same_readings(one: Exchange, other: Exchange) -> bool:
    """Whether the answer is understood alike, alone and near another conversation."""
    near = [{name: _seen(turn) for name, turn in exchange.readings.items()} for exchange in (one, other)]
    return _seen(one.understood) == _seen(other.understood) and near[0] == near[1] and one.telling == other.telling


def _same_requests(one: Exchange, other: Exchange) -> bool:
    """Whether a model call asks the same, and each variant of it does."""
    pairs = [(one.variants[name].request, other.variants[name].request) for name in one.variants]
    return all(_same_request(*pair) for pair in [(one.request, other.request), *pairs])


def _same_request(one: Request | OperationFailure | None, other: Request | OperationFailure | None) -> bool:
    """Whether two requests are the same, however their documents are written. The order of keys counts."""
    if one == other or not isinstance(one, Request) or not isinstance(other, Request):
        return one == other
    bodies = compact_json(decode(one)), compact_json(decode(other))
    return replace(one, body=b"") == replace(other, body=b"") and bodies[0] == bodies[1]


def _is_other(understood: TurnOrFailure | None, other: TurnOrFailure | None) -> bool:
    return understood != other or _seen(understood) != _seen(other)


def _seen(understood: TurnOrFailure | None) -> object:
    if not isinstance(understood, AssistantTurn):
        return understood
    return replace(understood, opaque=None), [call.sent for call in understood.calls]
