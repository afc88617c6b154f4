"""Cohere's chat: where a request goes, how its fields are typed, and streams."""

from __future__ import annotations

from conformance.http import Request
from conformance.rules.check import Verdicts, check, has_key, holds
from conformance.rules.shared.request_types import wrong_types
from conformance.rules.shared.requests import has_bearer, posts_to
from conformance.rules.shared.streams import broken_end, differs, same_arguments, same_calls, understood_stream
from conformance.transcript import Exchange


@check("cohere.stream.event-grammar")
def event_grammar(x: Exchange) -> Verdicts:
    turns = understood_stream(x)
    if turns is None:
        return
    yield differs(x, "/stop", broken_end)
    if turns[0].calls:
        yield same_calls(x)
        yield from same_arguments(x)


@check("cohere.http.endpoint-and-auth")
def endpoint_and_auth(x: Exchange) -> Verdicts:
    """Recordings are scrubbed, so the key is looked for only where the adapter's own request is at hand."""
    if not isinstance(x.request, Request):
        return
    right = posts_to(x, x.request, "/v2/chat")
    yield holds(right, "", "POST /v2/chat", f"{x.request.method} {x.request.path}")
    if x.intent is not None:
        yield has_key(has_bearer(x.request), "authorization: Bearer <key>", x.request.header("authorization"))


@check("cohere.shape.request-types")
def request_types(x: Exchange) -> Verdicts:
    yield from wrong_types(x, "cohere")
