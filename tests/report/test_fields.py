"""Tables of fields: what stands where is what the wires build and render."""

from __future__ import annotations

import json

import pytest

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


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_field_has_examples_where_the_card_has_the_capability(provider: str) -> None:
    found, can = of(provider), card(provider).capabilities
    choices = {example.what for example in found["choice"].examples}
    assert ("this tool" in choices) == ("tool_choice" in can)
    assert ("at most one call" in choices) == ("parallel_switch" in can)
    assert all(field.rules for name, field in found.items() if name not in ("choice", "id", "error"))
    assert all(rule.is_told(card(provider).provider) for field in found.values() for rule in field.rules)
