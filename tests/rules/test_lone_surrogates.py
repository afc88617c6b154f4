"""Half of a pair of surrogates is no text: nobody is blamed for what stands in its place."""

from __future__ import annotations

import pytest

from conformance.rules.judge import LONE_SURROGATE


@pytest.mark.parametrize(
    ("text", "lone"),
    [
        ("a\ud83d", True), ("\ude00a", True), (r"\ud83d x", True), (r"x \ude00", True), (r"\ud83d\ud83d", True),
        ("😀", False), (r"\ud83d\ude00", False), (r"\u0041", False), ("", False),
    ],
)  # fmt: skip
def test_only_a_half_without_its_other_half_is_seen(text: str, lone: bool) -> None:
    assert (LONE_SURROGATE.search(text) is not None) == lone
