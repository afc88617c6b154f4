"""aisuite's ``client.chat.completions.create``: OpenAI's chat format for every provider."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import aisuite
from aisuite.providers.deepseek_provider import DeepseekProvider

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.chat_failures import cut_short, provider_failure
from conformance.adapters.libraries.chat_format import (
    heard,
    message_of,
    messages,
    put_together,
    result_content,
    tool_arguments,
    with_ids,
)
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.shim import Shim, WayDoors, http_client
from conformance.capabilities import OWN_WORDS
from conformance.capabilities import UNCLAIMED as UNCLAIMED_BY_SHIMS
from conformance.model import AssistantTurn, Conversation, ProviderError
from conformance.wires import card

NAMES: Mapping[str, str] = {
    "openai-chat": "openai",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "deepseek": "deepseek",
    "mistral": "mistral",
}
"""aisuite's names of the providers. Its xAI takes no address, and its Ollama is Ollama's imitation of OpenAI."""
BLOCKING = ("deepseek", "mistral")
"""The providers for which aisuite does not stream."""
UNCLAIMED = {"reasoning", "server_tools", "image_results", *OWN_WORDS, *UNCLAIMED_BY_SHIMS}
"""What aisuite has no argument for, or leaves to its callers. Its messages are OpenAI's, in which results are text."""


def _providers() -> Mapping[str, frozenset[str]]:
    blocking = UNCLAIMED | {"streaming"}
    return {name: card(name).capabilities - (blocking if name in BLOCKING else UNCLAIMED) for name in NAMES}


class AISuite(Shim):
    """``aisuite.Client.chat.completions``."""

    name = "aisuite"
    distribution = "aisuite"
    homepage = "https://github.com/andrewyng/aisuite"
    issues = "https://github.com/andrewyng/aisuite/issues"
    providers = _providers()

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``create``."""
        client = client_at(provider, endpoint)
        asked = _asked(provider, conversation)
        if stream:
            made = put_together(DOORS[self.way].streamed(client, **asked))
            return made.turn(provider, made.message(), conversation)
        answer = DOORS[self.way].blocking(client, **asked)
        return heard(answer).turn(provider, message_of(answer), conversation)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The provider SDK's exceptions, or aisuite's ``LLMError``, which has nothing but their text."""
        cause = problem.__cause__ or problem.__context__
        if type(problem).__name__ == "LLMError" and isinstance(cause, Exception) and provider_failure(cause):
            return ProviderError(str(problem))
        return provider_failure(problem)

    def broken_off(self, problem: Exception) -> bool:
        """What Google's SDK raises about half a document."""
        return cut_short(problem)


def client_at(provider: str, endpoint: Endpoint) -> Any:
    """The client; what it is configured with goes on to the provider's SDK."""
    if provider == "deepseek":
        line = http_client("openai", endpoint)
        return deepseek_client(endpoint.base_url, api_key=endpoint.api_key, max_retries=0, http_client=line)
    return _client_of(provider, endpoint.url, endpoint.api_key)


@cache
def _client_of(provider: str, url: str, key: str) -> Any:
    """One client for all calls, because Google's takes a fifth of a second to make."""
    if provider == "mistral":
        own: dict[str, Any] = {"server_url": url.removesuffix("/v1")}
    elif provider == "gemini":
        from google.genai import types

        own = {"http_options": types.HttpOptions(base_url=url)}
    else:
        own = {"base_url": url, "max_retries": 0}
    return aisuite_client({NAMES[provider]: {"api_key": key, **own}})


# --- doors -----------------------------------------------------------------------------------------------------------

aisuite_client = door(aisuite.Client)


@door
def deepseek_client(url: str, **options: Any) -> Any:
    """A client that calls DeepSeek's format at ``url``: aisuite itself has a fixed address."""
    client = aisuite.Client()
    client.providers["deepseek"] = DeepseekProvider(**options)
    client.providers["deepseek"].client.base_url = url
    return client


@door
def create(client: Any, **asked: Any) -> Any:
    """A ``ChatCompletionResponse``."""
    return client.chat.completions.create(**asked)


@door
def all_chunks(client: Any, **asked: Any) -> Any:
    """The chunks of a stream."""
    return list(client.chat.completions.create(**asked, stream=True))


@door
def create_async(client: Any, **asked: Any) -> Any:
    """A ``ChatCompletionResponse``, on an event loop."""
    return run_to_end(client.chat.completions.acreate(**asked))


@door
def all_chunks_async(client: Any, **asked: Any) -> Any:
    """The chunks of a stream, on an event loop."""
    return run_to_end(collected(client.chat.completions.acreate(**asked, stream=True)))


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(create, all_chunks),
    "async": WayDoors(create_async, all_chunks_async, on_a_loop=True),
}
"""The doors of each way."""


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(provider: str, conversation: Conversation) -> dict[str, Any]:
    """The arguments of ``create``."""
    return {
        "model": f"{NAMES[provider]}:{conversation.model}",
        "messages": list(messages(conversation, with_ids, result_content)),
        "max_tokens": conversation.max_tokens,
        **tool_arguments(provider, conversation),
        **({"extra_body": {"thinking": {"type": "disabled"}}} if provider == "deepseek" else {}),
    }
