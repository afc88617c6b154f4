"""Where a request carries its key."""

from __future__ import annotations

from urllib.parse import parse_qsl

from conformance.http import Request
from conformance.rules.check import Finding, Verdicts, check
from conformance.transcript import Exchange


@check("common.http.key-once")
def key_once(x: Exchange) -> Verdicts:
    """A key that stands in the address alone is the endpoint rules' to judge. Keys of recordings are scrubbed, so only
    an adapter's own request is looked at."""
    request, sent = x.request, x.card.key
    if x.intent is None or not isinstance(request, Request):
        return
    key = (request.header(sent.header) or "").removeprefix(sent.prefix)
    if key:
        again = [name for name, value in parse_qsl(request.query) if value == key]
        yield Finding("", f"the key in {sent.header} alone", f"?{again[0]}=<the key>, too") if again else None
