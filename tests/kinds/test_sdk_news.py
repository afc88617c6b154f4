"""The official SDKs, each with two calls near each other, and with what it tells while a stream is open."""

from __future__ import annotations

import pytest
from playing import play

from conformance.adapters.addresses import find_adapter
from conformance.adapters.bound import ways_to_read
from conformance.engine.cases import Selection

RULES = ("common.stream.unmoved-*", "common.stream.news-*", "common.stream.end-told", "common.stream.stopping-ends-it")
SCENARIOS = ("parallel_calls.text_beside_calls", "errors.cut_after_text", "relations.tools_and_guidance")
SDKS = {
    "openai": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic",
    "google-genai": "gemini",
    "ollama": "ollama",
    "cohere": "cohere",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SDKS)
def test_an_sdk_keeps_conversations_apart_and_tells_news_in_time(name: str) -> None:
    pytest.importorskip({"google-genai": "google.genai"}.get(name, name.partition("-")[0]))
    assert ways_to_read(find_adapter(name).make()) == ("before", "beside", "on-a-loop")
    played = play(name, Selection((SDKS[name],), SCENARIOS, RULES, ("stream:per-event",)))
    assert len(played.cells) == 6
    assert played.failures == {}
