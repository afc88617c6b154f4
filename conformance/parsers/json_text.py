"""How far the JSON at a place in a text goes, when more of the text may come."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from conformance.model import Json

JsonState = Literal["whole", "partial", "broken"]
_DECODE = json.JSONDecoder().raw_decode
_WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_NUMBER_BEGINS = re.compile(r"-?\d+(\.\d*)?([eE][+-]?\d*)?\Z")
_SPACE = re.compile(r"[ \t\r\n]*")
_OPEN_ESCAPE = re.compile(r"(?:^|[^\\])(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)\Z")


@dataclass(frozen=True, slots=True)
class JsonExtent:
    """What was found: ``end`` is up to where it is certain, ``value`` is there when it is whole."""

    state: JsonState
    end: int
    value: Json = None


def after_space(text: str, at: int) -> int:
    """The place of the next character that is none of JSON's blanks."""
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def json_at(text: str, at: int) -> JsonExtent:
    """The JSON value that begins at a place."""
    try:
        value, end = _DECODE(text, at)
    except json.JSONDecodeError as problem:
        return _unfinished(text, problem)
    except RecursionError:
        return JsonExtent("broken", at)
    if end == len(text) and isinstance(value, int | float) and not isinstance(value, bool):
        return JsonExtent("partial", end)
    return JsonExtent("whole", end, value)


def _unfinished(text: str, problem: json.JSONDecodeError) -> JsonExtent:
    """A text that ends too early, or one that is no JSON."""
    at = problem.pos
    if at >= len(text):
        return JsonExtent("partial", len(text))
    if problem.msg.startswith("Unterminated string"):
        open_escape = _OPEN_ESCAPE.search(text, at)
        return JsonExtent("partial", len(text) if open_escape is None else open_escape.start(1))
    rest = text[at:]
    if problem.msg.startswith("Expecting value") and any(word.startswith(rest) for word in _WORDS):
        return JsonExtent("partial", at)
    if problem.msg.startswith("Invalid \\u") and len(rest) < 6:
        return JsonExtent("partial", text.rfind("\\", 0, at + 1))
    number = _number_before(text, at)
    if problem.msg.startswith("Expecting ','") and number < at and _NUMBER_BEGINS.match(text, number):
        return JsonExtent("partial", at)
    return JsonExtent("broken", at)


def _number_before(text: str, at: int) -> int:
    """Where the whole number begins that ends at a place; the place itself, where there is none."""
    digits = len(text[:at].rstrip("0123456789"))
    return digits - 1 if digits < at and text[digits - 1 : digits] == "-" else digits
