"""A scenario on the wire of a provider: what is said, sent, answered and returned, step by step.

The reference adapter makes the requests. Another request may conform, too: rules say what all of them must have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES, Delivery
from conformance.engine.cases import fits
from conformance.http import Request
from conformance.model import Json, Profile, to_json
from conformance.responders import ScriptedResponder
from conformance.scenarios import AnswerStep, DecisionsStep, ResultsStep, Scenario, UserStep
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat
from conformance.transcript import Exchange
from conformance.wires import PROVIDERS, card

BLOCKING, STREAM = DELIVERIES["blocking"], DELIVERIES["stream:per-event"]


class NotPlayedError(ValueError):
    """The scenario is not played on the provider. The message says where it is."""


@dataclass(frozen=True, slots=True)
class ScenarioOnWire:
    """A scenario played on a provider by the reference adapter: blocking, streamed, or both."""

    scenario: Scenario
    provider: str
    profile: Profile
    blocking: tuple[Exchange, ...]
    streamed: tuple[Exchange, ...]


def players(scenario: Scenario) -> list[str]:
    """The providers on which a scenario is played, in any profile."""
    profiles: tuple[Profile, ...] = (scenario.profile,) if scenario.profile else ("native", "portable")
    return [name for name in PROVIDERS if any(fits(scenario, name, profile) for profile in profiles)]


def on_wire(scenario: Scenario, provider: str | None = None, profile: Profile = "native") -> ScenarioOnWire:
    """Play it; without a provider, on the first that can. Raises `NotPlayedError`."""
    able = players(scenario)
    if provider is not None and provider not in able:
        raise NotPlayedError(f"{scenario.id} is not played on {provider}, but on {', '.join(able)}")
    chosen, used = provider or able[0], scenario.profile or profile
    deliveries = [] if scenario.streams_only else [BLOCKING]
    deliveries += [STREAM] if "streaming" in card(chosen).capabilities and not scenario.is_about_http else []
    played = {delivery.name: _played(scenario, chosen, used, delivery) for delivery in deliveries}
    return ScenarioOnWire(scenario, chosen, used, played.get(BLOCKING.name, ()), played.get(STREAM.name, ()))


def _played(scenario: Scenario, provider: str, profile: Profile, delivery: Delivery) -> tuple[Exchange, ...]:
    seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
    return tuple(Play(scenario, provider, profile, delivery, seat, ScriptedResponder(scenario, provider)).run())


def on_wire_data(one: ScenarioOnWire) -> dict[str, Json]:
    """Everything as a JSON document."""
    return {
        "id": one.scenario.id,
        "title": one.scenario.title,
        "rules": list(one.scenario.rules),
        "provider": one.provider,
        "providers": list(players(one.scenario)),
        "profile": one.profile,
        "steps": list(_steps(one)),
    }


def _steps(one: ScenarioOnWire) -> Iterator[dict[str, Json]]:
    place = 0
    for step in one.scenario.steps:
        if isinstance(step, AnswerStep):
            whole, stream = (list(told)[place : place + 1] for told in (one.blocking, one.streamed))
            if whole or stream:
                yield _model_call(one.provider, whole, stream)
            place += 1
        elif isinstance(step, UserStep):
            yield {"user": step.text}
        elif isinstance(step, ResultsStep):
            yield {"results": [
                {"call": result.label, "content": [to_json(part) for part in result.content], "failed": result.is_error}
                for result in step.results
            ]}  # fmt: skip
        elif isinstance(step, DecisionsStep):
            yield {"decisions": dict(step.accepted)}


def _model_call(provider: str, whole: list[Exchange], stream: list[Exchange]) -> dict[str, Json]:
    request = (whole or stream)[0].request
    assert isinstance(request, Request)
    shown: dict[str, Json] = {
        "request": {"method": request.method, "url": request.url, "headers": dict(request.headers),
                    "body": json.loads(request.body)}
    }  # fmt: skip
    for exchange in whole:
        assert exchange.response is not None
        shown["answer"] = {"status": exchange.response.status, "body": _document(exchange.response.body)}
    for exchange in stream:
        shown["stream"] = b"".join(exchange.chunks or ()).decode("utf-8", "backslashreplace")
    return shown


def _document(body: bytes) -> Json:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "backslashreplace")


# --- for people -------------------------------------------------------------------------------------------------------


def on_wire_text(one: ScenarioOnWire) -> str:
    """The same for people, whole."""
    others = ", ".join(name for name in players(one.scenario) if name != one.provider)
    lines = [one.scenario.id, f"  {one.scenario.title}", "", f"on {one.provider}, profile {one.profile}"]
    lines += [f"also on {others} (--provider)"] if others else []
    lines += ["for the rules", *(f"  {rule}" for rule in one.scenario.rules)]
    for number, step in enumerate(_steps(one), 1):
        lines += ["", *_step_lines(number, step)]
    again = f"conformance run reference --provider {one.provider} --scenario {one.scenario.id}"
    return "\n".join([*lines, "", f"play it: {again}"]) + "\n"


def _step_lines(number: int, step: dict[str, Json]) -> Iterator[str]:
    if "user" in step:
        yield f"{number}. The user says"
        yield from _indented(step["user"])
    elif "results" in step:
        yield f"{number}. The tools return"
        for result in step["results"]:
            yield f"   {result['call']}{' (failed)' if result['failed'] else ''}:"
            yield from _indented(_json(result["content"]))
    elif "decisions" in step:
        yield f"{number}. The user decides"
        yield from _indented(_json(step["decisions"]))
    else:
        request = step["request"]
        yield f"{number}. A request that conforms: {request['method']} {request['url']}"
        yield from (f"   {name}: {value}" for name, value in request["headers"].items())
        yield from _indented(_json(request["body"]))
        if "answer" in step:
            yield f"   The answer, {step['answer']['status']}"
            yield from _indented(_json(step["answer"]["body"]))
        if "stream" in step:
            yield "   The answer as a stream"
            yield from _indented(step["stream"].rstrip("\n"))


def _indented(text: str) -> Iterator[str]:
    yield from (f"     {line}".rstrip() for line in text.splitlines() or [""])


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
