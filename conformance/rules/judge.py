"""Apply rules to exchanges."""

from __future__ import annotations

import re
from dataclasses import replace

from conformance.outcomes import OperationFailure
from conformance.rules import Rule
from conformance.rules.check import CHECKS, Finding
from conformance.rules.hosts import is_excused
from conformance.transcript import Exchange

LONE_SURROGATE = re.compile(
    r"[\ud800-\udfff]|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]..|\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])"
)
"""A half of a pair that has no other half beside it, as a character or as an escape of JSON."""


def judge(rule: Rule, exchange: Exchange, host: str | None = None) -> list[Finding | None]:
    """The verdicts of ``rule`` on ``exchange``: ``None`` for each thing that is right; none at all if nothing applies.

    What the host takes that the exchange is with is right there: the exchange's own, or ``host``, where that is known.
    When the adapter failed to read the answer, a rule about reading that has something to examine there is broken.
    """
    known = as_asked(rule, exchange) if rule.excused_after and exchange.previous is not None else exchange
    verdicts = _verdicts(rule, known)
    if not verdicts or not any(verdicts):
        return verdicts
    return [None if item and _is_right(rule, item, known, host) else item for item in verdicts]


def _is_right(rule: Rule, finding: Finding, exchange: Exchange, host: str | None) -> bool:
    """Whether the host takes what was found, or what was expected is no text: half of a pair of surrogates.

    Who gets that has to finish, and to send JSON; what stands in its place is nobody's fault.
    """
    return is_excused(rule, finding, exchange, host) or LONE_SURROGATE.search(str(finding.expected)) is not None


def as_asked(rule: Rule, exchange: Exchange) -> Exchange:
    """The exchange with as much of its history as the rule asks about: what came up to a switch that the rule excuses
    is forgotten. The exchange itself, where there was none."""
    kept: list[Exchange] = []
    earlier = exchange.previous if rule.excused_after else None
    while earlier is not None and exchange.switched_from(earlier) not in rule.excused_after:
        kept.append(earlier)
        earlier = earlier.previous
    if earlier is None:
        return exchange
    previous: Exchange | None = None
    for one in reversed(kept):
        previous = replace(one, previous=previous)
    return replace(exchange, previous=previous)


def _verdicts(rule: Rule, exchange: Exchange) -> list[Finding | None]:
    check = CHECKS.get(rule.id) or rule.check
    if check is None:
        return []
    try:
        verdicts = list(check(exchange))
    except RecursionError:
        return [Finding("", "data that is not nested without end", "data that is too deep to judge")]
    if rule.side != "parse" or not isinstance(failed := exchange.understood, OperationFailure):
        return verdicts
    if exchange.rightly_raised or any(verdict is not None for verdict in verdicts):
        return verdicts
    if not examines(rule, replace(exchange, understood=exchange.offered)):
        return []
    return [Finding("", "the turn that the provider sent", failed.message)]


def examines(rule: Rule, exchange: Exchange) -> bool:
    """Whether the rule finds anything to examine in the exchange."""
    return rule.check is not None and any(True for _ in rule.check(exchange))
