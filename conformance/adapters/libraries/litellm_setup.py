"""What litellm's three surfaces share: quiet settings, models and addresses, and how litellm fails."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing it asks the network for prices

import litellm as litellm
import openai

from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import reported
from conformance.adapters.libraries.litellm_models import MODELS
from conformance.capabilities import OWN_WORDS, UNCLAIMED
from conformance.http import Request
from conformance.model import Conversation, ProviderError
from conformance.wires import card

litellm.suppress_debug_info = True
litellm.telemetry = False
litellm.drop_params = False

NO_MODEL = Conversation(()).model
"""What a conversation names when nobody chose a model."""


def where(provider: str, conversation: Conversation, endpoint: Endpoint) -> dict[str, Any]:
    """The arguments that say which model, where, and that nothing is tried twice."""
    model = MODELS[provider]
    if conversation.model != NO_MODEL:
        model = f"{model.rpartition('/')[0]}/{conversation.model}"
    path = "/v1beta" if provider == "gemini" else ""
    versioned = {"api_version": "2024-10-21"} if provider == "azure" else {}
    return {
        "model": model,
        "api_base": endpoint.url + path,
        "api_key": endpoint.api_key,
        "max_retries": 0,
        **versioned,
    }


def body(request: Request) -> dict[str, Any]:
    """The fields of a request's body, which are the arguments of the function that stands for it."""
    fields: dict[str, Any] = json.loads(request.body)
    return fields


def abilities(*providers: str, without: Mapping[str, frozenset[str]] = {}) -> Mapping[str, frozenset[str]]:
    """What litellm's documentation promises for each provider: all that the provider can do, but not ``without``."""
    apart = UNCLAIMED | OWN_WORDS
    return {name: card(name).capabilities - apart - without.get(name, frozenset()) for name in providers}


ENDED_EARLY = ("before a finish_reason was received", "before any terminal event")
"""What litellm says of a stream that ended without what ends it."""


def broken_off(problem: Exception) -> bool:
    """Whether litellm says that a stream ended early. It raises that as a failure of the provider, with status 503."""
    return isinstance(problem, openai.APIError) and ended_early(str(problem))


def ended_early(message: str) -> bool:
    """Whether a message of litellm's says that a stream ended without what ends it."""
    return any(words in message for words in ENDED_EARLY)


def provider_failure(problem: Exception) -> ProviderError | None:
    """litellm raises subclasses of the openai SDK's exceptions, with the provider's status.

    Its own mistakes (a `KeyError`, say) it raises as a lost connection. No provider said anything then.
    """
    mistake = type(problem.__context__).__module__ == "builtins" and problem.__context__ is not None
    if not isinstance(problem, openai.APIError) or (mistake and isinstance(problem, litellm.APIConnectionError)):
        return None
    status = getattr(problem, "status_code", None)
    response = getattr(problem, "response", None)
    headers = getattr(problem, "litellm_response_headers", None) or getattr(response, "headers", None)
    document = {"message": str(problem), "type": problem.type, "code": problem.code}
    return reported(status, document, headers)
