"""The helper that checks many cases in one test names each that fails."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from every import each, every, of_every


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


@pytest.fixture
def word() -> str:
    return "word"


@pytest.mark.parametrize("letter", ["a", "b"])
@each("number", [1, pytest.param(2, id="two")])
@each(("even", "half"), [(4, 2), (6, 3)], ids=["four", "six"])
def test_values_are_checked_in_one_test(
    word: str, letter: str, number: int, even: int, half: int, tmp_path: Path
) -> None:
    """Said of the test."""
    assert (word, even) == ("word", 2 * half)
    assert letter in "ab" and number in (1, 2) and tmp_path.is_dir()


def test_each_value_is_checked_in_a_folder_of_its_own(tmp_path: Path) -> None:
    seen: list[tuple[int, Path]] = []

    @each("number", [1, 2])
    @each("by", [4, 6])
    def check(number: int, by: int, tmp_path: Path) -> None:
        seen.append((number * by, tmp_path))

    check(tmp_path=tmp_path)
    assert [number for number, _ in seen] == [4, 6, 8, 12]
    assert len({folder for _, folder in seen}) == 4 and all(folder.is_dir() for _, folder in seen)


def test_what_is_left_to_pytest_is_in_the_signature() -> None:
    assert list(inspect.signature(test_values_are_checked_in_one_test).parameters) == ["word", "letter", "tmp_path"]
    assert test_values_are_checked_in_one_test.__doc__ == "Said of the test."


def test_each_value_that_fails_is_named() -> None:
    @each("number", [1, pytest.param(0), -1], ids=lambda number: f"the number {number}")
    @each("by", [1, -1])
    def check(number: int, by: int) -> None:
        positive(number * by)

    with pytest.raises(ExceptionGroup, match="3 of 3 cases: 0 the number 1, 1 the number 0, 2 the number -1") as told:
        check()
    assert str(told.value.exceptions[0]).startswith("1 of 2 cases: 1 (-1,)")


def test_a_name_that_the_test_does_not_take_is_a_fault() -> None:
    with pytest.raises(AssertionError, match="positive does not take"):
        each("count", [1])(positive)
