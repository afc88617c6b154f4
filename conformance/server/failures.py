"""Errors as each provider reports them, with any status.

Wires render the errors that scenarios need. A server meets a few more: a path or a model that is not there, a body
that is too large. For those the nearest is rendered and its words are changed.

Sources: platform.claude.com "Errors" (403 ``permission_error``, 404 ``not_found_error``, 413 ``request_too_large``);
google.rpc.Code; OpenAI's "Error codes" guide (404 ``model_not_found``); Azure ``DeploymentNotFound``; api.mistral.ai's
``invalid_model``; xAI's codes are the descriptions of gRPC statuses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from conformance.http import Response
from conformance.model import Json
from conformance.script import ErrorKind, ScriptError
from conformance.wires import wire

KINDS: Mapping[int, ErrorKind] = {
    401: "authentication", 403: "authentication", 429: "rate_limit", 503: "overloaded", 529: "overloaded",
}  # fmt: skip

_OPENAI = {404: {"code": "model_not_found"}}
_WORDS: Mapping[str, Mapping[int, Mapping[str, Json]]] = {
    "openai-chat": _OPENAI,
    "openai-responses": _OPENAI,
    "deepseek": {},
    "azure": {404: {"code": "DeploymentNotFound"}},
    "anthropic": {
        403: {"type": "permission_error"}, 404: {"type": "not_found_error"}, 413: {"type": "request_too_large"},
        529: {"type": "overloaded_error"},
    },
    "gemini": {
        403: {"status": "PERMISSION_DENIED"}, 404: {"status": "NOT_FOUND"}, 504: {"status": "DEADLINE_EXCEEDED"},
    },
    "xai": {404: {"code": "Some requested entity was not found"}},
    "mistral": {404: {"type": "invalid_model", "code": "1500"}},
    "unified": {404: {"type": "not_found_error"}},
}  # fmt: skip
"""What the error object says at a status, where it is not what the nearest error says."""

_STATUS_IN_BODY = {"gemini": "code", "unified": "status"}


def kind_of(status: int) -> ErrorKind:
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
    rendered = wire(provider).render_error(ScriptError(kind_of(status), message, retry_after))
    body = json.loads(rendered.body)
    inner = body.get("error") if isinstance(body.get("error"), dict) else body
    inner.update(_WORDS.get(provider, {}).get(status, {}))
    if provider in _STATUS_IN_BODY:
        inner[_STATUS_IN_BODY[provider]] = status
    content = Response.of_json(status, body).body
    return replace(rendered, status=status, headers={**rendered.headers, **(headers or {})}, body=content)
