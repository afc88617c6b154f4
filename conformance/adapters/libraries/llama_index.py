"""llama-index, by ``llm.chat_with_tools`` and ``llm.stream_chat_with_tools`` of its OpenAI and Anthropic packages.

Calls are read by ``llm.get_tool_calls_from_response``, from the last response of a stream, as its documentation and its
agents do. The library knows models by name, so the requests go out under the name of a model that it knows. What it has
no word for (how a turn ended, how many tokens it cost) stands in the provider's own answer, ``response.raw``.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from typing import Any

from llama_index.core.base.llms import types
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata
from pydantic import BaseModel

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_of,
    function_schema,
    kept,
    names_in,
    replayable,
    spoken,
    utterances,
)
from conformance.adapters.libraries.failures import sdk_failure
from conformance.adapters.libraries.features import has
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.sdk_clients import async_http_client
from conformance.adapters.libraries.shim import Shim, WayDoors, everything, http_client
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    ProviderError,
    Stop,
    Tool,
    ToolResult,
    Usage,
    UserTurn,
    compact_json,
    part_text,
    result_text,
)

PACKAGES = {"openai-chat": "openai", "openai-responses": "openai", "anthropic": "anthropic"}
LACKS: Mapping[str, frozenset[str]] = {"anthropic": frozenset({"strict"})}
GPT, GPT_THINKING, CLAUDE = "gpt-4.1", "gpt-5", "claude-sonnet-4-20250514"
STOPS: Mapping[str, Stop] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
    "pause_turn": "pause",
    "failed": "error",
}


CALL_BLOCK = "llama_index.core.base.llms.types:ToolCallBlock"
FUNCTION_CALLING = "llama_index.core.llms.function_calling:FunctionCallingLLM"
NEEDS = {
    "openai-responses": ("llama_index.llms.openai:OpenAIResponses",),
    "streaming": (f"{FUNCTION_CALLING}.stream_chat_with_tools",),
    "foreign_history": (CALL_BLOCK,),
    "image_results": ("llama_index.core.base.llms.types:ImageBlock",),
    "tool_choice": (f"{FUNCTION_CALLING}.chat_with_tools(tool_required)",),
}
"""What only newer releases have."""


class LlamaIndex(Shim):
    """``OpenAI``, ``OpenAIResponses`` and ``Anthropic``, those of them that are installed."""

    name = "llama-index"
    distribution = "llama-index-core"
    homepage = "https://docs.llamaindex.ai"
    issues = "https://github.com/run-llama/llama_index/issues"
    needs = NEEDS

    def __init__(self) -> None:
        there = [p for p, package in PACKAGES.items() if importlib.util.find_spec(f"llama_index.llms.{package}")]
        offered = everything(*there)
        self.providers = {provider: names - LACKS.get(provider, frozenset()) for provider, names in offered.items()}
        super().__init__()

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One chat, with tools where there are any."""
        model = new_model(provider, conversation, endpoint)
        history = list(_history(conversation))
        tools = [_tool(tool, conversation) for tool in conversation.tools if tool.builtin is None]
        asked: dict[str, Any] = {"messages": history}
        doors = DOORS[self.way]
        if tools:
            parallel = conversation.choice.parallel is not False
            asked = {"tools": tools, "chat_history": history, "allow_parallel_tool_calls": parallel}
            asked |= _choice(provider, conversation)
            doors = DOORS_WITH_TOOLS[self.way]
        answer = (doors.streamed if stream else doors.blocking)(model, **asked)
        heard = answer if stream else [answer]
        if not heard:
            return AssistantTurn(stop="incomplete")
        return _turn(model, heard[-1], [item.raw for item in heard], conversation)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The SDKs' exceptions come through."""
        return sdk_failure(problem)


def new_model(provider: str, conversation: Conversation, endpoint: Endpoint) -> Any:
    """The model of a provider, as a conversation asks for it."""
    builtin = [tool.builtin for tool in conversation.tools if tool.builtin is not None]
    if provider == "anthropic":
        return _claude(conversation, endpoint, builtin)
    options: dict[str, Any] = {
        "model": GPT_THINKING if conversation.reasoning else GPT,
        "api_key": endpoint.api_key,
        "api_base": endpoint.base_url,
        "max_retries": 0,
        "http_client": http_client("openai", endpoint),
        "async_http_client": async_http_client("openai", endpoint),
    }
    if provider == "openai-chat":
        from llama_index.llms.openai import OpenAI

        return door(OpenAI)(max_tokens=conversation.max_tokens, **options)
    from llama_index.llms.openai import OpenAIResponses

    if builtin:
        options["built_in_tools"] = [{"type": kind} for kind in builtin]
    if conversation.reasoning:
        options["reasoning_options"] = {"effort": "medium", "summary": "auto"}
        options["store"] = True  # only then the library sends reasoning back
    return door(OpenAIResponses)(max_output_tokens=conversation.max_tokens, **options)


