"""Responses: where a request goes, how its fields are typed, how errors read."""

from __future__ import annotations

from conformance.http import Request
from conformance.rules.chat.endpoint import body_shape as chat_body_shape
from conformance.rules.check import Verdicts, check, has_key, holds
from conformance.rules.shared.request_types import wrong_types
from conformance.rules.shared.requests import has_bearer, posts_to
from conformance.transcript import Exchange


@check("responses.http.endpoint-and-error")
def endpoint_and_error(x: Exchange) -> Verdicts:
    """Recordings are scrubbed, so headers are looked at only where the adapter's own request is at hand."""
    request = x.request
    if not isinstance(request, Request):
        return
    right = posts_to(x, request, "/responses")
    yield holds(right, "", "POST .../responses", f"{request.method} {request.path}")
    if x.intent is not None:
        yield has_key(has_bearer(request), "authorization: Bearer <key>", request.header("authorization"))
        kind = request.header("content-type")
        yield holds((kind or "").lower().startswith("application/json"), "", "content-type: application/json", kind)


@check("responses.error.body-shape")
def body_shape(x: Exchange) -> Verdicts:
    yield from chat_body_shape(x)


@check("responses.shape.request-types")
def request_types(x: Exchange) -> Verdicts:
    yield from wrong_types(x, "responses")
