"""The names of models: two names of one model, two models of one family, two families."""

from __future__ import annotations

import pytest

from conformance.wires.models import model_asked, model_family, model_known_as, model_switch

SAME = [
    ("gpt-4o", "gpt-4o-2024-08-06"),
    ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06"),
    ("gpt-3.5-turbo", "gpt-3.5-turbo-0125"),
    ("gpt-4", "gpt-4-0613"),
    ("gpt-4o-search-preview", "gpt-4o-search-preview-2025-03-11"),
    ("claude-3-5-haiku-latest", "claude-3-5-haiku-20241022"),
    ("claude-sonnet-4-0", "claude-sonnet-4-20250514"),
    ("claude-3-7-sonnet@20250219", "claude-3-7-sonnet-20250219"),
    ("anthropic/claude-haiku-4.5", "anthropic/claude-4.5-haiku-20251001"),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
    ("us.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
    ("gemini-2.5-flash-preview-05-20", "models/gemini-2.5-flash-preview-05-20"),
    ("gemini-2.0-flash", "gemini-2.0-flash-001"),
    ("moonshotai/Kimi-K2-Instruct-0905:groq", "moonshotai/kimi-k2-instruct-0905"),
    ("qwen/qwen3.5-35b-a3b", "qwen/qwen3.5-35b-a3b-20260224"),
    ("mistral-large-latest", "mistral-large-2411"),
]
CHANGED = [
    ("claude-sonnet-4-5", "claude-opus-4", "model"),
    ("claude-sonnet-4-5", "claude-sonnet-4", "model"),
    ("claude-opus-4-1", "claude-opus-4", "model"),
    ("gpt-4.5", "gpt-5.4", "model"),
    ("gpt-4o", "gpt-4o-mini", "model"),
    ("gpt-4", "gpt-5", "model"),
    ("gemini-2.5-flash", "gemini-2.5-pro", "model"),
    ("deepseek-v3", "deepseek-r1", "model"),
    ("o3-mini", "o4-mini", "model"),
    ("gpt-5", "o4", "family"),
    ("gpt-5", "claude-sonnet-4-5", "family"),
    ("openai/gpt-4o", "anthropic/claude-sonnet-4", "family"),
    ("grok-4", "llama-3.3-70b-versatile", "family"),
]


@pytest.mark.parametrize("one, other", SAME)
def test_one_model_has_many_names(one: str, other: str) -> None:
    assert model_known_as(one) == model_known_as(other) != ""
    assert model_switch({one}, {other}) is None


@pytest.mark.parametrize("now, then, switch", CHANGED)
def test_models_are_told_apart(now: str, then: str, switch: str) -> None:
    assert model_known_as(now) != model_known_as(then)
    assert model_switch({now}, {then}) == model_switch({then}, {now}) == switch


@pytest.mark.parametrize(
    "now, then",
    [({""}, {"gpt-4o"}), ({"unknown"}, {"gpt-4o"}), (set(), set()), ({"auto", "gpt-4o"}, {"fast", "gpt-4o"})],
)
def test_what_is_not_known_has_not_changed(now: set[str], then: set[str]) -> None:
    """A model is known by each of its names: the one that was asked for, and the one that answered."""
    assert model_switch(now, then) is None


@pytest.mark.parametrize(
    "name, family", [("claude-3-opus", "claude"), ("openai/o4-mini", "o"), ("GPT-5", "gpt"), ("70b", ""), ("", "")]
)
def test_families_are_the_first_letters(name: str, family: str) -> None:
    assert model_family(name) == family


@pytest.mark.parametrize(
    "path, name",
    [
        ("/v1beta/models/gemini-2.5-pro:generateContent", "gemini-2.5-pro"),
        ("/openai/deployments/mine/chat/completions", "mine"),
        ("/model/us.anthropic.claude-opus-4-6-v1/invoke", "us.anthropic.claude-opus-4-6-v1"),
        ("/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse-stream", "anthropic.claude-3-haiku-20240307-v1:0"),
        ("/v1/messages", "in-the-body"),
    ],
)
def test_which_model_a_request_asks_for(path: str, name: str) -> None:
    assert model_asked(path, {"model": "in-the-body"}) == name
