"""How the request asks for its answer."""

from __future__ import annotations

import re

from conformance.http import Request
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.transcript import Exchange

_DOUBLED = re.compile(r"//|((?:/[^/]+){1,4})\1(?=/|$)")
"""What comes of a base URL with a slash at its end, or of one that already holds what is put behind it."""


def posts_to(x: Exchange, request: Request, path: str) -> bool:
    """Whether a request is posted to an address that ends with ``path`` and says nothing twice in a row.

    Where a host puts its API is its own affair, but none has it at a doubled path (what is recorded was answered, and
    scrubbed parts look alike):
    "Invalid URL (POST /v1/chat/completions/chat/completions)" https://github.com/harry0703/MoneyPrinterTurbo/issues/57,
    404 for a base URL with a slash at its end https://github.com/sigoden/aichat/issues/767
    """
    doubled = x.intent is not None and _DOUBLED.search(request.path) is not None
    return request.method.upper() == "POST" and request.path.endswith(path) and not doubled


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
