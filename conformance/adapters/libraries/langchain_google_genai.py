"""langchain-google-genai: `ChatGoogleGenerativeAI`.

From release 4 it stands on Google's SDK; before, on generated clients of Google's interface, which are reached by their
REST transport at an address on loopback.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import langchain_google_genai

from conformance.adapters.capture import door, left_out
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.langchain import LangChainShim
from conformance.adapters.libraries.sdk_clients import AsyncLine
from conformance.adapters.libraries.shim import everything, http_library
from conformance.model import Conversation, Json, Tool
from conformance.wires import card

MODEL = "gemini-3-pro-preview"
"""The library goes by the model's name, and ours says nothing about what it can do."""

ON_GOOGLES_SDK = "client_args" in langchain_google_genai.ChatGoogleGenerativeAI.model_fields
BESIDE_FUNCTIONS: Json = {"include_server_side_tool_invocations": True}


class LangChainGoogleGenAI(LangChainShim):
    """`ChatGoogleGenerativeAI`."""

    name = "langchain-google-genai"
    distribution = "langchain-google-genai"
    issues = "https://github.com/langchain-ai/langchain-google/issues"
    providers = everything("gemini")
    images_of_lone_results = True

    def model(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Any:
        """The chat model. It tries once."""
        thinks, limit = conversation.reasoning, conversation.max_tokens
        if ON_GOOGLES_SDK:
            line, model = _model_on_a_line(thinks, limit)
            line.leads_to(endpoint)
            return model
        return _model(thinks, limit, client_options={"api_endpoint": endpoint.url}, transport="rest")

    def binding(self, provider: str, conversation: Conversation) -> dict[str, Any]:
        """Google's search beside functions needs to be allowed, which is a setting of ``tool_config``."""
        options = super().binding(provider, conversation)
        mixed = len({tool.builtin is None for tool in conversation.tools}) > 1
        return {**options, "tool_config": BESIDE_FUNCTIONS} if mixed and ON_GOOGLES_SDK else options

    def broken_off(self, problem: Exception) -> bool:
        """Google's SDK quotes what it could not read: half a document begins like a whole one."""
        return type(problem).__name__ == "UnknownApiResponseError" and "Raw response: {" in str(problem)

    def builtin(self, tool: Tool) -> Json:
        """Google's search."""
        return {"google_search": {}}


@cache
def _model_on_a_line(thinks: bool, limit: int) -> tuple[AsyncLine, Any]:
    """One model for all endpoints, because its client costs a third of a second to make."""
    line = AsyncLine(http_library("google-genai"))
    args = left_out({"transport": line.transport()})
    return line, _model(thinks, limit, base_url=card("gemini").base_url, client_args=args)


def _model(thinks: bool, limit: int, **reached: Any) -> Any:
    thinking = {"include_thoughts": True} if thinks else {}
    return new_model(
        model=MODEL,
        google_api_key=Endpoint.api_key,
        max_output_tokens=limit,
        max_retries=1,
        **thinking,
        **reached,
    )


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def new_model(**options: Any) -> Any:
    """A ``ChatGoogleGenerativeAI``."""
    return langchain_google_genai.ChatGoogleGenerativeAI(**options)
