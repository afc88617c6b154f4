"""langchain-ollama: `ChatOllama`."""

from __future__ import annotations

import json
from typing import Any

import langchain_ollama

from conformance.adapters.capture import door, left_out
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.langchain import LangChainShim
from conformance.adapters.libraries.shim import everything, http_library
from conformance.model import Conversation


class LangChainOllama(LangChainShim):
    """`ChatOllama`."""

    name = "langchain-ollama"
    distribution = "langchain-ollama"
    issues = "https://github.com/langchain-ai/langchain/issues"
    providers = everything("ollama")

    def model(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Any:
        """The chat model."""
        return chat_ollama(
            model=conversation.model,
            base_url=endpoint.base_url,
            num_predict=conversation.max_tokens,
            reasoning=True if conversation.reasoning else None,
            client_kwargs=left_out({"transport": endpoint.transport(http_library("ollama"))}),
        )

    def broken_off(self, problem: Exception) -> bool:
        """A line that is not whole JSON is a `json.JSONDecodeError`."""
        return isinstance(problem, json.JSONDecodeError)


# --- doors -----------------------------------------------------------------------------------------------------------

chat_ollama = door(langchain_ollama.ChatOllama)
