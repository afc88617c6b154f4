"""Ollama's native chat: where a request goes, how its fields are typed, streams, errors."""

from __future__ import annotations

from conformance.http import Request
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.rules.shared.request_types import wrong_types
from conformance.rules.shared.requests import posts_to
from conformance.rules.shared.streams import broken_end, differs, same_arguments, same_calls, understood_stream
from conformance.transcript import Exchange
from conformance.wires.facts import obj


@check("ollama.stream.ndjson")
def ndjson(x: Exchange) -> Verdicts:
    turns = understood_stream(x)
    if turns is None:
        return
    yield differs(x, "/stop", broken_end)
    if turns[0].calls:
        yield same_calls(x)
        yield from same_arguments(x)


@check("ollama.error.string-body-and-stream-line")
def string_body_and_stream_line(x: Exchange) -> Verdicts:
    """A reader may put words around the message."""
    documents = x.documents if x.streamed else [x.answer]
    message = next((error for document in documents if (error := obj(document).get("error"))), None)
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


@check("ollama.http.endpoint")
def endpoint(x: Exchange) -> Verdicts:
    if isinstance(x.request, Request):
        right = posts_to(x, x.request, "/api/chat")
        yield holds(right, "", "POST /api/chat", f"{x.request.method} {x.request.path}")


@check("ollama.shape.request-types")
def request_types(x: Exchange) -> Verdicts:
    yield from wrong_types(x, "ollama")
