"""What all stretches of an audit come to, stretch by stretch."""

from __future__ import annotations

from collections import Counter
from typing import Any

from conformance.documents import Document
from conformance.traffic.audit import Audit
from conformance.traffic.rates import RateCounter
from conformance.traffic.shards import AuditOrder, JudgedStretch


class GatheredAudit:
    """Adds up stretches. ``kept`` is how many findings of a rule are kept, and whether more than the first record that
    cannot be judged for one reason is: ``None`` keeps all."""

    def __init__(self, order: AuditOrder, kept: int | None = None) -> None:
        self._kept = kept
        self.exchanges = self.judged = 0
        self.rules = {rule: {"checked": 0, "failed": 0} for rule in Audit(order.profile, order.globs).tallies}
        self.findings: list[Document] = []
        self.found: Counter[str] = Counter()
        """How many findings each rule has."""
        self.levels: Counter[str] = Counter()
        """How many findings are of rules that say must, should, or may."""
        self.unreadable: list[Document] = []
        self.reasons: Counter[str] = Counter()
        """How many records cannot be judged, by reason."""
        self.broken: list[Document] = []
        self.rates = RateCounter()
        """What was counted by time, model and host, if that was asked for."""

    def add(self, stretch: JudgedStretch) -> None:
        """Add what was found in a stretch."""
        self.exchanges += stretch.exchanges
        self.judged += stretch.judged
        for rule, (checked, failed) in stretch.rules.items():
            self.rules[rule]["checked"] += checked
            self.rules[rule]["failed"] += failed
        for finding in stretch.findings:
            self.levels[finding["level"]] += 1
            self._count(finding, self.found, finding["rule"], self.findings, self._kept)
        for record in stretch.unreadable:
            self._count(record, self.reasons, record["why"], self.unreadable, None if self._kept is None else 1)
        self.broken += stretch.broken
        self.rates.take(stretch.rates)

    def _count(self, one: Document, counts: Counter[str], name: str, kept: list[Document], most: int | None) -> None:
        counts[name] += 1
        if most is None or counts[name] <= most:
            kept.append(one)

    @property
    def exit_code(self) -> int:
        """0: no must is broken. 1: one is. 3: a rule broke down. 4: there was nothing to judge."""
        if self.broken:
            return 3
        if self.levels["must"]:
            return 1
        return 0 if self.judged else 4

    def document(self) -> dict[str, Any]:
        """All that was found, as JSON: see ``audit.schema.json``."""
        return {
            "exchanges": self.exchanges,
            "unreadable": self.unreadable,
            "rules": self.rules,
            "findings": self.findings,
            **({"broken": self.broken} if self.broken else {}),
        }
