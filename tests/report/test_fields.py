"""Tables of fields: what stands where is what the wires build and render."""

from __future__ import annotations

import json

import pytest

from conformance.report.ends import ends
from conformance.report.fields import CALL, MEANINGS, QUESTION, TOOL, Field, fields
from conformance.wires import PROVIDERS, card, known_ids


def of(provider: str) -> dict[str, Field]:
    return {field.name: field for field in fields(provider)}


@pytest.mark.parametrize("provider", known_ids())
def test_each_example_says_what_the_conversation_meant(provider: str) -> None:
    found = of(provider)
    assert list(found) == list(MEANINGS)
    said = {name: json.dumps([example.value for example in field.examples]) for name, field in found.items()}
    assert TOOL.name in said["declaration"] and TOOL.description in said["declaration"]
    assert said["call"].count(TOOL.name) >= len(found["call"].examples) == 2
    assert said["call"].count(str(CALL.calls[0].arguments["city"])) == 2
    assert "no such city" in said["error"] and "Rain" in said["result"]
    assert TOOL.name in found["stream"].stream and QUESTION not in found["stream"].stream
    assert found["stop"].examples, "a limit is told apart from an end"
    assert {end.stop for end in found["stop"].ends} >= {"end", "length"}, "and every known word says which"


@pytest.mark.parametrize(
    ("provider", "at", "words"),
    [
        ("anthropic", "/stop_reason", {"pause_turn": "pause", "model_context_window_exceeded": "length"}),
        ("gemini", "/candidates/0/finishReason", {"MISSING_THOUGHT_SIGNATURE": "error", "SPII": "refusal"}),
        ("gemini", "/promptFeedback/blockReason", {"JAILBREAK": "refusal"}),
        ("openai-responses", "/incomplete_details/reason", {"content_filter": "refusal"}),
        ("mistral", "/choices/0/finish_reason", {"model_length": "length", "error": "error", "stop": "end"}),
        ("ollama", "/done_reason", {"load": "end", "unload": "end", "length": "length"}),
        ("deepseek", "/choices/0/finish_reason", {"insufficient_system_resource": "error", "stop": "end"}),
    ],
)
def test_unusual_ends_are_told(provider: str, at: str, words: dict[str, str]) -> None:
    known = {end.word: end.stop for end in ends(provider) if end.at == at}
    assert known.items() >= words.items()


@pytest.mark.parametrize(
    ("provider", "word", "told"),
    [
        ("anthropic", "pause_turn", "the official types of its format"),
        ("mistral", "model_length", "mistralai 1.12.4"),
        ("ollama", "unload", "ollama/ollama docs/api.md"),
        ("deepseek", "insufficient_system_resource", "scenario "),
    ],
)
def test_a_word_says_where_it_is_known_from(provider: str, word: str, told: str) -> None:
    [known_from] = [end.known_from for end in ends(provider) if end.word == word]
    assert known_from.startswith(told)


def test_what_a_card_says_of_ends_is_not_in_the_types_too() -> None:
    """A word that the types have is told by them."""
    for provider in known_ids():
        told = {end.word: end.known_from for end in ends(provider)}
        assert {word: told[word] for word in card(provider).ends} == card(provider).ends


def test_what_says_nothing_of_the_end_is_no_end() -> None:
    """Anthropic's details repeat the reason, and an empty text is no word."""
    assert {end.at for end in ends("anthropic")} == {"/stop_reason"}
    beside = {end.word: end.beside_calls for end in ends("anthropic")}
    assert (beside["pause_turn"], beside["max_tokens"]) == ("tool_calls", "length")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_field_has_examples_where_the_card_has_the_capability(provider: str) -> None:
    found, can = of(provider), card(provider).capabilities
    choices = {example.what for example in found["choice"].examples}
    assert ("this tool" in choices) == ("tool_choice" in can)
    assert ("at most one call" in choices) == ("parallel_switch" in can)
    assert all(field.rules for name, field in found.items() if name not in ("choice", "id", "error"))
    assert all(rule.is_told(card(provider).provider) for field in found.values() for rule in field.rules)
