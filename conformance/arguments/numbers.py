"""Numbers for a schema: plain ones, and those at the edges of what is allowed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from conformance.arguments.combining import SchemaObject
from conformance.model import Json

EXACT = 2**53 - 1
"""The largest integer that every reader of JSON keeps (RFC 8259, section 6)."""
USUAL = {"minimal": (1, 0, 2, -1), "full": (3, 2, 10, 1), "odd": (-1, EXACT, -EXACT, 0)}
BROKEN = {"minimal": (1, 0.5), "full": (1.5, 3), "odd": (0.1, -2.5, 1e-07, 12345678.901)}


def integers(schema: SchemaObject, kind: str) -> Iterator[Json]:
    """Integers that may fit a schema, the best first."""
    edges = list(_edges(schema, whole=True))
    usual = USUAL[kind]
    yield from (*edges, *usual) if kind == "odd" and _is_bounded(schema) else (*usual, *edges)


def numbers(schema: SchemaObject, kind: str) -> Iterator[Json]:
    """Numbers that may fit a schema, the best first."""
    edges = list(_edges(schema, whole=False))
    yield from (*edges, *BROKEN[kind]) if kind == "odd" and _is_bounded(schema) else (*BROKEN[kind], *edges)
    yield from integers(schema, kind)


def _is_bounded(schema: SchemaObject) -> bool:
    return any(name in schema for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"))


def _edges(schema: SchemaObject, *, whole: bool) -> Iterator[Json]:
    """The largest and the smallest that are allowed, what is next to them, and what is between."""
    low = max(_limits(schema, "minimum", "exclusiveMinimum"), default=None)
    high = min(_limits(schema, "maximum", "exclusiveMaximum"), default=None)
    step = Fraction(schema.get("multipleOf") or 1)
    if whole:
        step = Fraction(step.numerator)  # the integers among the multiples of n/d, in lowest terms, are those of n
    if high is not None:
        last = Fraction(math.floor(high / step)) * step
        yield from (_shown(value, whole) for value in (last, last - step, high))
    if low is not None:
        first = Fraction(math.ceil(low / step)) * step
        yield from (_shown(value, whole) for value in (first, first + step, low))
    if low is not None and high is not None:
        yield _shown((low + high) / 2, whole)
        yield _shown((3 * low + high) / 4, whole)
    if low is None and high is None:
        yield from (_shown(value * step, whole) for value in (1, 0, 2))


def _limits(schema: SchemaObject, *names: str) -> Iterator[Fraction]:
    for name in names:
        value = schema.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            yield Fraction(value)


def _shown(value: Fraction, whole: bool) -> Json:
    if value.denominator == 1 and (whole or abs(value) <= EXACT):
        return int(value)
    if whole:
        return math.floor(value)
    try:
        return float(value)
    except OverflowError:
        return 0
