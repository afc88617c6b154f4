"""any-llm's ``acompletion``: OpenAI's chat format for every provider.

Chunks of a stream are put together by hand, with the fields that any-llm adds to the format for what must go back.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import any_llm

from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import reported
from conformance.adapters.libraries.chat_failures import cut_short, provider_failure
from conformance.adapters.libraries.chat_format import (
    heard,
    messages,
    put_together,
    result_content,
    result_parts,
    thinks,
    tool_arguments,
    with_ids,
)
from conformance.adapters.libraries.looping import collected, run
from conformance.adapters.libraries.shim import Shim, everything
from conformance.model import AssistantTurn, Conversation, ProviderError

NAMES: Mapping[str, str] = {
    "openai-chat": "openai",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "ollama": "ollama",
    "deepseek": "deepseek",
    "mistral": "mistral",
}
"""any-llm's names of the providers. Its xAI speaks gRPC, and its Azure another interface than the one known here."""
ONCE = ("openai-chat", "anthropic", "deepseek")
"""The providers whose SDK tries again unless it is told not to."""


class AnyLLM(Shim):
    """``any_llm.AnyLLM.acompletion``."""

    name = "any-llm"
    distribution = "any-llm-sdk"
    homepage = "https://github.com/mozilla-ai/any-llm"
    issues = "https://github.com/mozilla-ai/any-llm/issues"
    providers = everything(*NAMES)

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``acompletion``."""
        client = _client(provider, endpoint.url, endpoint.api_key)
        asked = _asked(provider, conversation)
        if stream:
            made = put_together(run(collected(client.acompletion(**asked, stream=True))))
            return made.turn(provider, made.message(), conversation)
        answer = run(client.acompletion(**asked))
        message = answer.choices[0].message.model_dump(exclude_none=True)  # as an application keeps it
        return heard(answer).turn(provider, message, conversation)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The provider SDK's exceptions, or any-llm's own around them."""
        original = getattr(problem, "original_exception", None)
        status = getattr(problem, "status_code", None)
        if original is not None and status is not None and not provider_failure(original):
            return reported(status, {"message": str(problem)})
        return provider_failure(original or problem)

    def broken_off(self, problem: Exception) -> bool:
        """What the SDKs of Google and Ollama raise about half a document."""
        return cut_short(problem)


@cache
def _client(provider: str, url: str, key: str) -> Any:
    options: dict[str, Any] = {"max_retries": 0} if provider in ONCE else {}
    if provider == "gemini":
        from google.genai import types

        options["http_options"] = types.HttpOptions(base_url=url)  # 1.7.0 has no other way to say where
    return any_llm.AnyLLM.create(NAMES[provider], api_key=key, api_base=url, **options)


def _asked(provider: str, conversation: Conversation) -> dict[str, Any]:
    """The arguments of ``acompletion``."""
    content = result_parts if conversation.profile == "native" else result_content
    return {
        "model": conversation.model,
        "messages": list(messages(conversation, with_ids, content)),
        "max_tokens": conversation.max_tokens,
        "reasoning_effort": "medium" if thinks(provider, conversation) else "none",
        **tool_arguments(provider, conversation),
    }
