"""Reading calls and text, on every wire.

The arguments of a call are one question in parts: whether they are an object at all, whether structure and types are
right, whether special characters survived, whether large integers did. Each part has its rule and leaves the rest
alone, so that one fault is one finding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.model import AssistantTurn, Json, ToolCall
from conformance.rules.check import Finding, Verdicts, check, holds, same_json
from conformance.rules.pairing import calls_understood
from conformance.transcript import Exchange
from conformance.wires import wire
from conformance.wires.facts import pointer

SPECIAL = re.compile(r'[^\x20-\x7e]|["\\]')
"""What JSON escapes, or UTF-8 writes with more than one byte."""

EXACT = 2**53
"""The largest integer up to which every integer is a double."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A whole answer and what was read of it. ``calls`` are (offered, read or ``None``, pointer of the one read)."""

    offered: AssistantTurn
    read: AssistantTurn
    calls: Sequence[tuple[ToolCall, ToolCall | None, str]]


def _reading(x: Exchange) -> Reading | None:
    read, offered = x.parsed, x.offered
    if read is None or offered is None or offered.error is not None:
        return None
    places = calls_understood(offered.calls, read.calls)
    calls = [
        (call, None, "/calls") if place is None else (call, read.calls[place], f"/calls/{place}")
        for call, place in zip(offered.calls, places, strict=True)
    ]
    return Reading(offered, read, calls)


def _calls(x: Exchange) -> Sequence[tuple[ToolCall, ToolCall | None, str]]:
    reading = _reading(x)
    return reading.calls if reading is not None else []


@check("common.parse.args-decoded-object")
def args_decoded_object(x: Exchange) -> Verdicts:
    for offered, read, at in _calls(x):
        if offered.invalid or not offered.arguments:
            continue
        if read is None:
            if not (x.offered and x.offered.text.strip()):  # beside text, another rule says so
                yield Finding(at, f"a call of {offered.name}", "no such call")
        elif read.invalid or read.arguments is None:
            yield Finding(f"{at}/arguments", offered.arguments, read.raw)
        else:
            yield holds(isinstance(read.arguments, dict), f"{at}/arguments", offered.arguments, read.arguments)


@check("common.parse.empty-arguments")
def empty_arguments(x: Exchange) -> Verdicts:
    for offered, read, at in _calls(x):
        if offered.invalid or offered.arguments != {}:
            continue
        if read is None:
            yield Finding(at, f"a call of {offered.name}", "no such call")
        else:
            right = isinstance(read.arguments, dict) and not read.arguments and not read.invalid
            yield holds(right, f"{at}/arguments", {}, read.raw if read.arguments is None else read.arguments)


@check("common.parse.invalid-json-arguments")
def invalid_json_arguments(x: Exchange) -> Verdicts:
    for offered, read, at in _calls(x):
        if not offered.invalid:
            continue
        if read is None:
            yield Finding(at, f"a call of {offered.name} that is marked invalid", "no such call")
        else:
            expected = {"arguments": None, "raw": offered.raw, "invalid": True}
            found = {"arguments": read.arguments, "raw": read.raw, "invalid": read.invalid}
            if x.card.forms.arguments == "object" and not x.streamed:  # what is none comes in quotes
                found["raw"] = _unquoted(read.raw)
            yield holds(same_json(expected, found), at, expected, found)


def _unquoted(raw: str | None) -> str | None:
    """The string that ``raw`` is the JSON of, else ``raw``."""
    try:
        value = json.loads(raw or "")
    except ValueError:
        return raw
    return value if isinstance(value, str) else raw


# --- what the arguments hold -----------------------------------------------------------------------------------------


def _places(x: Exchange) -> Iterator[list[tuple[str, Json, Json]]]:
    """For each call whose arguments are an object, every place in them: (pointer, offered, read)."""
    for offered, read, at in _calls(x):
        if offered.arguments and read is not None and isinstance(read.arguments, dict):
            yield list(_walk(f"{at}/arguments", offered.arguments, read.arguments))


def _walk(at: str, offered: Json, read: Json) -> Iterator[tuple[str, Json, Json]]:
    """Containers first, then what is in both. A loop, because a hostile document may be deep."""
    pending = [(at, offered, read)]
    while pending:
        here, one, other = pending.pop()
        yield here, one, other
        if isinstance(one, dict) and isinstance(other, dict):
            inner = [(here + pointer(key), value, other[key]) for key, value in one.items() if key in other]
            pending += reversed(inner)
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            inner = [(f"{here}/{place}", *pair) for place, pair in enumerate(zip(one, other, strict=True))]
            pending += reversed(inner)


