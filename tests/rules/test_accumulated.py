"""The whole answer that an adapter puts together from a stream, beside the body that comes without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.model import AssistantTurn, Conversation, Json
from conformance.mutants.lies.anthropic import KeepsTheFirstCount
from conformance.responders.scripted import ScriptedResponder
from conformance.rules.check import CHECKS
from conformance.rules.common.accumulated import NUMBERED, ONE_FORM
from conformance.scenarios import load_scenarios
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat
from conformance.transcript import Exchange
from conformance.wires import wire

RULE = "common.stream.accumulated-as-blocking"


class Accumulating(ReferenceAdapter):
    """Hands over the body that a stream amounts to, changed by ``bent``."""

    def __init__(self, bent: Callable[[dict[str, Json]], object]) -> None:
        super().__init__()
        self._bent = bent

    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        chunks, speaker = list(chunks), wire(provider)
        turn = super().parse_stream(provider, chunks, conversation=conversation)
        body = speaker.assembled(list(speaker.events(chunks))).body
        self._bent(body)
        return replace(turn, message=body)


def found(scenario: str, bent: Callable[[dict[str, Json]], object] = lambda body: None) -> list[str]:
    """Where the rule finds a difference on Anthropic; ``""`` for a message that is as it should be."""
    return verdicts_on(Accumulating(bent), scenario)


def verdicts_on(adapter: ReferenceAdapter, scenario: str) -> list[str]:
    item, provider = load_scenarios()[scenario], "anthropic"
    seat = TranslatorSeat(BoundTranslator(adapter, provider))
    delivery = DELIVERIES["stream:per-event"]
    played = Play(item, provider, "native", delivery, seat, ScriptedResponder(item, provider)).run()
    return ["" if one is None else one.at for exchange in played for one in CHECKS[RULE](exchange)]


SCENARIOS = (
    "anthropic.counts_grow", "anthropic.stop_sequence", "parallel_calls.two_reads", "reasoning.one_call",
    "web.native_search",
)  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_message_that_says_all_passes(scenario: str) -> None:
    verdicts = found(scenario)
    assert verdicts
    assert set(verdicts) == {""}


@pytest.mark.parametrize(
    ("bent", "at"),
    [
        (lambda body: body["usage"].update(cache_read_input_tokens=0), "/message/usage/cache_read_input_tokens"),
        (lambda body: body["usage"].pop("server_tool_use"), "/message/usage/server_tool_use"),
        (lambda body: body.pop("container"), "/message/container"),
        (lambda body: body["content"].append({"type": "text", "text": ""}), "/message/content"),
        (lambda body: body.update(stop_sequence="x"), "/message/stop_sequence"),
    ],
)
def test_a_member_that_is_lost_or_made_up_is_told(bent: Callable[[dict[str, Json]], object], at: str) -> None:
    assert set(found("anthropic.counts_grow", bent)) == {at}


def test_the_lie_is_told() -> None:
    assert set(verdicts_on(KeepsTheFirstCount(), "parallel_calls.two_reads")) == {"/message/usage/output_tokens"}


@pytest.mark.parametrize("scenario", ["arguments.trailing_text", "quirks.unknown_fields", "errors.cut_in_arguments"])
def test_where_nobody_knows_the_body_nobody_is_judged(scenario: str) -> None:
    def bent(body: dict[str, Json]) -> None:
        body["id"] = "another"

    answers = load_scenarios()[scenario].answers
    assert len(found(scenario, bent)) < len(answers)


def test_null_is_as_absent_and_a_member_of_the_sdk_alone_is_excused() -> None:
    def bent(body: dict[str, Json]) -> None:
        for block in body["content"]:
            block["parsed_output"] = {"a": 1}
        del body["stop_sequence"]

    assert set(found("anthropic.counts_grow", bent)) == {""}


@pytest.mark.parametrize(("number", "told"), [(0, []), (1, ["/message/choices/0/message/tool_calls/0/index"])])
def test_the_number_of_a_call_is_its_place(number: int, told: list[str]) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    whole, made = ({"choices": [{"message": {"tool_calls": [one]}}]} for one in (call, {**call, "index": number}))
    x = Exchange("openai-chat", whole=whole, understood=AssistantTurn(message=made))
    assert [one.at for one in CHECKS[RULE](x) if one is not None] == told


def test_each_excuse_says_where_it_is_known_from() -> None:
    assert ONE_FORM
    reasons = [why for known in (*ONE_FORM.values(), NUMBERED) for why in known.values()]
    assert all("openai" in why or "anthropic" in why for why in reasons)
