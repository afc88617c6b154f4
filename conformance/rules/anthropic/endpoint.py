"""Messages: headers, parameters, how fields are typed, how errors read."""

from __future__ import annotations

import re

from conformance.http import Request
from conformance.rules.anthropic.documents import (
    block_kind,
    blocks_of,
    messages,
)
from conformance.rules.check import Finding, Verdicts, check, equal, has_key, holds
from conformance.rules.shared.request_types import wrong_types
from conformance.rules.shared.requests import has_bearer, posts_to
from conformance.transcript import Exchange
from conformance.wires.facts import obj

VERSIONS = ("2023-01-01", "2023-06-01", "2026-10-21")
"""Every version there is: platform.claude.com, "Versions"."""

NEWEST = "2026-10-21"

DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

SAMPLING = ("temperature", "top_p", "top_k")


@check("anthropic.http.headers")
def headers(x: Exchange) -> Verdicts:
    """Recordings are scrubbed, so what is absent counts only where the adapter's own request is at hand.

    Hosts such as Bedrock and Vertex have paths of their own, with the model in them.
    """
    request = x.request
    if not isinstance(request, Request) or (x.intent is None and not request.path.endswith("/messages")):
        return
    right = posts_to(x, request, "/v1/messages")
    yield holds(right or x.intent is None, "", "POST /v1/messages", f"{request.method} {request.path}")
    version = request.header("anthropic-version")
    if x.intent is not None or (version is not None and DATE.fullmatch(version)):
        yield holds(version in VERSIONS, "", f"anthropic-version: {VERSIONS[1]}", version)
    if isinstance(x.facts.document, dict):
        limit = x.facts.document.get("max_tokens")
        counts = isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0  # 0 only fills the cache
        yield holds(counts, "/max_tokens", "a number of tokens", limit)
    if x.intent is not None:
        yield has_key(bool(request.header("x-api-key")) or has_bearer(request), "x-api-key, or a bearer token", None)
        kind = request.header("content-type")
        yield holds((kind or "").lower().startswith("application/json"), "", "content-type: application/json", kind)


@check("anthropic.http.version-gated-parameters")
def version_gated_parameters(x: Exchange) -> Verdicts:
    if not isinstance(x.request, Request) or x.request.header("anthropic-version") != NEWEST:
        return
    document = obj(x.facts.document)
    for name in SAMPLING:
        yield holds(name not in document, f"/{name}", f"no such field in version {NEWEST}", document.get(name))
    for at, message in messages(x):
        for here, block in blocks_of(at, message):
            if message.get("role") == "assistant" and block_kind(block) == "document":
                yield Finding(here, f"no document of the model's in version {NEWEST}", {"type": "document"})
            elif message.get("role") == "user" and block_kind(block) == "text" and block.get("citations"):
                yield Finding(f"{here}/citations", f"no citations in version {NEWEST}", block["citations"])


@check("anthropic.error.body-shape")
def body_shape(x: Exchange) -> Verdicts:
    """A reader may put words around the message."""
    if x.response is None or x.response.status < 400 or x.turn is None:
        return
    stated, error = obj(obj(x.answer).get("error")), x.turn.error
    message, kind = stated.get("message"), stated.get("type")
    if not isinstance(message, str) or not message:
        return
    if error is None:
        yield Finding("/error", message, None)
        return
    yield holds(message in str(error.message), "/error/message", message, error.message)
    yield equal("/error/status", x.response.status, error.status)
    if isinstance(kind, str):
        yield equal("/error/type", kind, error.type)


@check("anthropic.shape.request-types")
def request_types(x: Exchange) -> Verdicts:
    yield from wrong_types(x, "anthropic")
