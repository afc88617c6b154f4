"""Exceptions of the providers' SDKs, which many libraries let through."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.adapters.libraries.application import reported
from conformance.model import Json, ProviderError
from conformance.wires.facts import items, obj

SDK_ERRORS = frozenset({"APIError", "GoogleAPICallError", "ResponseError", "ApiError"})
"""Their names: of OpenAI's, Anthropic's and Google's SDKs, of Google's generated clients, of Ollama's, of Cohere's."""


def sdk_failure(problem: BaseException) -> ProviderError | None:
    """The provider's failure in an exception of an SDK; ``None`` for any other exception.

    OpenAI and Anthropic give ``body`` and, for HTTP errors, ``status_code``; Google gives ``code`` and ``details``;
    Cohere's exception has the ``headers`` itself. A status below 400 is that of a stream which failed later.
    """
    if not any(kind.__name__ in SDK_ERRORS for kind in type(problem).__mro__):
        return None
    status = getattr(problem, "status_code", None) or getattr(problem, "code", None)
    body = getattr(problem, "body", None) or getattr(problem, "details", None)
    headers = getattr(getattr(problem, "response", problem), "headers", None) or {}
    return told(problem, status, body, headers)


def told(problem: BaseException, status: object, body: Json, headers: Mapping[str, Any]) -> ProviderError:
    """The failure in the parts of an exception. What has no body has its own words."""
    http = status if isinstance(status, int) and status >= 400 else None
    document = body if isinstance(body, Mapping) else {"message": str(problem)}
    after = headers.get("retry-after")
    failure = reported(http, dict(document), {"retry-after": str(after)} if after is not None else {})
    return failure if failure.retry_after is not None else replace(failure, retry_after=wait_in_body(document))


SECONDS = re.compile(r"(\d+(?:\.\d+)?)s")


def wait_in_body(body: Json) -> float | None:
    """How long to wait. Google says it in the ``RetryInfo`` of the body, which its SDK hands on as a whole."""
    details = obj(obj(body).get("error")).get("details")
    told = (SECONDS.fullmatch(str(obj(one).get("retryDelay"))) for _, one in items(details))
    return next((float(found[1]) for found in told if found is not None), None)
