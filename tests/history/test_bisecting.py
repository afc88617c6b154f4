"""Halving: which release turned, which releases were asked, and what cannot be told."""

from __future__ import annotations

import pytest

from conformance.history.bisecting import Bisection, CaseVerdicts, bisect

CASE = "shell.success/blocking"


def search(releases: str, *, ends: bool = False, checks: int = 3) -> tuple[Bisection, list[int]]:
    """``.`` holds, ``X`` is broken, ``?`` says nothing."""
    asked: list[int] = []

    def ask(number: int, case: str | None) -> CaseVerdicts:
        asked.append(number)
        sign = releases[number]
        return {} if sign == "?" else {CASE: "holds" if sign == "." else "broken"}

    return bisect(len(releases), ask, checks=checks, ends=ends), asked


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize(
    ("releases", "kind", "before", "after"),
    [
        (".....XXXX", "broke", 4, 5),
        ("XXXXX....", "mended", 4, 5),
        (".X", "broke", 0, 1),
        (".....??XX", "broke", 4, 7),  # one of three, then
        (".X???", "broke", 0, 1),
        ("?.X", "broke", 1, 2),
    ],
)
def test_the_release_that_turned(releases: str, kind: str, before: int, after: int, ends: bool) -> None:
    found, _ = search(releases, ends=ends)
    assert (found.kind, found.before, found.after, found.witness) == (kind, before, after, CASE)
    assert len(found.turned) == 1


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("releases", ["", ".", "?", ".....", "XXXXX", "????"])
def test_no_turning_point(releases: str, ends: bool) -> None:
    found, _ = search(releases, ends=ends)
    assert not found.found


@pytest.mark.parametrize("ends", [False, True])
def test_a_library_that_went_to_and_fro_is_told_and_the_newest_turn_is_the_one(ends: bool) -> None:
    found, _ = search("..XXXX..XX..XXXXXX????", ends=ends)
    assert (found.before, found.after) == (11, 12)
    assert len(found.turned) > 1


def test_few_releases_are_asked() -> None:
    found, asked = search("." * 900 + "X" * 124)
    assert (found.before, found.after) == (899, 900)
    assert len(asked) < 30
    assert len(asked) == len(set(asked))


def test_only_a_case_that_both_releases_could_play_tells_a_turn() -> None:
    """What fails in a case that older releases could not play was not broken."""
    releases: list[CaseVerdicts] = [{"a": "holds"}, {"a": "holds", "b": "broken"}, {"a": "holds", "b": "broken"}]
    assert not bisect(3, lambda number, case: releases[number]).found


def test_the_witness_turned_where_it_was_judged() -> None:
    releases: list[CaseVerdicts] = [{"a": "holds"}, {"b": "holds"}, {"a": "broken", "b": "holds"}]
    found = bisect(3, lambda number, case: releases[number])
    assert (found.before, found.after, found.silent) == (0, 2, {1})
