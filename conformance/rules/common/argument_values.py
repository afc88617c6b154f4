"""Reading calls, on every wire: what their arguments hold.

The arguments of a call are one question in parts: whether they are an object at all, whether structure and types are
right, whether special characters survived, whether large integers did. Each part has its rule and leaves the rest
alone, so that one fault is one finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from conformance.model import AssistantTurn, Json
from conformance.rules.check import Finding, Verdicts, check, holds, same_json
from conformance.rules.common.readings import calls_read
from conformance.rules.shared.argument_places import ArgumentPlace, walked
from conformance.transcript import Exchange
from conformance.wires import wire
from conformance.wires.facts import pointer

SPECIAL = re.compile(r'[^\x20-\x7e]|["\\]')
"""What JSON escapes, or UTF-8 writes with more than one byte."""

EXACT = 2**53
"""The largest integer up to which every integer is a double."""


@check("common.parse.args-decoded-object")
def args_decoded_object(x: Exchange) -> Verdicts:
    for offered, read, at in calls_read(x):
        if offered.invalid or not offered.arguments:
            continue
        if read is None:
            if not (x.offered and x.offered.text.strip()):  # beside text, another rule says so
                yield Finding(at, f"a call of {offered.name}", "no such call")
        elif read.invalid or read.arguments is None:
            yield Finding(f"{at}/arguments", offered.arguments, read.raw)
        else:
            yield holds(isinstance(read.arguments, dict), f"{at}/arguments", offered.arguments, read.arguments)


def _places(x: Exchange) -> Iterator[list[tuple[ArgumentPlace, Json, Json]]]:
    """For each call whose arguments are an object, every place in them, with what was offered and read there."""
    for offered, read, at in calls_read(x):
        if offered.arguments and read is not None and isinstance(read.arguments, dict):
            yield list(walked(ArgumentPlace(None, f"{at}/arguments"), offered.arguments, read.arguments))


@check("common.parse.args-types-preserved")
def args_types_preserved(x: Exchange) -> Verdicts:
    for places in _places(replace(x, offered=_as_written(x))):
        wrong = (at.told(_difference(one, other)) for at, one, other in places)
        yield next((finding for finding in wrong if finding is not None), None)


def _as_written(x: Exchange) -> AssistantTurn | None:
    """What was offered, with Gemini's numbers as they came.

    Our own reading makes ``5.0`` an integer where the tool's schema says so. Whether the adapter does is the business
    of ``gemini.parse.numbers-are-doubles``, and what it leaves as it came has kept its type.
    """
    if not x.card.forms.doubles or x.offered is None or not x.offered.calls:
        return x.offered
    written = wire(x.provider).read(x.answer).calls
    calls = tuple(
        replace(call, arguments=other.arguments) for call, other in zip(x.offered.calls, written, strict=False)
    )
    return replace(x.offered, calls=calls) if len(calls) == len(x.offered.calls) else x.offered


def _difference(offered: Json, read: Json) -> Finding | None:
    if isinstance(offered, dict):
        return _keys(offered, read)
    if isinstance(offered, list):
        same = isinstance(read, list) and len(read) == len(offered)
    elif isinstance(offered, str):
        same = isinstance(read, str) and (bool(SPECIAL.search(offered)) or offered == read)
    elif isinstance(offered, bool) or offered is None:
        same = offered is read
    else:
        same = _same_number(offered, read)
    return holds(same, "", offered, read)


def _keys(offered: dict[str, Json], read: Json) -> Finding | None:
    """Whether the keys are the same, those aside whose characters another rule looks at."""
    if not isinstance(read, dict):
        return Finding("", offered, read)
    lost = [key for key in offered if key not in read and not SPECIAL.search(key)]
    added = [] if any(map(SPECIAL.search, offered)) else [key for key in read if key not in offered]
    if lost:
        return Finding(pointer(lost[0]), offered[lost[0]], "no such key")
    return Finding(pointer(str(added[0])), "no such key", read[added[0]]) if added else None


def _same_number(offered: float, read: Json) -> bool:
    """The same value. ``5.0`` may become ``5``, the same number in JSON; what came as ``5`` stays an integer."""
    if isinstance(read, bool) or not isinstance(read, int | float):
        return False
    if isinstance(offered, int) and abs(offered) > EXACT:
        return True  # the rule on large integers looks at it
    narrowed = isinstance(offered, int) and isinstance(read, float)
    return offered == read and not narrowed


@check("common.parse.unicode-and-escapes")
def unicode_and_escapes(x: Exchange) -> Verdicts:
    for places in _places(x):
        for at, offered, read in places:
            if isinstance(offered, str) and isinstance(read, str) and SPECIAL.search(offered):
                yield at.told(holds(offered == read, "", offered, read))
            elif isinstance(offered, dict) and isinstance(read, dict):
                keys = list(read)
                for key in filter(SPECIAL.search, offered):
                    yield at.told(holds(key in read, "", key, keys))


@check("common.parse.integers-above-2-53")
def integers_above_2_53(x: Exchange) -> Verdicts:
    for places in _places(x):
        for at, offered, read in places:
            if isinstance(offered, int) and abs(offered) > EXACT:
                yield at.told(holds(same_json(offered, read), "", offered, read))
