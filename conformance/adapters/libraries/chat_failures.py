"""What exceptions mean that come through a library which calls other SDKs."""

from __future__ import annotations

import json

from conformance.adapters.libraries.failures import sdk_failure, told
from conformance.model import ProviderError

MISTRAL = frozenset({"MistralError", "SDKError"})


def provider_failure(problem: BaseException) -> ProviderError | None:
    """The failure that a provider reported, in an exception of its SDK; ``None`` for any other.

    Without a connection no provider reports anything. Mistral's SDK has ``status_code`` and the body as text.
    """
    kinds = {kind.__name__ for kind in type(problem).__mro__}
    if "APIConnectionError" in kinds:
        return None
    if kinds & MISTRAL:
        body = _document(getattr(problem, "body", None) or str(problem))
        headers = getattr(problem, "headers", None) or {}
        return told(problem, getattr(problem, "status_code", None), body, headers)
    return sdk_failure(problem)


def _document(text: str) -> object:
    """The body of an error. That of a stream is the event, with the error as its ``data``."""
    try:
        document = json.loads(text)
    except ValueError:
        return text
    event = document.get("data") if isinstance(document, dict) else None
    return event if isinstance(event, dict) else document


def cut_short(problem: BaseException) -> bool:
    """Whether an SDK (Ollama's, or Google's, which quotes it) says that a stream ended inside a document."""
    if type(problem).__name__ == "UnknownApiResponseError":
        return "Raw response: {" in str(problem)
    return isinstance(problem, json.JSONDecodeError)
