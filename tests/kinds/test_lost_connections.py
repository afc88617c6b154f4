"""A body that just ends and a connection that is lost are two ways to break off, and are told apart."""

from __future__ import annotations

import pytest
from playing import play
from test_clients import own

from conformance.adapters.addresses import find_adapter
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import Selection, groups, scenarios_of

RULE = "common.stream.truncated-stream-not-complete"
CUT = ("errors.cut_after_text",)
BOTH = ("stream:per-event", "stream:lost")


@pytest.mark.parametrize("client", ["ByHttpx", "ByHttpx2", "OnLoopback"])
def test_who_raises_when_the_connection_is_lost_tells_it(client: str) -> None:
    played = play(own(client), Selection(("openai-chat", "ollama"), CUT, deliveries=BOTH))
    assert played.failed == set()
    assert played.cells["openai-chat", RULE] == {"pass": 2}


@pytest.mark.parametrize("client", ["HidesLoss", "HidesLossOnLoopback"])
@pytest.mark.parametrize(
    ("delivery", "words"),
    [("stream:per-event", "the body ended"), ("stream:lost", "the connection was lost")],
)
def test_which_of_the_two_was_taken_for_an_end_is_told(client: str, delivery: str, words: str) -> None:
    failures = play(own(client), Selection(("openai-chat",), CUT, deliveries=(delivery,))).failures[RULE]
    assert [words in str(failure.expected) for failure in failures] == [True]


def test_only_who_has_a_connection_can_lose_it_and_only_where_a_stream_breaks_off() -> None:
    every = Selection(("openai-chat",), ("errors.*",))
    cut = {"errors.cut_after_text", "errors.cut_in_arguments"}
    for address, played in (("reference", set()), (own("ByHttpx"), cut)):
        found = find_adapter(address)
        made = groups(address, found.info, scenarios_of(every), every, found.kind)
        lost = {group.scenario for group in made if "stream:lost" in group.deliveries}
        assert played <= lost
        assert all(name.startswith("errors.cut_") for name in lost)
        assert bool(lost) is bool(played)
    assert DELIVERIES["stream:lost"].everywhere
