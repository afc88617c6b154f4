"""Texts that are made to be expensive for a regular expression, from its own parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

parser: Any = __import__("re._parser", fromlist=["parse"])

LETTERS = {
    "CATEGORY_DIGIT": "1", "CATEGORY_WORD": "a", "CATEGORY_SPACE": " ", "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_NOT_WORD": "-", "CATEGORY_NOT_DIGIT": "a",
}  # fmt: skip
CANDIDATES = "a1A -_.:/\\\"'=,;&%<>[]{}()\n\r\t+*#~|é€"
"""What is tried for a class that says what is not in it."""


def hostile_texts(pattern: re.Pattern[Any], size: int) -> Iterator[str]:
    """What a part of the pattern fits, again and again; after what comes before it; and what may begin it, again and
    again. None ends as the pattern does."""
    parsed = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    made: dict[str, None] = {}
    for before, unit in _repeated(list(parsed), ""):
        for start in ("", before):
            made[start + (unit * size)[:size]] = None
        made[((before + unit * 2) * size)[:size]] = None
    for ending in ("", "\n\x00!"):
        for text in made:
            yield text + ending


def _repeated(parsed: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """Each part that may be repeated: what comes before it, and a text of it."""
    for place, (operation, value) in enumerate(parsed):
        ahead = before + _text(parsed[:place])
        for inner in _inner(str(operation), value):
            yield from _repeated(list(inner), ahead)
        if str(operation) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[1] > 1:
            for unit in _units(list(value[2])):
                yield ahead, unit
    if parsed and before == "":
        yield "", _text(parsed)[:-1] or _text(parsed)


def _units(parsed: list[Any]) -> Iterator[str]:
    """Several texts of a part: for a class of characters, several of them."""
    if len(parsed) == 1 and str(parsed[0][0]) == "IN":
        yield from dict.fromkeys([*_of_class(parsed[0][1])][:4])
    else:
        yield _text(parsed)


def _inner(operation: str, value: Any) -> Iterator[Any]:
    match operation:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            yield value[2]
        case "SUBPATTERN":
            yield value[3]
        case "ATOMIC_GROUP":
            yield value
        case "BRANCH":
            yield from value[1]
        case "ASSERT" | "ASSERT_NOT":
            yield value[1]


def _text(parsed: Any) -> str:
    """The shortest text, about."""
    return "".join(_piece(str(operation), value) for operation, value in parsed)


def _piece(operation: str, value: Any) -> str:
    match operation:
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL":
            return "a" if value != ord("a") else "b"
        case "ANY":
            return "a"
        case "IN":
            return next(_of_class(value), "a")
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _text(value[2]) * min(max(value[0], 1), 100)
        case "SUBPATTERN":
            return _text(value[3])
        case "ATOMIC_GROUP":
            return _text(value)
        case "BRANCH":
            return _text(value[1][0])
    return ""


def _of_class(items: list[Any]) -> Iterator[str]:
    """Characters of a class."""
    if items and str(items[0][0]) == "NEGATE":
        wrong = re.compile(f"[{''.join(map(_as_pattern, items[1:]))}]")
        yield from (one for one in CANDIDATES if wrong.match(one) is None)
        return
    for operation, value in items:
        match str(operation):
            case "LITERAL":
                yield chr(value)
            case "RANGE":
                yield from dict.fromkeys((chr(value[0]), chr(value[1])))
            case "CATEGORY":
                yield LETTERS.get(str(value), "a")


def _as_pattern(item: Any) -> str:
    operation, value = str(item[0]), item[1]
    if operation == "RANGE":
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    if operation == "LITERAL":
        return re.escape(chr(value))
    names = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w", "NOT_DIGIT": r"\D", "NOT_SPACE": r"\S", "NOT_WORD": r"\W"}
    return names[str(value).removeprefix("CATEGORY_")]
