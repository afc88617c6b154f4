"""The audit: recorded exchanges, judged by every rule that needs no adapter.

    record ──recognise──▶ exchange ──link──▶ rules on the request, grammar of the answer ──▶ findings

A recording shows what a client sent and what a provider answered. So the rules about building judge its requests, and
the grammars its streams and bodies. The rules about reading compare an adapter's understanding with what was sent:
here nobody understood anything, and they are not run.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from conformance.http import FramingError
from conformance.masking.door import Mask
from conformance.model import Json, Profile
from conformance.rules import Rule, catalogue, is_called
from conformance.rules.check import NEED_INTENT, Finding
from conformance.rules.hosts import REFUSED, FindingWeight, weight
from conformance.rules.judge import judge
from conformance.traffic.exchanges import exchange_in, look_at_answer
from conformance.traffic.files import read_file
from conformance.traffic.linking import Linker
from conformance.traffic.recognise import TrafficSource, recognise
from conformance.traffic.records import RecordedExchange, UnreadableRecord
from conformance.traffic.redaction import ID_RULES, has_kept_ids, is_signature_lost
from conformance.traffic.secrets import masked
from conformance.transcript import Exchange, Switch
from conformance.wires import PROVIDERS, wire

ExchangeSide = Literal["request", "response", "relation"]

MAX_WAITING = 32_000_000
"""How many recorded bytes may wait for a record that stands later in the file."""

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

    def document(self, mask: Mask | None = None) -> dict[str, Json]:
        """The finding as JSON: secrets hidden, and size bounded. A mask that is given was told what the exchange
        carries."""
        if mask is None:
            mask = Mask()
            self.tell(mask)
        document: dict[str, Json] = {
            "source": mask.text(self.record.source),
            "line": self.record.line,
            "exchange": self.record.id and mask.text(self.record.id),
            "provider": self.provider,
            "side": self.side,
            "rule": self.rule.id,
            "level": self.rule.level,
            **self.weight.members(),
            **({"predicted": True} if self.predicted else {}),
            "at": mask.text(self.at),
            "expected": masked(self.expected, mask),
            "found": masked(self.found, mask),
        }
        return document if self.switched is None else document | {"switched": self.switched}


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
    _rules: list[Rule] = field(default_factory=list)
    _rules_by_kind: dict[tuple[str, bool, bool], list[Rule]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rules = [rule for rule in catalogue().values() if needs_no_adapter(rule) and self._chosen(rule)]
        self.tallies = {rule.id: RuleTally() for rule in self._rules}

    def _chosen(self, rule: Rule) -> bool:
        in_profile = rule.profile in ("any", self.profile)
        return in_profile and (not self.globs or is_called(rule.id, self.globs))

    def read(self, path: Path) -> Iterator[None]:
        """Judge the exchanges of one file. Yields after each record, so that progress can be shown."""
        first, file = len(self.findings), _File(self)
        for record in read_file(path):
            if isinstance(record, UnreadableRecord):
                self.unreadable.append(record)
            else:
                self.exchanges += 1
                file.take(record)
            yield
        file.finish()
        self.findings[first:] = sorted(self.findings[first:], key=lambda finding: finding.record.line)

    def name(self, record: RecordedExchange, why: str) -> None:
        """Name a record that cannot be judged."""
        self.unreadable.append(UnreadableRecord(record.source, record.line, why))

    def judge(self, record: RecordedExchange, who: TrafficSource, exchange: Exchange) -> None:
        """Judge both sides of one exchange."""
        self.judged += 1
        found = [*self._on_request(record, who, exchange), *self._on_answer(record, who, exchange)]
        self.findings += found
        if self.watch is not None:
            self.watch(AuditedExchange(record, who, exchange, found))

    def document(self) -> dict[str, Json]:
        """What was found, as JSON: see ``audit.schema.json``."""
        mask = Mask()
        for finding in {id(finding.record): finding for finding in self.findings}.values():
            finding.tell(mask)
        return {
            "exchanges": self.exchanges,
            "unreadable": [mask.json(dataclasses.asdict(item)) for item in self.unreadable],
            "rules": {rule: dataclasses.asdict(tally) for rule, tally in self.tallies.items()},
            "findings": [finding.document(mask) for finding in self.findings],
            **({"broken": [mask.json(dataclasses.asdict(one)) for one in self.broken]} if self.broken else {}),
        }

    def _rules_of(self, who: TrafficSource, *, kept_ids: bool) -> list[Rule]:
        """The rules about requests to a provider that can find something to examine in a recording, where nobody knows
        what was meant and nothing was asked for twice; those about ids and addresses where these are what was sent."""
        kind = (who.provider, who.addressed, kept_ids)
        if kind not in self._rules_by_kind:
            self._rules_by_kind[kind] = [
                rule for rule in self._rules
                if rule.side == "build" and rule.applies_to(who.provider, self.profile)
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
            if not judged:
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
        if record.body is None or record.status >= 400:
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


def _is_predicted(rule: Rule, record: RecordedExchange) -> bool:
    """Whether a request was refused for what the rule says."""
    if record.status < 400 or record.body is None:
        return False
    try:
        error = json.loads(record.body)
    except (ValueError, RecursionError):
        error = record.body.decode("utf-8", "replace")
    return rule.predicts(error)


@dataclass(slots=True)
class _File:
    """The exchanges of one file: only these are linked. A record may wait for one that stands later in the file."""

    audit: Audit
    linker: Linker = field(default_factory=Linker)
    waiting: dict[str, list[RecordedExchange]] = field(default_factory=dict)
    bytes_waiting: int = 0

    def take(self, record: RecordedExchange) -> None:
        """Judge a record, unless it must wait; then those that waited for it."""
        before = record.previous
        if before is None or self.linker.knows(before) or self.bytes_waiting + record.size > MAX_WAITING:
            self._settle(record)
        else:
            self.waiting.setdefault(before, []).append(record)
            self.bytes_waiting += record.size

    def _settle(self, record: RecordedExchange) -> None:
        pending = [record]
        while pending:
            current = pending.pop()
            self._judge(current)
            freed = self.waiting.pop(current.id or "", [])
            self.bytes_waiting -= sum(later.size for later in freed)
            pending += reversed(freed)

    def finish(self) -> None:
        """Judge what waited in vain."""
        while self.waiting:
            for record in self.waiting.pop(next(iter(self.waiting))):
                self._settle(record)

    def _judge(self, record: RecordedExchange) -> None:
        who = recognise(record)
        if who is None:
            self.audit.name(record, f"not a provider we know: {address(record)}")
            return
        try:
            exchange = exchange_in(record, who, self.audit.profile)
            exchange.previous = self.linker.previous(record, exchange)
            self.audit.judge(record, who, exchange)
            if record.status < 400:
                self.linker.keep(record, exchange)
        except FramingError as problem:
            self.audit.name(record, f"the answer cannot be read: {problem}")
        except RecursionError:
            self.audit.name(record, "nested too deeply")
        except Exception as problem:  # one bad record is one line
            self.audit.name(record, f"it cannot be read: {type(problem).__name__}: {problem}"[:500])


def address(record: RecordedExchange) -> str:
    """Method, host and path of a call: whose it may be."""
    request = record.request
    if request is None:
        return "(no request)"
    return f"{request.method} {record.host or '(no host)'}{request.path}"[:200]
