"""How a check is written: a short pure function from an exchange to verdicts, bound to a rule's id.

A check yields one verdict for each thing that it examined: ``None`` when it is as the rule says, a `Finding` when it is
not. A check that yields nothing found nothing to examine, and the rule is not applicable to that exchange.

Two habits keep findings few and to the point. A check examines only what is well-formed enough for its question: a
result without an id is one rule's finding, not also that of every rule that follows ids. And a check on reading uses
`Exchange.parsed`, so that what a stream did is left to the stream rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from conformance.model import Json
from conformance.transcript import Exchange


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong: a JSON pointer, what should be there, and what is there.

    The pointer leads into the request's body for rules about building, and into the understood turn (as JSON) for
    rules about reading. ``expected`` may be words. ``about_key`` says that the provider's key is missing, which
    providers look at before anything else. ``word`` says in one what it is, where that is no fault: ``buffered``.
    """

    at: str
    expected: Json
    found: Json
    about_key: bool = False
    word: str = ""


Verdicts = Iterator[Finding | None]
Check = Callable[[Exchange], Verdicts]

CHECKS: dict[str, Check] = {}
"""The checks, by the id of their rule."""


NEED_INTENT: set[str] = set()
"""The rules that compare with what the application meant. Where that is not known, they have nothing to examine."""


def check(rule: str, *, needs_intent: bool = False) -> Callable[[Check], Check]:
    """Bind the decorated function to ``rule``. Raises `ValueError` if the rule already has a check.

    One that ``needs_intent`` yields nothing for an exchange of which nobody knows what was meant. So it need not be
    asked: most exchanges of recorded traffic are such.
    """

    def bind(function: Check) -> Check:
        if rule in CHECKS:
            raise ValueError(f"two checks for {rule}")
        CHECKS[rule] = function
        if needs_intent:
            NEED_INTENT.add(rule)
        return function

    return bind


def equal(at: str, expected: Json, found: Json) -> Finding | None:
    """A verdict on equality. ``True`` is not ``1``, and ``5`` is not ``5.0``."""
    return None if same_json(expected, found) else Finding(at, expected, found)


def holds(condition: bool, at: str, expected: Json, found: Json) -> Finding | None:
    """A verdict on a condition, with words or a value for what it asks."""
    return None if condition else Finding(at, expected, found)


def has_key(condition: bool, expected: str, found: Json) -> Finding | None:
    """A verdict on whether a request carries a key, where its provider looks for it."""
    return None if condition else Finding("", expected, found, about_key=True)


def same_json(one: Json, other: Json) -> bool:
    """Whether two JSON values are the same, types included, whatever the order of their keys."""
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_json, one, other))
    return type(one) is type(other) and bool(one == other)
