"""What an adapter read at other providers is in the conversation with which it goes on."""

from __future__ import annotations

import pytest
from own_kinds import ByHttpx

from conformance.adapters.bound import BoundClient, BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.model import AssistantTurn
from conformance.responders import ScriptedResponder
from conformance.scenarios import packaged_scenario
from conformance.session.client import ClientSeat
from conformance.session.other_providers import OtherProviders
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat

THINKERS = ["anthropic", "gemini", "openai-responses"]
SCENARIO = packaged_scenario("handoff.three_thinkers")


@pytest.mark.parametrize("provider", ["mistral", *THINKERS])
@pytest.mark.parametrize("kind", ["translator", "client"])
def test_what_was_read_elsewhere_goes_along(provider: str, kind: str) -> None:
    translator, client = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider)), ClientSeat(
        BoundClient(ByHttpx(), provider), provider
    )  # fmt: skip
    seat = translator if kind == "translator" else client
    others, delivery = OtherProviders(SCENARIO, provider, seat.at), DELIVERIES["blocking"]
    responder = ScriptedResponder(SCENARIO, provider)
    first, _ = Play(SCENARIO, provider, "native", delivery, seat, responder, elsewhere=others).run()
    assert [one.provider for one in first.elsewhere] == [name for name in THINKERS if name != provider]
    assert first.previous is None and first.intent is not None
    turns = [turn for turn in first.intent.turns if isinstance(turn, AssistantTurn)]
    assert [turn.opaque is not None for turn in turns] == [name != provider for name in THINKERS]
    assert [call.arguments for turn in turns for call in turn.calls] == [
        {"absolute_path": f"/srv/{name}.yaml"} for name in ("first", "second", "third")
    ]


def test_who_knows_no_other_provider_is_told_what_was_said() -> None:
    seat, others = TranslatorSeat(BoundTranslator(ReferenceAdapter(), "mistral")), OtherProviders(
        SCENARIO, "mistral", lambda provider: None
    )  # fmt: skip
    responder, delivery = ScriptedResponder(SCENARIO, "mistral"), DELIVERIES["blocking"]
    first, _ = Play(SCENARIO, "mistral", "native", delivery, seat, responder, elsewhere=others).run()
    assert first.elsewhere == () and first.intent is not None
    assert not any(turn.opaque for turn in first.intent.turns if isinstance(turn, AssistantTurn))