@check("common.parse.args-types-preserved")
def args_types_preserved(x: Exchange) -> Verdicts:
    for places in _places(replace(x, offered=_as_written(x))):
        wrong = (_difference(at, one, other) for at, one, other in places)
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


def _difference(at: str, offered: Json, read: Json) -> Finding | None:
    if isinstance(offered, dict):
        return _keys(at, offered, read)
    if isinstance(offered, list):
        same = isinstance(read, list) and len(read) == len(offered)
    elif isinstance(offered, str):
        same = isinstance(read, str) and (bool(SPECIAL.search(offered)) or offered == read)
    elif isinstance(offered, bool) or offered is None:
        same = offered is read
    else:
        same = _same_number(offered, read)
    return holds(same, at, offered, read)


def _keys(at: str, offered: dict[str, Json], read: Json) -> Finding | None:
    """Whether the keys are the same, those aside whose characters another rule looks at."""
    if not isinstance(read, dict):
        return Finding(at, offered, read)
    lost = [key for key in offered if key not in read and not SPECIAL.search(key)]
    added = [] if any(map(SPECIAL.search, offered)) else [key for key in read if key not in offered]
    if lost:
        return Finding(at + pointer(lost[0]), offered[lost[0]], "no such key")
    return Finding(at + pointer(str(added[0])), "no such key", read[added[0]]) if added else None


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
                yield holds(offered == read, at, offered, read)
            elif isinstance(offered, dict) and isinstance(read, dict):
                for key in filter(SPECIAL.search, offered):
                    yield holds(key in read, at, key, list(read))


@check("common.parse.integers-above-2-53")
def integers_above_2_53(x: Exchange) -> Verdicts:
    for places in _places(x):
        for at, offered, read in places:
            if isinstance(offered, int) and abs(offered) > EXACT:
                yield holds(same_json(offered, read), at, offered, read)


# --- the turn as a whole ---------------------------------------------------------------------------------------------


@check("common.parse.call-order-preserved")
def call_order_preserved(x: Exchange) -> Verdicts:
    reading = _reading(x)
    if reading is None:
        return
    offered, read = _identities(reading)
    kept = [item for item in offered if item in read]
    if len(kept) > 1:
        found = [item for item in read if item in kept]
        yield holds(found == kept, "/calls", kept, found)


def _identities(reading: Reading) -> tuple[list[Json], list[Json]]:
    """What tells the calls apart: their ids, or their names and arguments where ids were minted."""
    offered, read = reading.offered.calls, reading.read.calls
    ids = [call.id for call in offered]
    if len(set(ids)) == len(ids) and any(call.id in ids for call in read):
        return list(ids), [call.id for call in read]
    return [[call.name, call.arguments] for call in offered], [[call.name, call.arguments] for call in read]


@check("common.parse.text-and-calls-both-kept")
def text_and_calls_both_kept(x: Exchange) -> Verdicts:
    reading = _reading(x)
    if reading is None or not reading.offered.text.strip() or not reading.offered.calls:
        return
    wanted, found = reading.offered, reading.read
    yield holds(_squeezed(wanted.text) == _squeezed(found.text), "/text", wanted.text, found.text)
    calls = len(wanted.calls) == len(found.calls)
    yield holds(calls, "/calls", [call.name for call in wanted.calls], [call.name for call in found.calls])


def _squeezed(text: object) -> str:
    """Text without white space: how several blocks of text are joined is left open."""
    return "".join(str(text).split())


@check("common.parse.unknown-fields-tolerated")
def unknown_fields_tolerated(x: Exchange) -> Verdicts:
    reading = _reading(x)
    if reading is None or not _has_unknown_fields(x):
        return
    wanted, found = reading.offered, reading.read
    yield holds(_squeezed(wanted.text) == _squeezed(found.text), "/text", wanted.text, found.text)
    names = [call.name for call in wanted.calls], [call.name for call in found.calls]
    yield holds(len(names[0]) == len(names[1]), "/calls", *names)
    yield holds(found.error is None, "/error", None, str(found.error))


def _has_unknown_fields(x: Exchange) -> bool:
    """Whether the answer was scripted to have them, or is an example that does."""
    return "unknown_fields" in x.quirks or (x.response is not None and b'"x_unknown"' in x.response.body)
