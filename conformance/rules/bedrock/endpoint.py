"""Converse: where a request goes."""

from __future__ import annotations

import re

from conformance.http import Request
from conformance.rules.check import Verdicts, check, has_key, holds
from conformance.rules.shared.requests import has_bearer
from conformance.transcript import Exchange

PATH = re.compile(r".*/model/(arn:[^/]+/)?[^/]+/(converse|converse-stream)")


@check("bedrock.http.endpoint-and-auth")
def endpoint_and_auth(x: Exchange) -> Verdicts:
    """Recordings are scrubbed, so the key is looked for only where the adapter's own request is at hand."""
    if not isinstance(x.request, Request):
        return
    found = PATH.fullmatch(x.request.path)
    right = x.request.method.upper() == "POST" and found is not None
    yield holds(right, "", "POST /model/{modelId}/converse", f"{x.request.method} {x.request.path}")
    if x.intent is not None:
        signed = (x.request.header("authorization") or "").startswith("AWS4-HMAC-SHA256 ")
        given = x.request.header("authorization")
        yield has_key(signed or has_bearer(x.request), "authorization: Bearer <key>, or AWS4-HMAC-SHA256", given)
