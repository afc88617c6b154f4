"""langchain-openai: `ChatOpenAI` on Chat Completions and on Responses, and `AzureChatOpenAI`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import langchain_openai

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.features import has
from conformance.adapters.libraries.langchain import LangChainShim
from conformance.adapters.libraries.sdk_clients import AZURE_VERSION, async_http_client
from conformance.adapters.libraries.shim import WayDoors, everything, http_client
from conformance.model import AssistantTurn, Conversation

STREAM_USAGE = "langchain_openai.chat_models.base:BaseChatOpenAI(stream_usage)"


class LangChainOpenAI(LangChainShim):
    """`ChatOpenAI` and `AzureChatOpenAI`."""

    name = "langchain-openai"
    distribution = "langchain-openai"
    issues = "https://github.com/langchain-ai/langchain/issues"
    providers = everything("openai-chat", "openai-responses", "azure")

    def model(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Any:
        """The chat model."""
        options: dict[str, Any] = {
            "model": conversation.model,
            "api_key": endpoint.api_key,
            "max_tokens": conversation.max_tokens,
            "max_retries": 0,
            **({"stream_usage": True} if has(STREAM_USAGE) else {}),
            "http_client": http_client("openai", endpoint),
            "http_async_client": async_http_client("openai", endpoint),
        }
        if provider == "azure":
            options |= {"azure_endpoint": endpoint.base_url, "api_version": AZURE_VERSION}
            return azure_chat_openai(azure_deployment=conversation.model, **options)
        options["base_url"] = endpoint.base_url
        if provider == "openai-responses":
            options["use_responses_api"] = True
        if conversation.reasoning:
            options |= {"reasoning": {"effort": "medium", "summary": "auto"}, "store": False}
            options["include"] = ["reasoning.encrypted_content"]
        return chat_openai(**options)


class AnsweringInAForm(LangChainOpenAI):
    """`ChatOpenAI` with tools, asked for its last words in a form."""

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of the chat model."""
        return self.heard_of(DOORS[self.way].blocking, provider, conversation, endpoint)


# --- doors -----------------------------------------------------------------------------------------------------------

chat_openai = door(langchain_openai.ChatOpenAI)
azure_chat_openai = door(langchain_openai.AzureChatOpenAI)


@door
def beside_tools(model: Any, messages: Any, **asked: Any) -> Any:
    """The ``AIMessage`` of a model that may call tools, and shall give its answer in a form."""
    form = {
        "title": "Answer",
        "description": "What to tell the user",
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    }
    return model.with_structured_output(form, strict=True, include_raw=True, **asked).invoke(messages)["raw"]


DOORS: Mapping[str, WayDoors] = {"structured-tools": WayDoors(beside_tools, beside_tools)}
"""The doors of the way that this library alone has."""
