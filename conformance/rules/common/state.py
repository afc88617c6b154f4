"""What an adapter keeps from one conversation must not show in another: streams that break off, or go on at once."""

from __future__ import annotations

from conformance.outcomes import OperationFailure
from conformance.rules.check import Finding, Verdicts, check
from conformance.rules.shared.streams import turn_difference
from conformance.transcript import Exchange, ReadingName


@check("common.stream.unmoved-by-one-that-broke-off")
def unmoved_by_one_that_broke_off(x: Exchange) -> Verdicts:
    yield from _as_alone(x, "after-one-that-broke-off")


@check("common.stream.unmoved-by-another-beside")
def unmoved_by_another_beside(x: Exchange) -> Verdicts:
    yield from _as_alone(x, "beside-another")
    yield from _as_alone(x, "beside-another-on-a-loop")


def _as_alone(x: Exchange, name: ReadingName) -> Verdicts:
    """Whether the stream says the same as when it came alone. Ids that the adapter mints may differ each time."""
    read = x.readings.get(name)
    if read is None or x.turn is None:
        return
    if isinstance(read, OperationFailure):
        yield Finding("", "the turn that it is alone", read.message)
        return
    offered = {call.id for call in x.offered.calls} if x.offered is not None else set()
    own_ids = x.usable_ids and {call.id for call in x.turn.calls} <= offered
    yield turn_difference(read, x.turn, ids=own_ids)
