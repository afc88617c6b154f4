"""What Cohere's requests say that want JSON: as with the others (`test_own_tools`), in its own words."""

from __future__ import annotations

from test_own_tools import TICKET, check_json


def test_what_asks_for_json_gets_json_of_its_schema() -> None:
    check_json("cohere", {"response_format": {"type": "json_object", "json_schema": TICKET}}, TICKET)
