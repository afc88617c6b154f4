"""The ``opaque`` of an adapter in Python may be any object, so it stays in its process, under a number."""

from __future__ import annotations

import time
from collections import OrderedDict
from itertools import count

from conformance.adapters.stdio.text import encode
from conformance.model import Json, to_json

KEPT = 4096
"""How many are kept. The longest conversation needs far fewer, and the oldest belong to cases that are over."""


class Opaques:
    """What turns hold that only the adapter understands."""

    def __init__(self) -> None:
        self._numbers = count(time.monotonic_ns())  # so that a number of an earlier process is no number of ours
        self._kept: OrderedDict[int, object] = OrderedDict()

    def keep(self, opaque: object) -> str:
        """What goes to the harness in its place, as JSON text: a number, and how it looks."""
        if opaque is None:
            return "null"
        number = next(self._numbers)
        self._kept[number] = opaque
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return f'{{"held":{number},"shown":{_look(opaque)}}}'

    def release(self, number: int) -> Json:
        """What is kept under a number. Raises `LookupError` when that is gone with the process that had it."""
        if number not in self._kept:
            raise LookupError("what the adapter gave as opaque was lost when its process ended")
        return self._kept[number]


def _look(opaque: object) -> str:
    """As evidence shows it. It may be the adapter's own object, so looking at it may do anything."""
    try:
        return encode(opaque)
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return encode(to_json(opaque))
    except BaseException:
        return '"(it cannot be shown)"'
