"""A scenario on a provider as one document: what an adapter is given, what comes back, and what is asserted."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.adapters.stdio.writing import result_json
from conformance.deliveries import DELIVERIES
from conformance.engine.blame import CONTRACT_RULE
from conformance.engine.cases import fits
from conformance.export.asked import failure_assertions, turn_assertions
from conformance.export.records import conversation_data, request_data, turn_data
from conformance.export.relations import Assertion
from conformance.export.tables import request_assertions
from conformance.http import Request
from conformance.model import AssistantTurn, Json, Profile, ToolResult
from conformance.responders import ScriptedResponder
from conformance.rules import Rule, catalogue
from conformance.rules.judge import examines
from conformance.scenarios import AnswerStep, DecisionsStep, ResultsStep, Scenario, ScriptResult, UserStep
from conformance.session.play import Play, beginning
from conformance.session.seat import TranslatorSeat
from conformance.transcript import Exchange
from conformance.wires import card

BLOCKING, STREAM = "blocking", "stream:per-event"
CUT_OTHERWISE = ("stream:utf8-split", "stream:crlf-split", "stream:multi-line", "stream:json-array")
"""Deliveries that some rules are about. The others are cut somewhere else, which shows nothing new."""


@dataclass
class AssertionShelf:
    """The assertions of a provider, each once. Cases name them by their numbers."""

    assertions: list[Assertion] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def numbers(self, assertions: Sequence[Assertion]) -> list[int]:
        """The numbers of assertions; new ones are added."""
        found = []
        for one in assertions:
            text = json.dumps(one, sort_keys=True)
            if text not in self._numbers:
                self._numbers[text] = len(self.assertions)
                self.assertions.append(one)
            found.append(self._numbers[text])
        return sorted(set(found))


def exported_profiles(scenario: Scenario, provider: str) -> list[Profile]:
    """The profiles in which a scenario is written down: the native one, and the portable one where it is about that."""
    found: list[Profile] = ["native"] if fits(scenario, provider, "native") else []
    about = any(catalogue()[rule].profile == "portable" for rule in scenario.rules if rule in catalogue())
    if fits(scenario, provider, "portable") and (about or not found):
        found.append("portable")
    return found


def case_document(scenario: Scenario, provider: str, profile: Profile, shelf: AssertionShelf) -> dict[str, Json]:
    """The case, with its assertions by their numbers on ``shelf``."""
    played = _Played(scenario, provider, profile, shelf)
    return {
        "scenario": scenario.id,
        "title": scenario.title,
        "provider": provider,
        "profile": profile,
        "needs": sorted(scenario.needs),
        "quirks": sorted(scenario.quirks),
        "elsewhere": scenario.elsewhere_than(provider),
        "rules": sorted(rule for rule in scenario.rules if rule in catalogue()),
        "conversation": conversation_data(beginning(scenario, profile, _model(scenario, provider))),
        "steps": list(_steps(scenario)),
        "calls": list(played.calls()),
    }


def _model(scenario: Scenario, provider: str) -> str | None:
    return ScriptedResponder(scenario, provider).model


def _steps(scenario: Scenario) -> Iterator[dict[str, Json]]:
    number, labels = 0, tuple[str, ...]()
    for step in scenario.steps:
        match step:
            case UserStep(text):
                yield {"user": text}
            case AnswerStep():
                yield {"model": number}
                number, labels = number + 1, step.labels
            case ResultsStep(results):
                yield {"results": [_result(result, labels.index(result.label)) for result in results]}
            case DecisionsStep(accepted):
                yield {"decisions": [{"call": labels.index(name), "accept": yes} for name, yes in accepted.items()]}


def _result(result: ScriptResult, place: int) -> Json:
    told = json.loads(result_json(ToolResult("", "", result.content, result.is_error)))
    return {"call": place, "content": told["content"], "is_error": told["is_error"]}


@dataclass
class _Played:
    """A scenario as the reference adapter plays it, in every delivery that is written down."""

    scenario: Scenario
    provider: str
    profile: Profile
    shelf: AssertionShelf
    by_delivery: dict[str, list[Exchange]] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)

    def __post_init__(self) -> None:
        known = (rule for rule in catalogue().values() if rule.check is not None)
        self.rules = [rule for rule in known if rule.applies_to(self.provider, self.profile)]
        for name in self._deliveries():
            twins = [one.turn for one in self.by_delivery.get(BLOCKING, ())]
            self.by_delivery[name] = self._play(name, twins if name != BLOCKING else [])

    def _deliveries(self) -> Iterator[str]:
        own, scenario = card(self.provider), self.scenario
        if not scenario.streams_only:
            yield BLOCKING
        if "streaming" not in own.capabilities or scenario.is_about_http:
            return
        for name in (STREAM, *(() if scenario.is_damaged else CUT_OTHERWISE)):
            delivery = DELIVERIES[name]
            framed = (delivery.framing or own.framings[0]) in set(own.framings) & set(delivery.framings)
            if framed and (scenario.deliveries is None or name in scenario.deliveries):
                yield name

    def _play(self, name: str, twins: Sequence[AssistantTurn | None]) -> list[Exchange]:
        seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), self.provider))
        responder = ScriptedResponder(self.scenario, self.provider)
        return Play(self.scenario, self.provider, self.profile, DELIVERIES[name], seat, responder, twins).run()

    def calls(self) -> Iterator[dict[str, Json]]:
        """Each model call with its answer in every delivery."""
        longest = max(map(len, self.by_delivery.values()), default=0)
        for place in range(longest):
            told = {name: played[place] for name, played in self.by_delivery.items() if place < len(played)}
            yield self._call(told)

    def _call(self, told: Mapping[str, Exchange]) -> dict[str, Json]:
        first = next(iter(told.values()))
        assert isinstance(first.request, Request) and first.offered is not None
        return {
            "request": _sent(first.request),
            "expected": turn_data(first.offered),
            "usable_ids": first.usable_ids,
            "goes_on": first.complete and first.offered.error is None,
            "deliveries": {
                name: {**_answer(one), "assertions": self.shelf.numbers(self._assertions(name, one, told))}
                for name, one in told.items()
                if name in (BLOCKING, STREAM) or _differs(one, told.get(STREAM))
            },
        }

    def _assertions(self, name: str, one: Exchange, told: Mapping[str, Exchange]) -> list[Assertion]:
        read = [rule for rule in self.rules if rule.side == "parse"]
        if name in CUT_OTHERWISE:  # what is not about this delivery is asked of the plain stream
            plain = told[STREAM]
            read = [rule for rule in read if rule.per_delivery and not examines(rule, plain)]
            return turn_assertions(one, read)
        if name == STREAM and BLOCKING in told:
            read = [rule for rule in read if rule.per_delivery]
        blamed = [rule for rule in read if rule.id in {CONTRACT_RULE, *self.scenario.rules}]
        built = [rule for rule in self.rules if rule.side == "build"]
        return [*request_assertions(one, built), *turn_assertions(one, read), *failure_assertions(one, blamed)]


def _differs(one: Exchange, plain: Exchange | None) -> bool:
    return plain is not None and one.chunks != plain.chunks


def _sent(request: Request) -> Json:
    data = request_data(request)
    return {"method": request.method, "url": request.url, "headers": data["headers"], "body": data["body"]}


def _answer(exchange: Exchange) -> dict[str, Json]:
    """An answer as bytes: whole, or with the places at which it is cut."""
    if exchange.chunks is not None:
        cuts = [*accumulate(map(len, exchange.chunks))][:-1]
        return {"stream": _bytes(b"".join(exchange.chunks)), "cuts": cuts}
    response = exchange.response
    assert response is not None
    return {"status": response.status, "headers": dict(response.headers), "body": _bytes(response.body)}


def _bytes(data: bytes) -> Json:
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
