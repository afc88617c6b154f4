"""Reading a turn as a whole, on every wire: its calls in order, its text beside them, fields that nobody knows."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.common.readings import AnswerReading, reading_of
from conformance.rules.shared.pairing import known_by
from conformance.transcript import Exchange


@check("common.parse.call-order-preserved")
def call_order_preserved(x: Exchange) -> Verdicts:
    reading = reading_of(x)
    if reading is None:
        return
    offered, read = _identities(reading)
    read_ones, offered_ones = set(map(known_by, read)), set(map(known_by, offered))
    kept = [item for item in offered if known_by(item) in read_ones]
    if len(kept) > 1:
        found = [item for item in read if known_by(item) in offered_ones]
        yield holds(found == kept, "/calls", kept, found)


def _identities(reading: AnswerReading) -> tuple[list[Json], list[Json]]:
    """What tells the calls apart: their ids, or their names and arguments where ids were minted."""
    offered, read = reading.offered.calls, reading.read.calls
    ids = [call.id for call in offered]
    if len(set(ids)) == len(ids) and any(call.id in ids for call in read):
        return list(ids), [call.id for call in read]
    return [[call.name, call.arguments] for call in offered], [[call.name, call.arguments] for call in read]


@check("common.parse.text-and-calls-both-kept")
def text_and_calls_both_kept(x: Exchange) -> Verdicts:
    reading = reading_of(x)
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
    reading = reading_of(x)
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
