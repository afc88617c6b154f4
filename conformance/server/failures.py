"""Errors as each provider reports them, with any status.

Wires render the errors that scenarios need. A server meets a few more: a path or a model that is not there, a body
that is too large. For those the nearest is rendered and its words are
changed, as the provider's card says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from conformance.http import Response
from conformance.script import ErrorKind, ScriptError
from conformance.wires import card, wire

KINDS: Mapping[int, ErrorKind] = {
    401: "authentication", 403: "authentication", 429: "rate_limit", 503: "overloaded", 529: "overloaded",
}  # fmt: skip


def error_kind(status: int) -> ErrorKind:
    """The scripted error that is nearest to a status."""
    return KINDS.get(status, "server" if status >= 500 else "invalid_request")


def failure(
    provider: str,
    status: int,
    message: str,
    *,
    retry_after: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The provider's own error body, with this status and message."""
    rendered = wire(provider).render_error(ScriptError(error_kind(status), message, retry_after))
    body = json.loads(rendered.body)
    inner = body.get("error") if isinstance(body.get("error"), dict) else body
    own = card(provider)
    inner.update(own.error_words.get(status, {}))
    if own.error_status is not None:
        inner[own.error_status] = status
    content = Response.of_json(status, body).body
    return replace(rendered, status=status, headers={**rendered.headers, **(headers or {})}, body=content)
