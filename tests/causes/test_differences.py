"""What differs between two values: missing, added, moved and changed, told apart, with JSON pointers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.differences import MOST, ValueDifference, value_differences

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=8,
)
ONE, TWO = {"id": "a", "n": 1}, {"id": "b", "n": 2}


@pytest.mark.parametrize(
    ("expected", "found", "told"),
    [
        ("2023-06-01", None, [("missing", "", "")]),
        (None, 3, [("added", "", "")]),
        (1, 2, [("changed", "", "")]),
        ({"a": 1, "b": 2}, {"b": 2}, [("missing", "/a", "")]),
        ({"b": 2}, {"a": {"c": 1}, "b": 2}, [("added", "/a", "")]),
        ({"n": "2"}, {"n": 2}, [("changed", "/n", "")]),
        ({"text": "hi"}, {"content": "hi"}, [("moved", "/text", "/content")]),
        ([ONE, TWO], [TWO, ONE], [("moved", "/0", "/1"), ("moved", "/1", "/0")]),
        ([ONE, TWO], [TWO], [("missing", "/0", "")]),  # what follows it has not moved
        ([ONE, TWO], [ONE, {**TWO, "n": 3}], [("changed", "/1/n", "")]),
        ({"a/b": {"c~": 1}}, {"a/b": {"c~": 2}}, [("changed", "/a~1b/c~0", "")]),
        ([0] * 3000, [1], [("changed", "", "")]),  # too large to look into
        ({"a": "\ud800"}, {"a": "x"}, [("changed", "/a", "")]),
    ],
)
def test_differences_are_told_apart(expected: Any, found: Any, told: list[tuple[str, str, str]]) -> None:
    assert [(one.kind, one.at, one.to) for one in value_differences(expected, found)] == told


@given(JSON, JSON)
def test_whatever_is_compared_something_is_said_of_it(expected: Any, found: Any) -> None:
    told = value_differences(expected, found)
    assert all(isinstance(one, ValueDifference) for one in told) and len(told) <= MOST
    assert told or expected is None


@given(JSON)
def test_nothing_is_missing_moved_or_added_in_a_value_that_is_the_same(value: Any) -> None:
    assert {one.kind for one in value_differences(value, value)} <= {"changed"}
