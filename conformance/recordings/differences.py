"""Where two JSON documents differ, as JSON pointers. Linear in their size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from conformance.model import Json

SHOWN = 80
"""How many characters of a value a difference shows."""


class _Absent:
    """Stands where one side has no value."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class Difference:
    """A place and the two values in it; `ABSENT` where a side has none. ``at`` is a JSON pointer into the body, or
    ``method``, ``host``, ``path``, ``query``, ``body`` (one that is not JSON on both sides)."""

    at: str
    recorded: Json
    sent: Json

    def __str__(self) -> str:
        return f"{self.at or '/'}: recorded {_shown(self.recorded)}, sent {_shown(self.sent)}"


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"


def differences(recorded: Json, sent: Json, at: str = "") -> Iterator[Difference]:
    """The places in which two documents differ, in the recorded one's order. 1, 1.0 and true are three values.

    Raises `RecursionError` for documents that are too deep.
    """
    if type(recorded) is dict and type(sent) is dict:
        for name, value in recorded.items():
            yield from differences(value, sent.get(name, ABSENT), f"{at}/{_escaped(name)}")
        for name, value in sent.items():
            if name not in recorded:
                yield Difference(f"{at}/{_escaped(name)}", ABSENT, value)
    elif type(recorded) is list and type(sent) is list:
        yield from _in_lists(recorded, sent, at)
    elif type(recorded) is not type(sent) or recorded != sent or repr(recorded) != repr(sent):
        yield Difference(at, recorded, sent)


def _in_lists(recorded: list[Json], sent: list[Json], at: str) -> Iterator[Difference]:
    """Lists of one length element by element; else what is left between a common beginning and a common end."""
    head, shorter = 0, min(len(recorded), len(sent))
    tail = 0
    if len(recorded) != len(sent):
        while head < shorter and _same(recorded[head], sent[head]):
            head += 1
        while tail < shorter - head and _same(recorded[-1 - tail], sent[-1 - tail]):
            tail += 1
    old, new = recorded[head : len(recorded) - tail], sent[head : len(sent) - tail]
    for place in range(max(len(old), len(new))):
        yield from differences(
            old[place] if place < len(old) else ABSENT,
            new[place] if place < len(new) else ABSENT,
            f"{at}/{head + place}",
        )


def _same(recorded: Json, sent: Json) -> bool:
    return not list(islice(differences(recorded, sent), 1))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
