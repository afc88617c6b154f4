"""Errors as providers report them, classified the same way for all."""

from __future__ import annotations

import json
from collections.abc import Mapping

from conformance.http import Response
from conformance.model import Json, ProviderError
from conformance.wires.facts import obj

RETRYABLE_TYPES = frozenset({
    "rate_limit_error", "rate_limit_exceeded", "overloaded_error", "api_error", "server_error", "timeout_error",
    "RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED",
    "rate_limited", "internal_server_error", "unreachable_backend", "service_unavailable_error",
    "Some resource has been exhausted", "Internal error", "The service is currently unavailable",
    "throttlingException", "internalServerException", "serviceUnavailableException", "modelStreamErrorException",
})  # fmt: skip
"""Words for failures that may pass: OpenAI's and Anthropic's, Gemini's, Mistral's and DeepSeek's, xAI's, Bedrock's."""


def retryable_status(status: int) -> bool:
    """Whether a request that got this HTTP status may succeed later: 408, 409, 429 and 5xx.

    Source: the retry policy of the official SDKs (openai ``_base_client``), Anthropic's errors page (529).
    """
    return status in (408, 409, 429) or status >= 500


def provider_error(
    status: int | None, error: Json, *, type_key: str = "type", headers: Mapping[str, str] | None = None
) -> ProviderError:
    """The failure in an error object, or in an error that is only text."""
    fields = obj(error)
    words = [str(word) for word in (fields.get(type_key), fields.get("code")) if word]
    kind = words[0] if words else None
    message = fields.get("message") if fields else error
    if status is not None:
        retryable: bool | None = retryable_status(status)
    else:
        retryable = any(map(_retryable_word, words)) if words else None
    return ProviderError(str(message or "the provider gave no message"), status, kind, retryable, retry_after(headers))


def _retryable_word(word: str) -> bool:
    """Inside a stream there is no status, but some providers give it as the code (others have longer codes)."""
    return word in RETRYABLE_TYPES or (len(word) == 3 and word.isdecimal() and retryable_status(int(word)))


def retry_after(headers: Mapping[str, str] | None) -> float | None:
    """The seconds in ``retry-after``, when it is a number."""
    value = Response(0, headers or {}).header("retry-after")
    try:
        return float(value) if value is not None else None
    except ValueError:
        return None


def error_document(body: bytes) -> Json:
    """An error body as JSON, or its text."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")[:2000]
