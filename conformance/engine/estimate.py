"""What a recording would cost: the calls of each case, and their tokens, by what the reference adapter would send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import Group, Selection, scenarios_of
from conformance.http import Request
from conformance.model import compact_json
from conformance.responders import ScriptedResponder
from conformance.session.directions import directed
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat

BYTES_A_TOKEN = 4
"""About: for English and JSON, tokenizers of all providers are near it."""


@dataclass
class Estimate:
    """What the cases of one provider take."""

    provider: str
    cases: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


def estimates(planned: Sequence[Group], selection: Selection) -> Iterator[Estimate]:
    """An estimate for each provider, in the order of the plan."""
    found: dict[str, Estimate] = {}
    scenarios = scenarios_of(selection)
    for group in planned:
        one = found.setdefault(group.provider, Estimate(group.provider))
        scenario = directed(scenarios[group.scenario])
        seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), group.provider))
        responder = ScriptedResponder(scenario, group.provider)
        profile = scenario.profile_in(selection.profile)
        played = Play(scenario, group.provider, profile, DELIVERIES["blocking"], seat, responder).run()
        for exchange in played:
            times = len(group.deliveries)
            one.calls += times
            if isinstance(exchange.request, Request):
                one.tokens_in += times * (len(exchange.request.body) // BYTES_A_TOKEN)
            one.tokens_out += times * (len(compact_json(exchange.answer)) // BYTES_A_TOKEN)
        one.cases += len(group.deliveries)
    yield from found.values()
