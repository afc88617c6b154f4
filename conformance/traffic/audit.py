"""The audit: recorded exchanges, judged by every rule that needs no adapter.

    record ──recognise──▶ exchange ──link──▶ rules on the request, grammar of the answer ──▶ findings

A recording shows what a client sent and what a provider answered. So the rules about building judge its requests, and
the grammars its streams and bodies. The rules about reading compare an adapter's understanding with what was sent:
here nobody understood anything, and they are not run.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from conformance.engine.evidence import bounded
from conformance.http import FramingError
from conformance.masking.door import Mask
from conformance.model import Json, Profile
from conformance.rules import Rule, catalogue, is_called
from conformance.rules.check import NEED_INTENT, Finding
from conformance.rules.hosts import REFUSED, FindingWeight, weight
from conformance.rules.judge import judge
from conformance.traffic.exchanges import exchange_in, look_at_answer
from conformance.traffic.linking import Linker
from conformance.traffic.model_faults import model_faults
from conformance.traffic.rates import RateCounter, RateRow
from conformance.traffic.recognise import TrafficSource, recognise
from conformance.traffic.records import RecordedExchange, UnreadableRecord
from conformance.traffic.redaction import ID_RULES, has_kept_ids, is_signature_lost
from conformance.traffic.stretches import PlacedRecord, WantedStretches, every_stretch, placed_records
from conformance.transcript import Exchange, Switch
from conformance.wires import PROVIDERS, wire

ExchangeSide = Literal["request", "response", "relation"]

MAX_WAITING = 32_000_000
"""How many recorded bytes may wait for a record that stands later in the file."""

MASKED_AT_ONCE = 50
"""How many findings are masked together."""

ANSWER_RULES = frozenset(rule for provider in PROVIDERS for rule in wire(provider).answer_rules)
"""The rules about reading that say what an answer is like, so that they can judge the answer itself."""


def needs_no_adapter(rule: Rule) -> bool:
    """Whether recorded traffic alone can be judged by a rule."""
    return rule.check is not None and (rule.side == "build" or rule.id in ANSWER_RULES)


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """Something wrong in recorded traffic. ``at`` leads into the request's body, into the answer's body, or, for a
    stream, into the list of its events."""

    record: RecordedExchange
    provider: str
    side: ExchangeSide
    rule: Rule
    at: str
    expected: Json
    found: Json
    weight: FindingWeight
    predicted: bool = False
    """Whether the request was refused, and the error gives this as the reason."""
    switched: Switch | None = None
    """Of a relation: what changed since the exchange that the request continues."""

    def tell(self, mask: Mask) -> None:
        """Tell a mask what the exchange carries as credentials."""
        if self.record.request is not None:
            request = self.record.request
            mask.learn_request(request.url, request.headers, request.body)

    def document(self) -> dict[str, Json]:
        """The finding as JSON: secrets hidden, and size bounded."""
        mask = Mask()
        self.tell(mask)
        [document] = finding_documents([self], mask)
        return document

    def _document(self, said: Sequence[Json]) -> dict[str, Json]:
        """It as JSON. ``said`` is what others wrote, without secrets, as `_said` lists it."""
        source, exchange, at, expected, found = said
        document: dict[str, Json] = {
            "source": source,
            "line": self.record.line,
            "exchange": exchange,
            "provider": self.provider,
            "side": self.side,
            "rule": self.rule.id,
            "level": self.rule.level,
            **self.weight.members(),
            **({"predicted": True} if self.predicted else {}),
            **({"told_by": self.record.told_by} if self.record.told_by else {}),
            "at": at,
            "expected": bounded(expected),
            "found": bounded(found),
        }
        return document if self.switched is None else document | {"switched": self.switched}

    def _said(self) -> list[Json]:
        return [self.record.source, self.record.id, self.at, self.expected, self.found]


def finding_documents(findings: Sequence[AuditFinding], mask: Mask) -> Iterator[dict[str, Json]]:
    """Findings as JSON. The mask was told what their exchanges carry. Many are masked at once: it takes one search."""
    for start in range(0, len(findings), MASKED_AT_ONCE):
        some = findings[start : start + MASKED_AT_ONCE]
        for finding, said in zip(some, mask.json([one._said() for one in some]), strict=True):
            yield finding._document(said)


@dataclass(slots=True)
class RuleTally:
    """How many things a rule examined, and how many of them were wrong."""

    checked: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class AuditedExchange:
    """One exchange that was judged, with its findings."""

    record: RecordedExchange
    who: TrafficSource
    exchange: Exchange
    findings: list[AuditFinding]


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule that could not judge an exchange. That is a fault of ours."""

    rule: str
    source: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class ToldFindings:
    """What was found, as JSON that holds no secrets."""

    findings: list[dict[str, Json]]
    unreadable: list[dict[str, Json]]
    broken: list[dict[str, Json]]
    rates: list[RateRow]


