"""How often something is wrong, by time, model, host and rule.

Each thing that was examined counts once, under the hour in which the model was called. Hours are added up to days where
days are asked for. A rate has an interval beside it: of three examined things, one that is wrong says little.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from conformance.documents import Document
from conformance.http import Response
from conformance.model import Json
from conformance.traffic.moments import hour_of, moment
from conformance.traffic.records import RecordedExchange
from conformance.transcript import Exchange
from conformance.wires.facts import obj
from conformance.wires.models import model_answered
from conformance.wording import on_one_line

Period = Literal["total", "day", "hour"]
_LENGTHS: Mapping[Period, int] = {"total": 0, "day": len("2026-11-28"), "hour": len("2026-11-28T03")}

RateKey = tuple[str, str, str, str]
"""Hour, model, host and rule. What is not known is ``""``."""

RateRow = tuple[str, str, str, str, int, int]
"""The same, how many things were examined, and how many of them were wrong."""

MAX_SHOWN = 100
"""How many characters of a model's or a host's name are kept."""
MAX_NAMES = 500
"""How many models, and hosts, are told apart; what comes then is `OTHERS`."""
OTHERS = "(others)"

Z = 1.959964
"""The normal distribution's quantile of a two-sided interval of 95 %."""


@dataclass(slots=True)
class RateCounter:
    """Counts what was examined, and what of it was wrong, under the exchange that is being judged."""

    checked: Counter[RateKey] = field(default_factory=Counter)
    failed: Counter[RateKey] = field(default_factory=Counter)
    _now: tuple[str, str, str] = ("", "", "")
    _models: set[str] = field(default_factory=set)
    _hosts: set[str] = field(default_factory=set)

    def begin(self, record: RecordedExchange, exchange: Exchange) -> None:
        """What is counted from now on belongs to this exchange."""
        when = record.moment if record.moment is not None else _moment_in(record, exchange)
        model = exchange.asked_model or model_answered(exchange.answer)
        self._now = (
            hour_of(when) if when is not None else "",
            _told_apart(model, self._models),
            _told_apart(record.host, self._hosts),
        )

    def add(self, rule: str, checked: int, failed: int) -> None:
        """Count what a rule examined in this exchange."""
        if checked:
            self.checked[*self._now, rule] += checked
        if failed:
            self.failed[*self._now, rule] += failed

    def rows(self) -> list[RateRow]:
        """What was counted, as plain data."""
        return [(*key, count, self.failed[key]) for key, count in sorted(self.checked.items())]

    def take(self, rows: Iterable[RateRow]) -> None:
        """Add what another counter counted."""
        for hour, model, host, rule, checked, failed in rows:
            self.checked[hour, model, host, rule] += checked
            self.failed[hour, model, host, rule] += failed

    def clear(self) -> None:
        """Count anew. Names that were told apart go on being told apart."""
        self.checked.clear()
        self.failed.clear()


def _moment_in(record: RecordedExchange, exchange: Exchange) -> float | None:
    """When an answer was given, by its own word: the header, or the body's."""
    date = Response(record.status, record.headers).header("date")
    body = obj(exchange.answer)
    return moment(date, body.get("created_at"), body.get("created"))


def _told_apart(name: str, known: set[str]) -> str:
    short = on_one_line(name, MAX_SHOWN)[:MAX_SHOWN]
    if short in known or len(known) < MAX_NAMES:
        known.add(short)
        return short
    return OTHERS


# --- what they come to -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a rule was wrong in a period, of one model at one host."""

    period: str
    model: str
    host: str
    rule: str
    checked: int
    failed: int

    @property
    def rate(self) -> float:
        """The share that was wrong."""
        return self.failed / self.checked

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of 95 % around the rate."""
        return wilson(self.failed, self.checked)

    def document(self) -> Document:
        """It as JSON."""
        low, high = self.interval
        named = {"period": self.period, "model": self.model, "host": self.host}
        return {
            **{name: value or None for name, value in named.items()}, "rule": self.rule, "checked": self.checked,
            "failed": self.failed, "rate": round(self.rate, 6), "low": round(low, 6), "high": round(high, 6),
        }  # fmt: skip


def wilson(failed: int, checked: int) -> tuple[float, float]:
    """Wilson's score interval of 95 %: right for few things and for rates near 0, where the usual one is not
    (E. B. Wilson, Journal of the American Statistical Association 22, 1927)."""
    if not checked:
        return 0.0, 1.0
    share, square = failed / checked, Z * Z
    middle = share + square / (2 * checked)
    reach = Z * math.sqrt(share * (1 - share) / checked + square / (4 * checked * checked))
    scale = 1 + square / checked
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def rates(rows: Iterable[RateRow], period: Period) -> list[Rate]:
    """The rates of each period, by time, model, host and rule. A period that is not known is ``""``."""
    counted = RateCounter()
    counted.take((hour[: _LENGTHS[period]], *rest) for hour, *rest in rows)  # type: ignore[misc]
    return [Rate(*row) for row in counted.rows()]


def rates_document(found: Iterable[Rate], period: Period, exchanges: int, unreadable: int) -> dict[str, Json]:
    """Rates as JSON: see ``rates.schema.json``."""
    return {
        "period": period,
        "confidence": 0.95,
        "exchanges": exchanges,
        "unreadable": unreadable,
        "rates": [rate.document() for rate in found],
    }


def noteworthy_rates(found: Iterable[Rate]) -> Iterator[Rate]:
    """The rates that a reader looks for: those of the model's faults, and those of rules that were broken."""
    return (rate for rate in found if rate.failed or rate.rule.startswith("model."))
