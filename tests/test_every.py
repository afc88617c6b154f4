"""The helper that checks many cases in one test names each that fails."""

from __future__ import annotations

import pytest
from every import every, of_every


def positive(number: int) -> None:
    assert number > 0


@of_every({"one": (1,), "two": (2,)})
def test_all_hold(number: int) -> None:
    """Said of the test."""
    positive(number)


def test_it_is_a_test_of_its_name() -> None:
    assert (test_all_hold.__name__, test_all_hold.__doc__) == ("test_all_hold", "Said of the test.")


def test_each_that_fails_is_named() -> None:
    with pytest.raises(ExceptionGroup, match="2 of 3 cases: zero, less") as told:
        every({"one": (1,), "zero": (0,), "less": (-1,)}, positive)
    assert [one.__notes__ for one in told.value.exceptions] == [["in the case zero"], ["in the case less"]]


def test_nothing_to_check_is_a_fault() -> None:
    with pytest.raises(AssertionError, match="nothing to check"):
        every({}, positive)
