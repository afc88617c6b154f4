"""One test for what holds of hundreds of cases: an id of its own costs a test 2 ms, more than many a check takes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
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


def each(
    names: str | Sequence[str], values: Iterable[Any], ids: Iterable[Any] | Callable[[Any], object] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator that takes what ``parametrize`` takes, and makes one test. All values are checked in it, and those
    that fail are named. It may stand below ``parametrize``, and below itself. Where the test takes a folder,
    ``tmp_path``, each value has one of its own. It is not for tests that skip: the first value that skips ends it all.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    values = list(values)
    assert not any(getattr(value, "marks", ()) for value in values), "a value has no marks of its own here"
    rows = [
        value.values if hasattr(value, "marks") else value if len(arguments) > 1 else (value,) for value in values
    ]
    told = list(ids) if ids is not None and not callable(ids) else [getattr(value, "id", None) for value in values]
    assert rows and len(rows) == len(told) and all(len(row) == len(arguments) for row in rows)
    labels = [
        f"{number} {own or (ids(row[0]) if callable(ids) else repr(row)[:80])}"
        for number, (row, own) in enumerate(zip(rows, told, strict=True))
    ]

    def one(check: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(check)
        assert set(arguments) <= signature.parameters.keys(), f"{check.__name__} does not take {arguments}"

        def test(**given: Any) -> None:
            def case(number: int) -> None:
                more = given | dict(zip(arguments, rows[number], strict=True))
                if "tmp_path" in given:
                    more["tmp_path"] = given["tmp_path"] / str(number)
                    more["tmp_path"].mkdir()
                check(**more)

            every({label: (number,) for number, label in enumerate(labels)}, case)

        functools.update_wrapper(test, check)
        del test.__wrapped__  # type: ignore[attr-defined]  # pytest would ask it which fixtures there are
        left = [value for name, value in signature.parameters.items() if name not in arguments]
        test.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return test

    return one