@dataclass
class Audit:
    """Judges recorded exchanges, and keeps the score.

    ``globs`` chooses rules by id; none means all. ``watch`` is called with each exchange that was judged.
    """

    profile: Profile = "native"
    globs: tuple[str, ...] = ()
    watch: Callable[[AuditedExchange], None] | None = None
    exchanges: int = 0
    judged: int = 0
    unreadable: list[UnreadableRecord] = field(default_factory=list)
    tallies: dict[str, RuleTally] = field(default_factory=dict)
    findings: list[AuditFinding] = field(default_factory=list)
    broken: list[BrokenRule] = field(default_factory=list)
    rates: RateCounter | None = None
    """Counts by time, model and host too, and what models did wrong, where that is asked for."""
    _rules: list[Rule] = field(default_factory=list)
    _rules_by_kind: dict[tuple[str, str, bool, bool, bool], list[Rule]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rules = [rule for rule in catalogue().values() if needs_no_adapter(rule) and self._chosen(rule)]
        self.tallies = {rule.id: RuleTally() for rule in self._rules}

    def _chosen(self, rule: Rule) -> bool:
        in_profile = rule.profile in ("any", self.profile)
        return in_profile and (not self.globs or is_called(rule.id, self.globs))

    def read(self, path: Path, wanted: WantedStretches = every_stretch) -> Iterator[int | None]:
        """Judge the exchanges in the wanted stretches of one file.

        Yields ``None`` after each record, so that progress can be shown, and the number of each stretch that has ended:
        then all its findings are there, in the order of their lines.
        """
        for number, placed in _by_stretch(placed_records(path, wanted), self):
            if placed is None:
                yield number
            elif placed.judged:
                if isinstance(placed.record, UnreadableRecord):
                    self.unreadable.append(placed.record)
                else:
                    self.exchanges += 1
                yield None

    def name(self, record: RecordedExchange, why: str) -> None:
        """Name a record that cannot be judged."""
        self.unreadable.append(UnreadableRecord(record.source, record.line, why))

    def judge(self, record: RecordedExchange, who: TrafficSource, exchange: Exchange) -> None:
        """Judge both sides of one exchange."""
        self.judged += 1
        if self.rates is not None:
            self.rates.begin(record, exchange)
            if record.status < 400:
                for fault, wrong in model_faults(exchange, told=bool(record.told_by)):
                    self.rates.add(fault, 1, wrong)
        found = [*self._on_request(record, who, exchange), *self._on_answer(record, who, exchange)]
        self.findings += found
        if self.watch is not None:
            self.watch(AuditedExchange(record, who, exchange, found))

    def document(self) -> dict[str, Json]:
        """What was found, as JSON: see ``audit.schema.json``."""
        told = self.told()
        return {
            "exchanges": self.exchanges,
            "unreadable": told.unreadable,
            "rules": {rule: dataclasses.asdict(tally) for rule, tally in self.tallies.items()},
            "findings": told.findings,
            **({"broken": told.broken} if told.broken else {}),
        }

    def told(self) -> ToldFindings:
        """What was found, as JSON, without the secrets that the exchanges of the findings carry."""
        mask = Mask()
        for finding in {id(finding.record): finding for finding in self.findings}.values():
            finding.tell(mask)
        return ToldFindings(
            list(finding_documents(self.findings, mask)),
            [mask.json(dataclasses.asdict(item)) for item in self.unreadable],
            [mask.json(dataclasses.asdict(one)) for one in self.broken],
            [] if self.rates is None else [_masked(row, mask) for row in self.rates.rows()],
        )

    def forget(self) -> None:
        """Keep nothing of what was found, and count anew."""
        self.exchanges = self.judged = 0
        for told in (self.findings, self.unreadable, self.broken):
            told.clear()
        self.tallies = {rule.id: RuleTally() for rule in self._rules}
        if self.rates is not None:
            self.rates.clear()

    def _rules_of(self, who: TrafficSource, *, kept_ids: bool) -> list[Rule]:
        """The rules about requests to a provider that can find something to examine in a recording, where nobody knows
        what was meant and nothing was asked for twice; those about ids and addresses where these are what was sent."""
        kind = (who.provider, who.speaker, who.addressed, who.told, kept_ids)
        if kind not in self._rules_by_kind:
            self._rules_by_kind[kind] = [
                rule for rule in self._rules
                if rule.side == "build"
                and (rule.applies_to(who.provider, self.profile) or rule.applies_to(who.speaker, self.profile))
                and who.judges(rule.id) and (kept_ids or rule.id not in ID_RULES)
                and rule.id not in NEED_INTENT and rule.varies is None
            ]  # fmt: skip
        return self._rules_by_kind[kind]

    def _on_request(self, record: RecordedExchange, who: TrafficSource, exchange: Exchange) -> Iterator[AuditFinding]:
        if exchange.request is None:
            return
        host = who.speaker
        for rule in self._rules_of(who, kept_ids=has_kept_ids(exchange, record.status < 400)):
            judged = self._judged(rule, record, exchange, host)
            if not any(judged):
                self.tallies[rule.id].checked += len(judged)
                if self.rates is not None:
                    self.rates.add(rule.id, len(judged), 0)
                continue
            verdicts = [item for item in judged if item is None or not is_signature_lost(item)]
            wrong = [item for item in verdicts if item is not None]
            self._count(rule.id, len(verdicts), len(wrong))
            if not wrong:
                continue
            alone = judge(rule, replace(exchange, previous=None), host) if exchange.previous is not None else wrong
            for item in wrong:
                side: ExchangeSide = "request" if item in alone else "relation"
                switched = exchange.switched if side == "relation" else None
                predicted = _is_predicted(rule, record)
                told = REFUSED if predicted else weight(rule, item, exchange, own=who.own)
                yield AuditFinding(
                    record, exchange.provider, side, rule, item.at, item.expected, item.found, told, predicted, switched
                )

    def _judged(self, rule: Rule, record: RecordedExchange, exchange: Exchange, host: str) -> list[Finding | None]:
        """The verdicts of a rule; none where it breaks, which is our fault and no reason to judge nothing more."""
        try:
            return judge(rule, exchange, host)
        except Exception as problem:
            why = f"{type(problem).__name__}: {problem}"[:500]
            self.broken.append(BrokenRule(rule.id, record.source, record.line, why))
            return []

    def _on_answer(self, record: RecordedExchange, who: TrafficSource, exchange: Exchange) -> Iterator[AuditFinding]:
        if not record.body or record.status >= 400:
            return
        for rule, look in look_at_answer(record, who, exchange):
            if rule in self.tallies:
                self._count(rule, 1, not look.right)
                if not look.right:
                    words = catalogue()[rule]
                    known = FindingWeight(words.shown_consequence(who.provider), words.evidence_class(who.provider))
                    yield AuditFinding(
                        record, who.provider, "response", words, look.at, look.expected, look.found, known
                    )

    def _count(self, rule: str, checked: int, failed: int) -> None:
        self.tallies[rule].checked += checked
        self.tallies[rule].failed += failed
        if self.rates is not None:
            self.rates.add(rule, checked, failed)


def _masked(row: RateRow, mask: Mask) -> RateRow:
    hour, model, host, rule, checked, failed = row
    return hour, mask.text(model), mask.text(host), rule, checked, failed


def _is_predicted(rule: Rule, record: RecordedExchange) -> bool:
    """Whether a request was refused for what the rule says."""
    if record.status < 400 or record.body is None:
        return False
    try:
        error = json.loads(record.body)
    except (ValueError, RecursionError):
        error = record.body.decode("utf-8", "replace")
    return rule.predicts(error)


def _by_stretch(
    records: Iterator[PlacedRecord], audit: Audit
) -> Iterator[tuple[int, PlacedRecord | None]]:
    """Judge records, stretch by stretch. Yields each, and ``None`` at the end of a stretch."""
    stretches: dict[int, _Stretch] = {}
    for placed in records:
        for number in [number for number in stretches if number < placed.stretch]:
            stretches.pop(number).finish()
            yield number, None
        here = _Known(placed.record, audit.profile) if isinstance(placed.record, RecordedExchange) else None
        for number, judged in ((placed.stretch, placed.judged), (placed.stretch + 1, False)):
            if judged or (placed.told and number > placed.stretch):
                stretch = stretches.get(number) or stretches.setdefault(number, _Stretch(audit))
                if here is not None:
                    stretch.take(here, judged=judged)
        yield placed.stretch, placed
    for number, stretch in stretches.items():
        stretch.finish()
        yield number, None


class _Known:
    """A record and what is in it, read once, when it is asked for first. Several stretches may ask."""

    def __init__(self, record: RecordedExchange, profile: Profile) -> None:
        self.record = record
        self._profile = profile

    @cached_property
    def who(self) -> TrafficSource | None:
        """Whose exchange it is."""
        return recognise(self.record)

    @cached_property
    def _exchange(self) -> Exchange:
        assert self.who is not None
        exchange = exchange_in(self.record, self.who, self._profile)
        exchange.facts  # noqa: B018 - computed once for all copies
        return exchange

    def exchange(self) -> Exchange:
        """The exchange, to be linked. Raises what reading it raises."""
        return self._exchange.alike()

    def without_answer(self) -> _Known:
        """The same as if no answer had been recorded: what was sent is judged all the same."""
        return _Known(replace(self.record, body=None), self._profile)


@dataclass(slots=True)
class _Stretch:
    """The exchanges of one stretch, and those before it that it knows: only these are linked. A record may wait for one
    that stands later."""

    audit: Audit
    linker: Linker = field(default_factory=Linker)
    waiting: dict[str, list[tuple[_Known, bool]]] = field(default_factory=dict)
    bytes_waiting: int = 0
    first: tuple[int, int] | None = None
    """Where in what the audit found, and could not judge, that of the stretch begins."""

    def take(self, known: _Known, *, judged: bool) -> None:
        """Take a record, to be judged or only to be known, unless it must wait; then those that waited for it."""
        if judged and self.first is None:
            self.first = (len(self.audit.findings), len(self.audit.unreadable))
        before, size = known.record.previous, known.record.size
        if before is None or self.linker.knows(before) or self.bytes_waiting + size > MAX_WAITING:
            self._settle(known, judged=judged)
        else:
            self.waiting.setdefault(before, []).append((known, judged))
            self.bytes_waiting += size

    def _settle(self, known: _Known, *, judged: bool) -> None:
        pending = [(known, judged)]
        while pending:
            current, to_judge = pending.pop()
            self._look_at(current, judged=to_judge)
            freed = self.waiting.pop(current.record.id or "", [])
            self.bytes_waiting -= sum(later.record.size for later, _ in freed)
            pending += reversed(freed)

    def finish(self) -> None:
        """Judge what waited in vain, and bring the findings into the order of their lines."""
        while self.waiting:
            for known, judged in self.waiting.pop(next(iter(self.waiting))):
                self._settle(known, judged=judged)
        if self.first is not None:
            found, unreadable = self.audit.findings, self.audit.unreadable
            found[self.first[0] :] = sorted(found[self.first[0] :], key=lambda finding: finding.record.line)
            unreadable[self.first[1] :] = sorted(unreadable[self.first[1] :], key=lambda record: record.line)

    def _look_at(self, known: _Known, *, judged: bool) -> None:
        try:
            self._judge(known, judged=judged)
        except FramingError as problem:
            why = f"the answer cannot be read: {problem}"
            self._look_at(known.without_answer(), judged=judged)
        except RecursionError:
            why = "nested too deeply"
        except Exception as problem:  # one bad record is one line
            why = f"it cannot be read: {type(problem).__name__}: {problem}"[:500]
        else:
            return
        if judged:
            self.audit.name(known.record, why)

    def _judge(self, known: _Known, *, judged: bool) -> None:
        record, who = known.record, known.who
        if who is None:
            if judged:
                self.audit.name(record, f"not a provider we know: {address(record)}")
            return
        exchange = known.exchange()
        exchange.previous = self.linker.previous(record, exchange)
        if judged:
            self.audit.judge(record, who, exchange)
        if record.status < 400:
            self.linker.keep(record, exchange)


def address(record: RecordedExchange) -> str:
    """Method, host and path of a call: whose it may be."""
    request = record.request
    if request is None:
        return "(no request)"
    return f"{request.method} {record.host or '(no host)'}{request.path}"[:200]
