"""What stands beside the schema of an answer: its type, and in OpenAI's formats a name."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.rules.common.output import _lacking
from conformance.wires.facts import SentValue

AT = "/response_format/json_schema/schema"


@pytest.mark.parametrize(
    ("form", "places"),
    [
        ({"type": "json_schema", "json_schema": {"name": "answer"}}, []),
        ({"type": "json_object", "json_schema": {"name": "answer"}}, ["/response_format/type"]),
        ({"json_schema": {"name": "answer"}}, ["/response_format/type"]),
        ({"type": "json_schema", "json_schema": {}}, ["/response_format/json_schema/name"]),
        ({"type": "json_schema", "json_schema": {"name": ""}}, ["/response_format/json_schema/name"]),
    ],
)
def test_a_schema_has_its_type_and_name_beside_it(form: dict[str, Any], places: list[str]) -> None:
    found = _lacking({"response_format": form}, SentValue(AT, {"type": "object"}))
    assert [one.at for one in found] == places
