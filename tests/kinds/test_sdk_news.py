"""The official SDKs, each with two calls near each other, and with what it tells while a stream is open."""

from __future__ import annotations

import pytest
from playing import play

from conformance.adapters.addresses import find_adapter
from conformance.adapters.bound import ways_to_read
from conformance.adapters.libraries import LIBRARIES
from conformance.engine.cases import Selection
from conformance.wires import PROVIDERS, card

RULES = ("common.stream.unmoved-*", "common.stream.news-*", "common.stream.end-told", "common.stream.stopping-ends-it")
SCENARIOS = ("parallel_calls.text_beside_calls", "errors.cut_after_text", "relations.tools_and_guidance")
WITHOUT_A_LOOP = ("boto3",)
"""SDKs that have no client for asyncio."""
SDKS = {card(provider).sdk: provider for provider in reversed(PROVIDERS) if card(provider).sdk in LIBRARIES}


@pytest.mark.slow
@pytest.mark.parametrize("name", SDKS)
def test_an_sdk_keeps_conversations_apart_and_tells_news_in_time(name: str) -> None:
    distribution = LIBRARIES[name].distribution
    pytest.importorskip({"google-genai": "google.genai"}.get(distribution, distribution))
    ways = ("before", "beside") if name in WITHOUT_A_LOOP else ("before", "beside", "on-a-loop")
    assert ways_to_read(find_adapter(name).make()) == ways
    played = play(name, Selection((SDKS[name],), SCENARIOS, RULES, ("stream:per-event",)))
    assert len(played.cells) == 6
    assert played.failures == {}
