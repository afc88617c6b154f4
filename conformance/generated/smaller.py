"""A row made smaller: as many factors as possible have their usual level, and it still fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformance.generated.factors import BY_NAME, USUAL, Row
from conformance.generated.rows import differing, makes_sense, tidied

FailureTest = Callable[[Sequence[Row]], Sequence[bool]]
"""Says of each of several rows whether it fails. They are asked together, because each question starts an adapter."""


def smallest(row: Row, failing: FailureTest) -> Row:
    """The smallest row that fails. Factors get their usual level one by one, and then those together that may."""
    while True:
        plainer = [(name, level) for name, old in differing(row) for level in _plainer(name, old)]
        steps = [(name, level) for name, level in plainer if _is_new(row, {name: level})]
        told = failing([tidied({**row, name: level}) for name, level in steps]) if steps else []
        kept = {name: level for (name, level), fails in zip(steps, told, strict=True) if fails}
        if not kept:
            return row
        together = [tidied({**row, **dict(list(kept.items())[:many])}) for many in range(len(kept), 1, -1)]
        together = [one for one in together if makes_sense(one)]
        alike = failing(together) if together else []
        alone = tidied({**row, **dict(list(kept.items())[:1])})
        row = next((one for one, fails in zip(together, alike, strict=True) if fails), alone)


def _is_new(row: Row, change: Row) -> bool:
    tried = tidied({**row, **change})
    return tried != row and makes_sense(tried)


def _plainer(name: str, level: str) -> tuple[str, ...]:
    """The usual level. What has to be there has plain words."""
    plain = ("plain",) if "plain" in BY_NAME[name].levels[1:] and level != "plain" else ()
    return (*plain, USUAL[name])
