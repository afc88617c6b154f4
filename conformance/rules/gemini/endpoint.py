"""Gemini: where a request goes, how its fields are typed, how errors read."""

from __future__ import annotations

import re

from conformance.http import Request
from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, equal, has_key, holds
from conformance.rules.shared.request_types import wrong_types
from conformance.rules.shared.requests import posts_to
from conformance.transcript import Exchange
from conformance.wires.facts import obj
from conformance.wires.gemini.client import unwrap

_MODEL = re.compile(r"(?>(.*/)(?:models|tunedModels|endpoints)/)[^/]+:(?:streamG|g)enerateContent")
_VERSION = re.compile(r"/v1(?:alpha|beta\d*)?/(?!/\Z)")
"""``/v1beta/models/...`` and ``/v1/models/...``; Vertex AI has the project and the place before ``models``."""


@check("gemini.http.endpoint-and-auth")
def endpoint_and_auth(x: Exchange) -> Verdicts:
    """Recordings are scrubbed, so keys are looked at only where the adapter's own request is at hand."""
    request = x.request
    if not isinstance(request, Request):
        return
    model = _MODEL.fullmatch(request.path)
    right = model is not None and _VERSION.search(model[1]) is not None and posts_to(x, request, request.path)
    yield holds(right, "", "POST /v1beta/models/{model}:generateContent", f"{request.method} {request.path}")
    if x.intent is not None:
        yield has_key(_is_authorised(request), "x-goog-api-key: <key>", sorted(request.headers))


def _is_authorised(request: Request) -> bool:
    """An API key in the header or in the query; Vertex AI takes a bearer token."""
    return bool(
        request.header("x-goog-api-key") or request.header("authorization") or re.search(r"(^|&)key=.", request.query)
    )


@check("gemini.error.body-shape")
def body_shape(x: Exchange) -> Verdicts:
    """A reader may put words around the message, and may take the code for the type."""
    errors = (obj(obj(unwrap(document)).get("error")) for document in _answers(x))
    stated = next((error for error in errors if error), {})
    message = stated.get("message")
    if x.turn is None or not isinstance(message, str):
        return
    yield holds(x.turn.stop == "error", "/stop", "error", x.turn.stop)
    read = x.turn.error
    if read is None:
        yield Finding("/error", message, None)
        return
    yield holds(message in str(read.message), "/error/message", message, read.message)
    if x.response is not None and x.response.status >= 400:
        yield equal("/error/status", x.response.status, read.status)
    kinds = [str(stated[key]) for key in ("status", "code") if stated.get(key) is not None]
    if kinds:
        yield holds(read.type in kinds, "/error/type", kinds[0], read.type)


def _answers(x: Exchange) -> list[Json]:
    """The documents that may hold an error: the body, or a stream's chunks. Reading arrays is a rule of its own."""
    if x.delivery is not None and x.delivery.framing == "json-array":
        return []
    return x.documents if x.streamed else [x.answer]


@check("gemini.shape.request-types")
def request_types(x: Exchange) -> Verdicts:
    yield from wrong_types(x, "gemini")
