"""Who is to blame when an adapter fails: one failure is not the fault of every rule that had something to examine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.engine.verdicts import Verdict
from conformance.outcomes import OperationFailure
from conformance.rules import Rule
from conformance.scenarios import Scenario
from conformance.transcript import Exchange

CONTRACT_RULE = "common.adapter.completes"


def mishap(exchange: Exchange, rule: Rule) -> OperationFailure | None:
    """The failure of the adapter that a rule about reading met."""
    if rule.side != "parse":
        return None
    return next(
        (value for value in (exchange.request, exchange.understood) if isinstance(value, OperationFailure)), None
    )


def blamed(verdicts: Iterable[Verdict], exchange: Exchange, scenario: Scenario) -> Iterator[Verdict]:
    """The verdicts that count: a failure is held against the contract and the rules that the scenario is for."""
    told = {CONTRACT_RULE, *scenario.rules}
    for verdict in verdicts:
        if not verdict.findings or verdict.rule.id in told or not mishap(exchange, verdict.rule):
            yield verdict
