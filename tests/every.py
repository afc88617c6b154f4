"""One test for what holds of hundreds of cases: an id of its own costs a test 2 ms, more than many a check takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def every(cases: Mapping[str, tuple[Any, ...]], check: Callable[..., None]) -> None:
    """Check each case. All that fail are named, each with its own failure; a case that skips ends the test."""
    assert cases, "there is nothing to check"
    wrong: dict[str, Exception] = {}
    for name, case in cases.items():
        try:
            check(*case)
        except Exception as problem:
            problem.add_note(f"in the case {name}")
            wrong[name] = problem
    if wrong:
        raise ExceptionGroup(f"{len(wrong)} of {len(cases)} cases: {', '.join(wrong)}", list(wrong.values()))


def of_every(cases: Mapping[str, tuple[Any, ...]]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """A decorator, where ``parametrize`` would make an id of each case: one test, which checks all of them."""

    def one(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            every(cases, check)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return one
