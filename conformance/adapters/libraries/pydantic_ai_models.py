"""The models of pydantic-ai, as its releases make them: of providers, or before that of the SDKs' clients."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.sdk_clients import (
    async_anthropic,
    async_http_client,
    async_openai,
    google,
)
from conformance.model import Conversation

MODELS: Mapping[str, str] = {
    "openai-chat": "gpt-5",
    "azure": "gpt-5",
    "openai-responses": "gpt-5.4",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-3-pro-preview",
}
"""Whose profile our model gets: the library goes by the model's name, and ours says nothing about what it can do.
A model that a scenario names has its own."""
NAMELESS = Conversation(turns=()).model


def part_of(module: str, *names: str) -> Any:
    """The first of ``names`` that a module of the library has: classes were renamed once."""
    found: Any = importlib.import_module(f"pydantic_ai.{module}")
    return next(getattr(found, name) for name in names if hasattr(found, name))


def new_model(provider: str, name: str, endpoint: Endpoint) -> Any:
    """The model of a provider, its client ending in ``endpoint``."""
    if importlib.util.find_spec("pydantic_ai.providers") is None:
        return _model_before_providers(provider, name, endpoint)
    models: Mapping[str, Callable[[str, Endpoint], Any]] = {
        "openai-responses": _responses,
        "anthropic": _anthropic,
        "gemini": _google,
        "mistral": _mistral,
    }
    if provider in models:
        return models[provider](name, endpoint)
    module, maker = {
        "openai-chat": ("openai", "OpenAIProvider"),
        "azure": ("azure", "AzureProvider"),
        "deepseek": ("deepseek", "DeepSeekProvider"),
    }[provider]
    made = _provider(module, maker, openai_client=async_openai(provider, endpoint))
    return _made("models.openai", ("OpenAIChatModel", "OpenAIModel"), name, made, provider)


def _provider(module: str, name: str, **options: Any) -> Any:
    return door(part_of(f"providers.{module}", name))(**options)


def _made(module: str, names: tuple[str, ...], name: str, provider: Any, told: str) -> Any:
    known = MODELS.get(told) if name == NAMELESS else None
    profile: Any = model_profile(provider, known) if known else None
    return door(part_of(module, *names))(name, provider=provider, **({"profile": profile} if profile else {}))


def _responses(name: str, endpoint: Endpoint) -> Any:
    made = _provider("openai", "OpenAIProvider", openai_client=async_openai("openai-responses", endpoint))
    return _made("models.openai", ("OpenAIResponsesModel",), name, made, "openai-responses")


def _anthropic(name: str, endpoint: Endpoint) -> Any:
    made = _provider("anthropic", "AnthropicProvider", anthropic_client=async_anthropic(endpoint))
    return _made("models.anthropic", ("AnthropicModel",), name, made, "anthropic")


def _google(name: str, endpoint: Endpoint) -> Any:
    made = _provider("google", "GoogleProvider", client=google(endpoint))
    return _made("models.google", ("GoogleModel",), name, made, "gemini")


def _mistral(name: str, endpoint: Endpoint) -> Any:
    client = async_http_client("mistralai", endpoint)
    options = {"api_key": endpoint.api_key, "http_client": client}
    if "base_url" in inspect.signature(part_of("providers.mistral", "MistralProvider").__init__).parameters:
        options["base_url"] = "{0.scheme}://{0.netloc}".format(urlsplit(endpoint.base_url))
    made = _provider("mistral", "MistralProvider", **options)
    return door(part_of("models.mistral", "MistralModel"))(name, provider=made)


def _model_before_providers(provider: str, name: str, endpoint: Endpoint) -> Any:
    """The models took the SDKs' clients themselves, and Gemini's spoke HTTP."""
    match provider:
        case "anthropic":
            model = part_of("models.anthropic", "AnthropicModel")
            return door(model)(name, anthropic_client=async_anthropic(endpoint))
        case "gemini":
            model, client = part_of("models.gemini", "GeminiModel"), async_http_client("pydantic-ai-slim", endpoint)
            return door(model)(name, api_key=endpoint.api_key, http_client=client)
    return door(part_of("models.openai", "OpenAIModel"))(name, openai_client=async_openai(provider, endpoint))


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def model_profile(provider: Any, name: str) -> Any:
    """What the library knows of a model."""
    return provider.model_profile(name)
