"""The laws, as functions that raise `AssertionError`. `test_laws` lets Hypothesis look for what breaks them.

With an example that a person can name (`test_losses`) they show that each declared loss is real.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import replace

from answer_forms import common_turn
from forms import shown
from neutral import conversation_from, conversation_of
from request_forms import common_form

from conformance.answers import answer_of_response
from conformance.deliveries import DELIVERIES, cut_at
from conformance.http import StreamEvent, frame
from conformance.model import AssistantTurn, Conversation, ToolCall, kinds_of
from conformance.rules.losses import losses_of
from conformance.scenarios import Scenario
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.transcript import same_meaning
from conformance.wires import PROVIDERS, wire
from conformance.wires.naming import wire_names


def pairs(steps: Collection[int]) -> Iterator[tuple[str, str]]:
    """Pairs of providers, in order: each with those that stand ``steps`` places behind it. 0 to 9 give all pairs."""
    return (
        (first, PROVIDERS[(place + step) % len(PROVIDERS)]) for place, first in enumerate(PROVIDERS) for step in steps
    )


def request_law(scenario: Scenario, steps: Collection[int]) -> None:
    """A conversation built on one wire, read from its request and built on another wire is still the conversation."""
    conversation = conversation_of(scenario)
    arrived = {first: carried(first, conversation, losses_of(first, "request")) for first in PROVIDERS}
    for first, second in pairs(steps):
        carried(second, arrived[first], losses_of(second, "request"), f"{first} → {second}")


def carried(provider: str, conversation: Conversation, losses: Collection[str], way: str = "") -> Conversation:
    """The conversation that the provider's request says. It is the one that was built, up to ``losses``."""
    speaker = wire(provider)
    facts = speaker.facts(speaker.build(conversation, stream=False))
    arrived = conversation_from(facts)
    found, expected = (shown(common_form(item, losses)) for item in (arrived, conversation))
    assert found == expected, f"{way or provider}:\n{found}\n--- instead of\n{expected}"
    return arrived


def answer_law(scenario: Scenario, steps: Collection[int]) -> None:
    """A turn said by one provider, read, and said again by another means the same."""
    for turn in scenario.turns:
        heard = {first: understood(first, scenario, turn, losses_of(first, "answer")) for first in PROVIDERS}
        for first, second in pairs(steps):
            calls = (ScriptCall(call.name, call.arguments, call.raw, call.id) for call in heard[first].calls)
            again = ScriptTurn(heard[first].text, tuple(calls))
            understood(second, scenario, again, losses_of(second, "answer"), f"{first} → {second}")


def understood(
    provider: str, scenario: Scenario, says: ScriptTurn, losses: Collection[str], way: str = ""
) -> AssistantTurn:
    """What our reader understands when the provider says ``says``: just that, up to ``losses``."""
    speaker, voice = wire(provider), Voice("test-model", wire_names(scenario.tools), "turn", kinds_of(scenario.tools))
    says = replace(says, quirks=says.quirks & speaker.card.quirks)
    reader = Conversation((), scenario.tools, profile="portable")
    turn = speaker.read_response(speaker.respond(says, voice), reader)
    minted = speaker.ids(replace(says, quirks=frozenset()), voice)
    meant = AssistantTurn(
        says.text,
        tuple(_meant(call, minted[place]) for place, call in enumerate(says.calls)),
        says.stops_with,
        says.refusal,
    )
    found, expected = common_turn(turn, losses), common_turn(meant, losses)
    assert found == expected, f"{way or provider}:\n{found}\n--- instead of\n{expected}"
    return turn


def _meant(call: ScriptCall, own: str | None) -> ToolCall:
    if call.raw is not None:
        return ToolCall(own or "", call.tool, None, call.raw, True)
    return ToolCall(own or "", call.tool, call.arguments or {})


def stream_law(scenario: Scenario, seed: int) -> None:
    """Every turn means the same blocking and streamed, in every delivery and however the stream is cut."""
    for provider in PROVIDERS:
        for turn in scenario.turns:
            if turn.quirks <= wire(provider).card.quirks:
                stream_law_of(provider, scenario, turn, seed)


def stream_law_of(provider: str, scenario: Scenario, turn: ScriptTurn, seed: int) -> None:
    """The law for one provider and one turn. ``seed`` decides where else the stream is cut."""
    speaker, voice = wire(provider), Voice("test-model", wire_names(scenario.tools), "turn", kinds_of(scenario.tools))
    reader = Conversation((), scenario.tools, profile="portable")
    response = speaker.respond(turn, voice)
    blocking = speaker.read_response(response, reader)
    events = speaker.render_stream(turn, voice)
    ids = [call.id for call in answer_of_response(speaker, response, reader).offered.calls]
    usable = all(ids) and len(set(ids)) == len(ids)
    for name, chunks in _ways(provider, events, seed):
        streamed = speaker.read_stream(chunks, reader)
        assert same_meaning(streamed, blocking, ids=usable), f"{provider} {name}:\n{streamed}\n--- not\n{blocking}"


def _ways(provider: str, events: list[StreamEvent], seed: int) -> Iterator[tuple[str, list[bytes]]]:
    """The stream in every delivery that the provider's framings allow, and cut at places of nobody's choice."""
    framings = wire(provider).card.framings
    for delivery in DELIVERIES.values():
        framing = delivery.framing or framings[0]
        if delivery.cut is not None and framing in framings and framing in delivery.framings:
            yield delivery.name, delivery.cut(frame(events, framing, delivery.style))
    for framing in framings:
        body, chance = b"".join(frame(events, framing)), random.Random(seed)
        places = sorted(chance.sample(range(len(body) + 1), min(len(body), chance.choice([1, 2, 5, 40]))))
        yield f"{framing} cut at {places}", cut_at(body, places)