def _claude(conversation: Conversation, endpoint: Endpoint, builtin: list[str]) -> Any:
    from llama_index.llms.anthropic import Anthropic

    options: dict[str, Any] = {"max_tokens": conversation.max_tokens}
    if conversation.reasoning:
        options = {"thinking_dict": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}
    if builtin:
        options["tools"] = [{"type": f"{kind}_20250305", "name": kind} for kind in builtin]
    options |= {"api_key": endpoint.api_key, "base_url": endpoint.url}
    return door(Anthropic)(model=CLAUDE, max_retries=0, **options)


# --- doors -----------------------------------------------------------------------------------------------------------

chat_message = door(ChatMessage)


@door
def new_tool(name: str, description: str, parameters: dict[str, Any]) -> Any:
    """A tool whose schema class tells the tool's own schema, as the library asks its schema classes."""

    class Parameters(BaseModel):
        @classmethod
        def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
            return parameters

    metadata = ToolMetadata(name=name, description=description, fn_schema=Parameters)
    return FunctionTool(fn=lambda **arguments: None, metadata=metadata)


@door
def chat(model: Any, **asked: Any) -> Any:
    """A ``ChatResponse``."""
    return model.chat(**asked)


@door
def stream_chat(model: Any, **asked: Any) -> Any:
    """All responses of a stream, the last of which is whole."""
    return list(model.stream_chat(**asked))


@door
def chat_with_tools(model: Any, **asked: Any) -> Any:
    """A ``ChatResponse``."""
    return model.chat_with_tools(**asked)


@door
def stream_chat_with_tools(model: Any, **asked: Any) -> Any:
    """All responses of a stream, the last of which is whole."""
    return list(model.stream_chat_with_tools(**asked))


@door
def achat(model: Any, **asked: Any) -> Any:
    """A ``ChatResponse``, on an event loop."""
    return run_to_end(model.achat(**asked))


@door
def astream_chat(model: Any, **asked: Any) -> Any:
    """All responses of a stream, on an event loop."""
    return run_to_end(collected(model.astream_chat(**asked)))


@door
def achat_with_tools(model: Any, **asked: Any) -> Any:
    """A ``ChatResponse``, on an event loop."""
    return run_to_end(model.achat_with_tools(**asked))


@door
def astream_chat_with_tools(model: Any, **asked: Any) -> Any:
    """All responses of a stream, on an event loop."""
    return run_to_end(collected(model.astream_chat_with_tools(**asked)))


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(chat, stream_chat),
    "async": WayDoors(achat, astream_chat, on_a_loop=True),
}
"""The doors of each way, where there are no tools."""
DOORS_WITH_TOOLS: Mapping[str, WayDoors] = {
    "": WayDoors(chat_with_tools, stream_chat_with_tools),
    "async": WayDoors(achat_with_tools, astream_chat_with_tools, on_a_loop=True),
}
"""The doors of each way, with tools."""


@door
def tool_calls(model: Any, response: Any) -> Any:
    """The calls in a response."""
    return model.get_tool_calls_from_response(response, error_on_no_tool_call=False)


# --- asking ----------------------------------------------------------------------------------------------------------


def _tool(tool: Tool, conversation: Conversation) -> Any:
    name = names_in(conversation)[tool.name]
    return new_tool(name=name, description=tool.description, parameters=dict(function_schema(tool)))


def _choice(provider: str, conversation: Conversation) -> dict[str, Any]:
    choice = conversation.choice
    asked: dict[str, Any] = {}
    if provider != "anthropic" and any(tool.strict is not None for tool in conversation.tools):
        asked["strict"] = any(tool.strict for tool in conversation.tools)
    if choice.mode == "auto" or (provider == "anthropic" and conversation.reasoning):
        return asked  # Claude cannot be made to call a tool while thinking
    if choice.mode == "required":
        return asked | {"tool_required": True}
    name = names_in(conversation)[choice.name] if choice.name else None
    if provider == "anthropic":
        return asked | {"tool_choice": {"type": "none"} if name is None else {"type": "tool", "name": name}}
    return asked | {"tool_choice": name or "none"}


