"""What *any* does, in which order: the shapes of its answers, as tables. ``docs/serving.md`` shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.arguments import ArgumentKind
from conformance.script import ErrorKind

ANY = "any"
PROVOKING = "any-provoke"
"""What a request chooses instead of a scenario: its own tools, called rightly or also wrongly."""

MOST_AT_ONCE = 8
"""How many calls an answer has at most."""

CallFault = Literal["unknown name", "invalid arguments", "no JSON"]
"""What is wrong with a call, if something is meant to be. What is no JSON can only be sent where arguments are text;
elsewhere the arguments are invalid."""


@dataclass(frozen=True, slots=True)
class ShapedCall:
    """A call of tool number ``tool``, counted from 0 and round and round."""

    tool: int
    arguments: ArgumentKind
    fault: CallFault | None = None


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """One answer. ``each`` adds a call of every tool, two calls at least. ``errors`` come first, one per request."""

    calls: tuple[ShapedCall, ...] = ()
    each: ArgumentKind | None = None
    text: str = ""
    thinks: bool = False
    errors: tuple[ErrorKind, ...] = ()


RIGHT = (
    AnswerShape((ShapedCall(0, "minimal"),)),
    AnswerShape((ShapedCall(1, "full"),), text="Let me look at that."),
    AnswerShape((ShapedCall(0, "minimal"), ShapedCall(0, "full"))),
    AnswerShape(each="odd"),
    AnswerShape((ShapedCall(2, "odd"),), thinks=True),
)
WRONG = (
    AnswerShape((ShapedCall(0, "minimal", "unknown name"),)),
    AnswerShape((ShapedCall(0, "minimal", "invalid arguments"),)),
    AnswerShape((ShapedCall(0, "minimal", "no JSON"),)),
    AnswerShape((ShapedCall(0, "minimal"),), errors=("rate_limit", "overloaded")),
    AnswerShape((ShapedCall(0, "minimal"), ShapedCall(1, "full", "unknown name"))),
)
ORDERS: Mapping[str, tuple[AnswerShape, ...]] = {ANY: RIGHT, PROVOKING: WRONG}

THOUGHTS = "The user wants this done. One more call, with values that are hard to carry, will show it."
LAST_WORDS = "Done: the tools were called in every shape, and nothing is left to do."
NO_TOOLS = "There is nothing to call, so this is all: a text."
