"""What exceptions mean that come through a library which calls other SDKs."""

from __future__ import annotations

import json

from conformance.adapters.libraries.application import reported
from conformance.adapters.libraries.failures import sdk_failure
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
        body = getattr(problem, "body", None) or str(problem)
        return reported(getattr(problem, "status_code", None), _document(body))
    return sdk_failure(problem)


def _document(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def cut_short(problem: BaseException) -> bool:
    """Whether an SDK (Ollama's, or Google's, which quotes it) says that a stream ended inside a document."""
    if type(problem).__name__ == "UnknownApiResponseError":
        return "Raw response: {" in str(problem)
    return isinstance(problem, json.JSONDecodeError)
