"""What a host's file says about rules: which findings it excuses, and which it confirms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from conformance.model import Json
from conformance.rules import Rule, find_rule
from conformance.rules.check import Finding
from conformance.rules.evidence import EvidenceClass, ShownConsequence
from conformance.transcript import Exchange
from conformance.wires import card, host_file
from conformance.wires.host import Host
from conformance.wires.host_file import HostError


def is_excused(rule: Rule, finding: Finding, exchange: Exchange, host: str | None = None) -> bool:
    """Whether the exchange's host, or ``host``, takes what was found.

    Where the rule is not about the exchange's provider, the host's file brought it: then it counts only what the host
    is known to refuse.
    """
    file, model = _file(host or exchange.speaker), exchange.asked_model
    if file is None:
        return False
    if not rule.is_told(card(exchange.provider).provider) and not file.confirms(rule.id, finding.found, model):
        return True
    return file.excuses(rule.id, finding.found, model)


def is_confirmed(rule: Rule, finding: Finding, exchange: Exchange) -> bool:
    """Whether the exchange's host refuses what was found, whatever the rule says of providers in general."""
    file = _file(exchange.speaker)
    return file is not None and file.confirms(rule.id, finding.found, exchange.asked_model)


@dataclass(frozen=True, slots=True)
class FindingWeight:
    """How much a finding counts: what it does to the request, and what shows that."""

    consequence: ShownConsequence
    evidence: EvidenceClass | None

    def members(self) -> dict[str, Json]:
        """As members of a JSON object. ``evidence`` is left out where there is none."""
        return {"consequence": self.consequence} | ({"evidence": self.evidence} if self.evidence else {})


REFUSED = FindingWeight("rejected", "refused")
"""Of a finding whose refusal is on record."""


def weight(rule: Rule, finding: Finding, exchange: Exchange, *, own: bool = True) -> FindingWeight:
    """How much a finding counts. ``own`` says whether the request went to a host of the provider itself.

    What a provider refuses is only presumed of hosts that speak its format, unless their own file confirms it.
    """
    if is_confirmed(rule, finding, exchange):
        return REFUSED
    provider = card(exchange.provider).provider
    own = own and exchange.provider == provider
    if own or rule.consequence != "rejected":
        return FindingWeight(rule.shown_consequence(provider), rule.evidence_class(provider))
    return FindingWeight("presumed", "presumed")


@cache
def _file(name: str) -> Host | None:
    """The file of a host, if any, whose rules there are. Raises `HostError` for a rule that there is not."""
    file = host_file(name)
    for entry in file.entries if file is not None else ():
        if file is not None and entry.rule and find_rule(entry.rule) is None:
            raise HostError(file.place(entry), f"there is no rule {entry.rule!r}: see 'conformance list rules'")
    return file
