"""Checks never raise, whatever an adapter sends: each value of a request is made another, and all rules are asked."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import fits
from conformance.engine.verdicts import GroupJudge
from conformance.http import Request
from conformance.model import Json, decoded_json
from conformance.responders import ScriptedResponder
from conformance.rules import catalogue
from conformance.scenarios import Scenario, load_scenarios
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat
from conformance.transcript import Exchange
from conformance.wires import PROVIDERS

ODD: tuple[Json, ...] = ({}, [], None, 0, 1.5, True, "", "\x00", [[]], [{}], [None], {"type": [], "name": {}, "id": []})
SCENARIOS = 25
REQUESTS = 6
"""How many scenarios are tried on each provider, and how many requests made of each. The self-test tries all kinds."""

JsonPath = tuple[str | int, ...]


@pytest.mark.slow
@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_check_raises(provider: str) -> None:
    chance, rules = random.Random(provider), list(catalogue().values())
    playable = [one for one in load_scenarios().values() if not one.streams_only and fits(one, provider, "native")]
    verdicts = [
        verdict
        for scenario in chance.sample(playable, SCENARIOS)
        for odd in with_odd_values(played(scenario, provider)[-1], chance)
        for verdict in GroupJudge(rules, provider, "native").of(odd, 0)
    ]
    told = sum(bool(verdict.findings) for verdict in verdicts)
    assert len(verdicts) > told > SCENARIOS


def played(scenario: Scenario, provider: str) -> list[Exchange]:
    seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
    return Play(
        scenario, provider, "native", DELIVERIES["blocking"], seat, ScriptedResponder(scenario, provider), ()
    ).run()


def with_odd_values(exchange: Exchange, chance: random.Random) -> Iterator[Exchange]:
    request = exchange.request
    if not isinstance(request, Request) or (body := decoded_json(request.body)) is None:
        return
    places = list(paths(body))
    for path in chance.sample(places, min(REQUESTS, len(places))):
        document = put(body, path, chance.choice(ODD))
        yield replace(exchange, request=replace(request, body=json.dumps(document).encode()))


def paths(value: Json, at: JsonPath = ()) -> Iterator[JsonPath]:
    yield at
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from paths(inner, (*at, key))


def put(value: Json, path: JsonPath, new: Json) -> Json:
    if not path:
        return new
    changed = value.copy()
    changed[path[0]] = put(value[path[0]], path[1:], new)
    return changed
