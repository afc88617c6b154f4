"""The class that an answer is asked for by says what the schema says, or there is none."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.adapters.libraries.answer_types import answer_type, parsed
from conformance.model import Conversation, Parsed, UserTurn

ORDER = {
    "type": "object",
    "properties": {"item": {"type": "string"}, "pieces": {"type": "integer"}, "fresh": {"type": "boolean"}},
    "required": ["item", "pieces", "fresh"],
    "additionalProperties": False,
}


def asking(schema: Any) -> Conversation:
    return Conversation((UserTurn("What is ordered?"),), output=schema)


def test_a_class_has_the_members_of_the_schema_and_no_others() -> None:
    made = answer_type(asking(ORDER))
    said = made.model_json_schema()
    titles = {name: {"title": name.capitalize(), **one} for name, one in ORDER["properties"].items()}  # type: ignore[attr-defined]
    assert said == {**ORDER, "title": "Answer", "properties": titles}
    answer = made.model_validate_json('{"item":"cups","pieces":12,"fresh":true}')
    assert parsed(answer) == Parsed({"item": "cups", "pieces": 12, "fresh": True})


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {**ORDER, "additionalProperties": True},
        {**ORDER, "required": ["item"]},
        {**ORDER, "properties": {"item": {"type": "string", "maxLength": 3}}, "required": ["item"]},
    ],
)
def test_what_no_class_says_has_none(schema: Any) -> None:
    assert answer_type(asking(schema)) is None
