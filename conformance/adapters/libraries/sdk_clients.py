"""Clients of the provider SDKs, for libraries that take one: they end in an endpoint and try nothing twice.

The SDKs are imported when they are asked for, because a library brings only those that it uses.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from conformance.adapters.capture import door, left_out
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.shim import ClientLine, http_library
from conformance.adapters.transports import transport
from conformance.wires import card

AZURE_VERSION = "2024-10-21"
"""The version of Azure's interface: the last one that is generally available with a date."""


def async_http_client(distribution: str, endpoint: Endpoint) -> Any:
    """An asynchronous client of the HTTP library that the SDK stands on. It opens nothing, so it need not be closed."""
    library = http_library(distribution)
    return left_out(importlib.import_module(library).AsyncClient(transport=endpoint.transport(library)))


def async_openai(provider: str, endpoint: Endpoint) -> Any:
    """``openai.AsyncOpenAI`` for a provider of OpenAI's format, or ``openai.AsyncAzureOpenAI``."""
    import openai

    options: Any = {
        "api_key": endpoint.api_key,
        "max_retries": 0,
        "http_client": async_http_client("openai", endpoint),
    }
    if provider == "azure":
        return door(openai.AsyncAzureOpenAI)(azure_endpoint=endpoint.base_url, api_version=AZURE_VERSION, **options)
    return door(openai.AsyncOpenAI)(base_url=endpoint.base_url, **options)


def async_anthropic(endpoint: Endpoint) -> Any:
    """``anthropic.AsyncAnthropic``."""
    import anthropic

    return door(anthropic.AsyncAnthropic)(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        max_retries=0,
        http_client=async_http_client("anthropic", endpoint),
    )


class AsyncLine(ClientLine):
    """A line with an asynchronous client at this end."""

    def client(self) -> Any:
        return left_out(importlib.import_module(self._library).AsyncClient(transport=self.transport()))

    def transport(self) -> Any:
        """A transport, sync and async at once, for libraries that make the client themselves."""
        return transport(self._library, self._answer)


def google(endpoint: Endpoint) -> Any:
    """``google.genai.Client``, for its asynchronous half. Releases that take no HTTP client call the loopback."""
    from google import genai
    from google.genai import types

    if "httpx_async_client" in types.HttpOptions.model_fields:
        line, client = _google_on_a_line()
        line.leads_to(endpoint)
        return client
    return door(genai.Client)(api_key=endpoint.api_key, http_options=types.HttpOptions(base_url=endpoint.url))


@cache
def _google_on_a_line() -> tuple[AsyncLine, Any]:
    """One client for all endpoints, because it costs a tenth of a second to make."""
    from google import genai
    from google.genai import types

    line = AsyncLine(http_library("google-genai"))
    options = types.HttpOptions(base_url=card("gemini").base_url, httpx_async_client=line.client())
    return line, door(genai.Client)(api_key=Endpoint.api_key, http_options=options)
