"""How the request asks for its answer."""

from __future__ import annotations

from conformance.http import Request
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.transcript import Exchange


@check("common.http.stream-as-asked")
def stream_as_asked(x: Exchange) -> Verdicts:
    if x.delivery is not None and isinstance(x.request, Request):
        yield equal("" if x.provider == "gemini" else "/stream", x.delivery.streaming, x.facts.stream)


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
