"""Which failures have one cause, and in which order causes are told."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.causes.book import Breach, CauseBook
from conformance.causes.exceptions import raised_at
from conformance.causes.ranking import ranked

PYTHON = (
    'Traceback (most recent call last):\n  File "own.py", line 3, in build\n    deep()\n'
    '  File "own.py", line 9, in deep\n    raise KeyError(name)\nKeyError: \'a\'\n'
)
NODE = "TypeError: x is undefined\n    at build (file:///app/own.js:12:7)\n    at main (/app/run.js:3:1)\n"


def breach(**given: Any) -> Breach:
    """A failure, with some members of its own."""
    plain: dict[str, Any] = {
        "adapter": "mine", "provider": "anthropic", "rule": "a.rule", "case": "shell.success/blocking",
        "at": "/messages/0/id", "expected": "an id", "found": None, "document": "request", "evidence": "e1",
    }  # fmt: skip
    return Breach(**{**plain, **given})


def causes(*entered: tuple[Breach, Any]) -> int:
    """How many causes there are."""
    book = CauseBook()
    for one, failure in entered:
        book.enter(one, failure)
    return len(book.causes)


RAISED = {"message": "build raised KeyError: 'a'", "traceback": PYTHON}


@pytest.mark.parametrize(
    ("number", "others"),
    [
        (1, {"case": "b/blocking", "at": "/messages/7/id"}),  # which message it is makes no other cause
        (1, {"provider": "gemini", "expected": "another id"}),
        (2, {"at": "/messages/0/name"}),
        (2, {"rule": "b.rule"}),
        (2, {"found": ""}),
        (2, {"adapter": "yours"}),
    ],
)
def test_one_rule_and_one_difference_is_one_cause(number: int, others: dict[str, Any]) -> None:
    assert causes((breach(), None), (breach(**others), None)) == number


def test_one_exception_is_one_cause_whichever_rule_complains() -> None:
    told, again = breach(document="turn"), breach(document="turn", rule="b.rule", provider="gemini")
    elsewhere = {**RAISED, "traceback": PYTHON.replace("line 9", "line 8")}
    assert causes((told, RAISED), (again, {**RAISED, "message": "build raised KeyError: 'b'"})) == 1
    assert causes((told, RAISED), (again, elsewhere)) == 2
    assert causes((told, RAISED), (breach(), RAISED)) == 2, "a rule about the request complains of something else"


@pytest.mark.parametrize(
    ("traceback", "place"), [(PYTHON, "own.py:9 in deep"), (NODE, "/app/own.js:12 in build"), ("oh no", "")]
)
def test_the_place_is_the_innermost(traceback: str, place: str) -> None:
    assert raised_at(traceback) == place


def cell(rule: str, consequence: str, **more: str) -> dict[str, Any]:
    told = {"adapter": "mine", "provider": "anthropic", "rule": rule, "outcome": "fail", "consequence": consequence}
    return {**told, **more}


def test_what_every_case_shows_comes_before_what_weighs_as_much_and_is_rare() -> None:
    book = CauseBook()
    for number in range(10):
        book.enter(breach(rule="common", case=f"{number}/blocking"), None)
    book.enter(breach(rule="rare"), None)
    book.enter(breach(rule="slight"), None)
    book.enter(breach(rule="odd", light=True), None)
    book.enter(breach(rule="known"), None)
    cells = [
        cell("rare", "rejected"), cell("common", "rejected"), cell("slight", "degraded"),
        cell("odd", "rejected", outcome="warn"), cell("known", "rejected", flag="expected_fail"),
    ]  # fmt: skip
    found = ranked(book.causes.values(), cells, {("mine", "anthropic"): 10})
    assert [(one["rules"][0], one["cases"], one["of"], one["standing"]) for one in found] == [
        ("common", 10, 10, "fails"), ("rare", 1, 10, "fails"), ("slight", 1, 10, "fails"), ("odd", 1, 10, "oddity"),
    ]  # fmt: skip


def test_a_cause_that_the_provider_itself_shows_too_is_no_oddity() -> None:
    book = CauseBook()
    book.enter(breach(light=True), None)
    book.enter(breach(case="b/blocking"), None)
    (found,) = ranked(book.causes.values(), [cell("a.rule", "lost")], {})
    assert (found["standing"], found["cases"], found["such_as"]["case"]) == ("fails", 2, "b/blocking")


def test_what_only_warns_is_no_failure_though_its_rule_fails_for_an_exception() -> None:
    """A `should` that is broken ten times, and one case in which the adapter raised: the exception is what fails."""
    book = CauseBook()
    for number in range(10):
        book.enter(breach(rule="should", case=f"{number}/blocking"), None)
    book.enter(breach(rule="should", document="turn", case="raised/blocking"), RAISED)
    torn = {**cell("should", "degraded", outcome="error"), "cases": {"error": 1, "warn": 10}}
    found = ranked(book.causes.values(), [torn], {("mine", "anthropic"): 20})
    assert [(one["kind"], one["cases"], one["standing"]) for one in found] == [
        ("exception", 1, "fails"), ("difference", 10, "warns"),
    ]  # fmt: skip
    broken = {**torn, "cases": {"error": 1, "fail": 10}}
    assert {one["standing"] for one in ranked(book.causes.values(), [broken], {})} == {"fails"}
