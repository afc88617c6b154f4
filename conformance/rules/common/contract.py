"""What every adapter owes, whatever the wire: answers to every operation, errors as data, requests as asked for."""

from __future__ import annotations

from conformance.http import Request
from conformance.model import AssistantTurn, ProviderError, compact_json, to_json
from conformance.outcomes import OperationFailure
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.transcript import Exchange


@check("common.adapter.completes")
def completes(x: Exchange) -> Verdicts:
    for outcome, expected in ((x.request, "a request"), (x.understood, "a turn")):
        if isinstance(outcome, OperationFailure):
            if x.rightly_raised:
                continue  # common.stream.damage-not-passed-over and truncated-stream-not-complete say that it may
            yield Finding("", f"{expected} from {outcome.operation}", outcome.message)
        elif isinstance(outcome, Request | AssistantTurn):
            yield None


@check("common.adapter.leaves-what-it-is-given")
def leaves_what_it_is_given(x: Exchange) -> Verdicts:
    if x.changes == ():
        yield None
    for change in x.changes or ():
        given = f"{change.at} as it was given: {compact_json(to_json(change.before))}"
        yield Finding("", given, f"{change.operation} left {compact_json(to_json(change.after))}")


@check("common.error.retryable-classified")
def retryable_classified(x: Exchange) -> Verdicts:
    if x.turn is None or x.offered is None or x.offered.error is None:
        return
    offered, read = x.offered.error, x.turn.error
    if not isinstance(read, ProviderError):
        yield Finding("/error", offered.message, to_json(read))
        return
    if offered.retryable is not None:
        yield equal("/error/retryable", offered.retryable, read.retryable)
    if offered.retry_after is not None:
        wanted, found = offered.retry_after, read.retry_after
        yield holds(wanted == found, "/error/retry_after", wanted, found)


@check("common.http.stream-as-asked")
def stream_as_asked(x: Exchange) -> Verdicts:
    if x.delivery is not None and isinstance(x.request, Request):
        yield equal("" if x.card.forms.stream_in == "path" else "/stream", x.delivery.streaming, x.facts.stream)


@check("common.http.as-recorded")
def as_recorded(x: Exchange) -> Verdicts:
    if not x.replayed or not isinstance(x.request, Request):
        return
    if x.unanswered is not None:
        yield Finding(*x.unanswered)
        return
    yield holds(not x.unused, "", "a request for every recording", x.unused)


@check("common.http.accepted")
def accepted(x: Exchange) -> Verdicts:
    if x.real and x.response is not None:
        told = str(x.offered.error.message if x.offered and x.offered.error else x.answer)[:300]
        yield holds(x.response.status < 400, "", "an answer of the model", f"{x.response.status}: {told}")
    elif x.real and x.events is not None:
        yield None