def _history(conversation: Conversation) -> Iterator[Any]:
    if conversation.system is not None:
        yield chat_message(role="system", content=conversation.system)
    own: Mapping[str, str] = {}
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                yield chat_message(role="user", content=text)
            case AssistantTurn():
                message = _replayed(item, conversation)
                own = dict(zip((call.id for call in item.calls), _own_ids(item, message), strict=True))
                yield message
            case results:
                yield from (_result(result, own, conversation) for result in results)


def _replayed(turn: AssistantTurn, conversation: Conversation) -> Any:
    """The library's own message; one written by hand for a turn of another provider, or one that it misread."""
    own = kept(turn)
    if own is not None:
        return own
    names = names_in(conversation)
    said = spoken(turn)
    text = [types.TextBlock(text=said)] if said else []
    calls = [
        types.ToolCallBlock(
            tool_call_id=call.id, tool_name=names.get(call.name, call.name), tool_kwargs=dict(replayable(call))
        )
        for call in turn.calls
    ]
    return chat_message(role="assistant", blocks=[*text, *calls])


def _result(result: ToolResult, own: Mapping[str, str], conversation: Conversation) -> Any:
    """As the library's agents put what a tool returned into the history: they have no word for a failure."""
    options = {"tool_call_id": own.get(result.call_id, result.call_id)}
    if conversation.profile == "native" and any(isinstance(part, ImagePart) for part in result.content):
        return chat_message(role="tool", blocks=list(map(_block, result.content)), additional_kwargs=options)
    text = result_text(result)
    content = compact_json({"error": text}) if result.is_error else text
    return chat_message(role="tool", content=content, additional_kwargs=options)


def _block(part: Any) -> Any:
    if isinstance(part, ImagePart):
        return types.ImageBlock(image=part.data, image_mimetype=part.media_type)
    return types.TextBlock(text=part_text(part))


# --- hearing ---------------------------------------------------------------------------------------------------------


def _turn(model: Any, response: Any, raws: list[Any], conversation: Conversation) -> AssistantTurn:
    calls = tuple(
        call_of(call.tool_id, call.tool_name, call.tool_kwargs, conversation)
        for call in tool_calls(model, response)
    )
    told = [told for raw in raws for told in _told(raw)]
    refusal = response.additional_kwargs.get("refusal")
    return AssistantTurn(
        text=response.message.content or "",
        calls=calls,
        stop=_stop(told, bool(calls), bool(refusal)),
        refusal=refusal,
        usage=_usage(told),
        opaque=OwnMessage(response.message, calls),
    )


def _own_ids(turn: AssistantTurn, message: Any) -> list[str]:
    """The library's ids of the calls in a message, where its messages hold calls in blocks."""
    if not has(CALL_BLOCK):
        return [call.id for call in turn.calls]
    return [block.tool_call_id or "" for block in message.blocks if isinstance(block, types.ToolCallBlock)]


def _told(raw: Any) -> Iterator[Json]:
    """The provider's answer, or an event of it, and what it encloses."""
    plain = raw.model_dump(warnings=False) if isinstance(raw, BaseModel) else raw
    if not isinstance(plain, Mapping):
        return
    yield plain
    for name in ("response", "message", "delta", "incomplete_details"):
        if name in plain:
            yield from _told(plain[name])
    for choice in plain.get("choices") or ():
        yield from _told(choice)


def _stop(told: list[Json], calls: bool, refused: bool) -> Stop:
    words = [item[name] for item in told for name in ("finish_reason", "stop_reason", "reason") if item.get(name)]
    words = words or [item["status"] for item in told if item.get("status") not in (None, "in_progress", "queued")]
    if not words:
        return "incomplete"
    return STOPS.get(words[-1], "tool_calls" if calls else "refusal" if refused else "end")


def _usage(told: list[Json]) -> Usage | None:
    """Tokens. Anthropic's stream tells those of the question first, and those of the answer last."""
    counted: dict[str, int] = {}
    for item in told:
        usage = item.get("usage")
        plain = usage.model_dump() if isinstance(usage, BaseModel) else usage or {}
        counted |= {name: count for name, count in plain.items() if isinstance(count, int) and count}
    asked = counted.get("input_tokens", counted.get("prompt_tokens"))
    answered = counted.get("output_tokens", counted.get("completion_tokens"))
    return Usage(asked, answered) if asked is not None and answered is not None else None
