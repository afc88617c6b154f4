"""Conversations of the reference adapter in other spellings, and what rules say about them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.dialects.dialect import Dialect, DialectStep
from conformance.dialects.trying import alarms, dialects_of, spoken
from conformance.engine.cases import fits
from conformance.model import Profile
from conformance.responders import ScriptedResponder
from conformance.scenarios import load_scenarios
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat
from conformance.transcript import Exchange


@cache
def played(provider: str, name: str, profile: Profile = "portable") -> Sequence[Exchange]:
    """What the reference adapter does; nothing where the provider cannot play it."""
    scenario = load_scenarios()[name]
    if not fits(scenario, provider, profile) or scenario.streams_only:
        return ()
    seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
    responder = ScriptedResponder(scenario, provider)
    return Play(scenario, provider, profile, DELIVERIES["blocking"], seat, responder).run()


def minded(exchanges: Sequence[Exchange]) -> list[str]:
    return [f"{one.rule}: {one.finding}" for one in alarms(exchanges)]


def minded_only_with(fault: DialectStep, provider: str, name: str, scenario: str, rule: str) -> bool:
    """Whether no rule minds a dialect in a scenario, and ``rule`` minds it with a fault."""
    dialect = next(one for one in dialects_of(provider) if one.name == name)
    right = spoken(dialect, played(provider, scenario))
    wrong = spoken(Dialect("wrong", "", "", (*dialect.steps, fault)), played(provider, scenario))
    assert right is not None
    assert wrong is not None
    assert not minded(right)
    return rule in {one.rule for one in alarms(wrong)}
