"""langchain-anthropic: `ChatAnthropic`. It makes its HTTP client itself, so it calls an address on loopback."""

from __future__ import annotations

from typing import Any

import langchain_anthropic

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.langchain import LangChainShim
from conformance.adapters.libraries.shim import everything
from conformance.model import Conversation, Json, Tool


class LangChainAnthropic(LangChainShim):
    """`ChatAnthropic`."""

    name = "langchain-anthropic"
    distribution = "langchain-anthropic"
    issues = "https://github.com/langchain-ai/langchain/issues"
    providers = everything("anthropic")

    def model(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Any:
        """The chat model."""
        options: dict[str, Any] = {"max_tokens": conversation.max_tokens}
        if conversation.reasoning:
            options = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}
        return chat_anthropic(
            model=conversation.model, api_key=endpoint.api_key, base_url=endpoint.url, max_retries=0, **options
        )

    def binding(self, provider: str, conversation: Conversation) -> dict[str, Any]:
        """The options of ``bind_tools``, which takes ``strict`` for all tools, and "none" only as Anthropic's object.

        Claude cannot be made to call a tool while thinking.
        """
        options = super().binding(provider, conversation)
        if conversation.reasoning:
            options.pop("tool_choice", None)
        elif conversation.choice.mode == "none":
            options["tool_choice"] = {"type": "none"}
        if any(tool.strict for tool in conversation.tools):
            options["strict"] = True
        return options

    def builtin(self, tool: Tool) -> Json:
        """Anthropic's search."""
        return {"type": f"{tool.builtin}_20250305", "name": tool.builtin}


# --- doors -----------------------------------------------------------------------------------------------------------

chat_anthropic = door(langchain_anthropic.ChatAnthropic)
