"""The chat format on Azure and on xAI."""

from __future__ import annotations

import re

from conformance.http import Request
from conformance.rules.chat.documents import (
    call_deltas,
    lanes,
)
from conformance.rules.check import Verdicts, check, has_key, holds
from conformance.rules.shared.requests import has_bearer, posts_to
from conformance.rules.shared.streams import any_calls, differs, same_arguments, same_calls, understood_stream
from conformance.transcript import Exchange
from conformance.wires.facts import obj, object_of

AZURE_PATHS = re.compile(r"/(openai/deployments/[^/]+|openai/v1|models)/chat/completions")
"""A deployment's own path, and the two where the body names the model: OpenAI's, and that of all makers' models."""


@check("azure.http.endpoint-and-auth")
def endpoint_and_auth(x: Exchange) -> Verdicts:
    """Recorders drop keys and queries, so these are looked at only where the adapter's own request is at hand."""
    request = x.request
    if not isinstance(request, Request):
        return
    path = AZURE_PATHS.search(request.path)
    known = path is not None and posts_to(x, request, path.group())
    expected = "POST /openai/deployments/{deployment}/chat/completions, or below /openai/v1 or /models"
    yield holds(known, "", expected, f"{request.method} {request.path}")
    if x.intent is not None:
        if path is not None and path.group(1).startswith("openai/deployments/"):
            yield holds("api-version=" in request.query, "", "the query api-version=...", request.query)
        yield has_key(bool(request.header("api-key")) or has_bearer(request), "api-key, or a bearer token", None)


@check("azure.stream.prompt-filter-chunk")
def prompt_filter_chunk(x: Exchange) -> Verdicts:
    if understood_stream(x) is None:
        return
    chunks = [obj(chunk) for chunk in x.documents]
    if any(not chunk.get("choices") and "prompt_filter_results" in chunk for chunk in chunks):
        yield differs(x, "/text", lambda turn: turn.text)
        yield any_calls(x)


@check("xai.stream.whole-call-in-one-chunk")
def whole_call_in_one_chunk(x: Exchange) -> Verdicts:
    by_index = lanes(call_deltas(x)) if understood_stream(x) is not None else []
    whole = [len(lane) == 1 and object_of(lane[0].arguments) is not None and bool(lane[0].name) for lane in by_index]
    if whole and all(whole):
        yield same_calls(x)
        yield from same_arguments(x)
