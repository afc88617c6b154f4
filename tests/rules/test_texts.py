"""Whether a sent text says another: as it is, inside JSON, or as other JSON of the same value."""

from __future__ import annotations

import json

import pytest

from conformance.rules.shared.texts import carries

FAILED = '{"code":2,"why":"no target"}'


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (FAILED, True),
        (f"Error: {FAILED}", True),
        ('{"code": 2, "why": "no target"}', True),
        (f'{{"error": {FAILED}}}', True),
        (json.dumps({"error": FAILED}), True),
        (json.dumps({"error": '{ "why": "no target", "code": 2 }'}), True),
        (json.dumps({"error": '{"code": 3, "why": "no target"}'}), False),
        (json.dumps({"error": "failed"}), False),
        ("", False),
    ],
)
def test_what_a_text_says(sent: str, said: bool) -> None:
    assert carries(sent, FAILED) is said
