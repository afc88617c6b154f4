"""Which rows make sense: a level that would change nothing in a row is not covered by it, so it may not stand there.

Conditions are data, so that they can be asked of rows that are not yet whole (`truth`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.generated.factors import BY_NAME, FACTORS, PLAIN, USUAL, Row
from conformance.generated.keywords import VOCABULARIES


@dataclass(frozen=True, slots=True)
class LevelCondition:
    """The factor ``name`` has one of the levels."""

    name: str
    levels: frozenset[str]


@dataclass(frozen=True, slots=True)
class JoinedCondition:
    """All the conditions hold, or any of them does, or the only one does not."""

    how: Literal["all", "any", "not"]
    conditions: tuple[Condition, ...]


Condition = LevelCondition | JoinedCondition


def among(name: str, *levels: str) -> Condition:
    """The factor has one of the levels."""
    return LevelCondition(name, frozenset(levels))


def usual(name: str) -> Condition:
    """The factor has its usual level."""
    return among(name, USUAL[name])


def every(*conditions: Condition) -> Condition:
    """All of them hold."""
    return JoinedCondition("all", conditions)


def either(*conditions: Condition) -> Condition:
    """One of them holds."""
    return JoinedCondition("any", conditions)


def no(condition: Condition) -> Condition:
    """It does not hold."""
    return JoinedCondition("not", (condition,))


def truth(condition: Condition, row: Mapping[str, str]) -> bool | None:
    """Whether the condition holds in a row; ``None`` when the row does not say yet."""
    match condition:
        case LevelCondition(name, levels):
            return row[name] in levels if name in row else None
        case JoinedCondition("not", (inner,)):
            found = truth(inner, row)
            return None if found is None else not found
        case JoinedCondition(how, conditions):
            deciding, open_ = how == "any", False
            for one in conditions:
                found = truth(one, row)
                if found is deciding:
                    return deciding
                open_ = open_ or found is None
            return None if open_ else not deciding


def names_in(condition: Condition) -> frozenset[str]:
    """The factors that the condition is about."""
    if isinstance(condition, LevelCondition):
        return frozenset({condition.name})
    return frozenset[str]().union(*map(names_in, condition.conditions))


def _endings(*beginnings: str) -> Condition:
    return among("ending", *(level for level in BY_NAME["ending"].levels if level.startswith(beginnings)))


CALLS = no(among("calls", "none"))
PROPERTIES = among("parameters", "object", *VOCABULARIES)
ARGUMENTS = every(CALLS, PROPERTIES, no(among("arguments", "none")))
FORCED = among("tool choice", "required", "tool")
REFUSED = no(usual("refusal"))
LAST_TEXT = every(no(FORCED), no(REFUSED), no(_endings("error", "cut", "fails")))

ACTIVE: tuple[tuple[tuple[str, ...], Condition], ...] = (
    (("schema place", "schema emptiness"), among("parameters", *VOCABULARIES)),
    (("property name", "property description", "enum value"), PROPERTIES),
    (("turn text", "rounds", "result parts", "result kind", "result error", "decisions"), CALLS),
    (("arguments",), every(CALLS, PROPERTIES)),
    (("argument value", "argument text"), ARGUMENTS),
    (("results order",), among("calls", "several", "equal")),
    (("result text",), every(CALLS, among("result kind", "text", "mixed"))),
    (("result value",), every(CALLS, among("result kind", "json", "mixed"))),
    (("last text",), LAST_TEXT),
)
"""When factors matter. Where one does not, it has its usual level."""

FORBIDDEN: tuple[tuple[str, Condition], ...] = (
    ("a failed result is one text", every(
        no(usual("result error")), no(every(usual("result kind"), usual("result parts"))))),
    ("a failure says something", every(no(usual("result error")), among("result text", "empty"))),
    ("who forbids calls gets none", every(among("tool choice", "none"), CALLS)),
    ("who asks for a call gets one", every(FORCED, no(CALLS))),
    ("one call at a time is one", every(among("parallel", "false"), among("calls", "several", "equal"))),
    ("strict schemas are closed, and typed", every(among("strict", "true"), no(every(
        among("parameters", "object"), among("property name", PLAIN), usual("arguments"), usual("enum value"))))),
    ("an HTTP error is not cut", every(
        _endings("error", "retried"), no(among("delivery", "blocking", "stream:whole")))),
    ("only a stream breaks off", every(_endings("cut", "fails"), among("delivery", "blocking"))),
    ("arguments are cut where there are some", every(among("ending", "cut arguments"), no(ARGUMENTS))),
    ("who is forced to call ends with a call", every(FORCED, no(usual("ending")))),
    ("nobody is forced while he thinks", every(FORCED, no(usual("reasoning")))),
    ("a refusal is an end of its own", every(REFUSED, either(FORCED, no(usual("ending")), no(usual("search"))))),
    ("a search is an end of its own", every(
        no(usual("search")), either(no(among("tool choice", "auto")), no(usual("ending"))))),
    ("a second question follows an answer", every(
        no(usual("second question")), either(FORCED, REFUSED, no(usual("ending"))))),
    ("decisions are about each call", every(no(usual("decisions")), no(usual("result error")))),
)  # fmt: skip
"""Combinations to which no application or provider comes, and why."""


CONSTRAINTS: Sequence[Condition] = [
    *(either(matters, every(*map(usual, idle))) for idle, matters in ACTIVE),
    *(no(condition) for _, condition in FORBIDDEN),
]
"""What holds in every row."""


def makes_sense(row: Row) -> bool:
    """Whether every level of a whole row matters, and none contradicts another."""
    return all(truth(condition, row) for condition in CONSTRAINTS)


def tidied(row: Row) -> dict[str, str]:
    """The row with the usual level for each factor that does not matter in it."""
    whole = {**USUAL, **row}
    for names, matters in ACTIVE:
        if not truth(matters, whole):
            whole |= {name: USUAL[name] for name in names}
    return whole


def differing(row: Row) -> Iterator[tuple[str, str]]:
    """The levels that are not the usual ones, in the order of the factors."""
    whole = {**USUAL, **row}
    return ((one.name, whole[one.name]) for one in FACTORS if whole[one.name] != one.levels[0])


