"""The arguments of each library's call as data, for `conformance.adapters.libraries.calls`.

Where a library takes its provider's own format, the arguments are what the reference wire sends. Libraries with types
of their own get expressions: `Source`, and `made` for a constructor and its arguments.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import make_dataclass
from typing import Any

from conformance.adapters.libraries import litellm_models
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.chat_format import messages, thinks, tool_arguments
from conformance.model import Conversation, Json, Tool, UserTurn
from conformance.wires import wire

Fields = dict[str, Any]
"""Arguments by name: JSON, `Source`, or what `made` makes."""

MODELS: Mapping[str, Mapping[str, str]] = {
    "litellm": litellm_models.MODELS,
    "any-llm": dict.fromkeys(("openai-chat", "anthropic", "gemini", "ollama", "deepseek", "mistral"), "{}"),
    "aisuite": {
        "openai-chat": "openai:{}",
        "anthropic": "anthropic:{}",
        "gemini": "gemini:{}",
        "deepseek": "deepseek:{}",
        "mistral": "mistral:{}",
    },
}
"""How a library names a model of each provider, as its shim does; ``{}`` is the conversation's own."""

AGENTS = (
    "output_schema=None, handoffs=[], tracing=ModelTracing.DISABLED, "
    "previous_response_id=None, conversation_id=None, prompt=None"
)
"""What openai-agents wants besides."""


class Source:
    """Python source among data."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def made(constructor: str, /, **arguments: Any) -> Any:
    """A call of a constructor, that `pprint` lays out like a literal."""
    return make_dataclass(constructor, list(arguments))(**arguments)


# --- the providers' own formats --------------------------------------------------------------------------------------


def wire_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """The body that the reference wire sends, as the SDK's arguments."""
    fields: Fields = json.loads(wire(provider).build(conversation, stream=stream).body)
    return {name: value for name, value in fields.items() if name not in ("stream", "stream_options")}


def openai_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """As `wire_fields`. What only a compatible provider knows goes into ``extra_body``; Azure's model is in its URL."""
    fields = {"model": conversation.model, **wire_fields(provider, conversation, stream)}
    if "thinking" in fields:
        fields["extra_body"] = {"thinking": fields.pop("thinking")}
    return fields


def ollama_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """As `wire_fields`, without ids: the SDK's types have no place for them."""
    fields = wire_fields(provider, conversation, stream)
    for message in fields["messages"]:
        message.pop("tool_call_id", None)
        for call in message.get("tool_calls", ()):
            call.pop("id", None)
    return fields


def google_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """As `wire_fields`, with the SDK's names. Signatures are left out: the SDK's own content carries them."""
    fields = wire_fields(provider, conversation, stream)
    config = {name: _snake(fields[key]) for key, name in _GOOGLE_NAMES.items() if key in fields}
    config |= {**_snake(fields["generationConfig"]), "automatic_function_calling": {"disable": True}}
    if conversation.reasoning:
        config["thinking_config"] = Source("types.ThinkingConfig(include_thoughts=True)")
    return {"model": conversation.model, "contents": _snake(fields["contents"]), "config": config}


_GOOGLE_NAMES = {"systemInstruction": "system_instruction", "tools": "tools", "toolConfig": "tool_config"}
_AS_THEY_ARE = ("parametersJsonSchema", "parameters", "args", "response")


def _snake(value: Json) -> Json:
    if isinstance(value, list):
        return [_snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = {key: item if key in _AS_THEY_ARE else _snake(item) for key, item in value.items()}
    if "mimeType" in named and "data" in named:
        named["data"] = base64.b64decode(named["data"])
    return {
        re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), key): item
        for key, item in named.items()
        if key != "thoughtSignature"
    }


# --- OpenAI's format for every provider ------------------------------------------------------------------------------


def chat_fields(library: str) -> Callable[[str, Conversation, bool], Fields]:
    """The arguments of a library that speaks OpenAI's format to every provider."""

    def fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
        asked: Fields = {
            "model": MODELS[library][provider].format(conversation.model),
            "messages": list(messages(conversation, lambda own, calls: own)),
            "max_tokens": conversation.max_tokens,
            **tool_arguments(provider, conversation),
        }
        if library != "aisuite" and thinks(provider, conversation):
            asked["reasoning_effort"] = "medium"
        return asked

    return fields


def langchain_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """Messages as dictionaries, and the arguments of ``bind_tools``."""
    fields: Fields = {"messages": list(messages(conversation, lambda own, calls: own))}
    if not conversation.tools:
        return fields
    fields |= tool_arguments(provider, conversation)
    fields["tools"] = [
        declared if tool.builtin is None else _builtin(provider, tool)
        for tool, declared in zip(conversation.tools, fields["tools"], strict=True)
    ]
    choice = conversation.choice
    if choice.mode == "tool":
        fields["tool_choice"] = declared_names(conversation.tools)[choice.name or ""]
    elif choice.mode == "required":
        fields["tool_choice"] = "any"
    return fields


def _builtin(provider: str, tool: Tool) -> Json:
    if provider == "gemini":
        return {"google_search": {}}
    if provider == "anthropic":
        return {"type": f"{tool.builtin}_20250305", "name": tool.builtin}
    return {"type": tool.builtin}


# --- libraries with types of their own, for what is said first -------------------------------------------------------


def _texts(conversation: Conversation) -> list[str]:
    return [turn.text for turn in conversation.turns if isinstance(turn, UserTurn)]


def _functions(conversation: Conversation) -> list[tuple[str, Tool]]:
    names = declared_names(conversation.tools)
    return [(names[tool.name], tool) for tool in conversation.tools if tool.builtin is None]


def _chosen(conversation: Conversation) -> str | None:
    choice = conversation.choice
    if choice.mode == "tool":
        return declared_names(conversation.tools)[choice.name or ""]
    return None if choice.mode == "auto" else choice.mode


def pydantic_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """A history of one request, settings and parameters."""
    said = [made("SystemPromptPart", content=conversation.system)] if conversation.system is not None else []
    said += [made("UserPromptPart", content=text) for text in _texts(conversation)]
    tools = [
        made("ToolDefinition", name=name, description=tool.description, parameters_json_schema=function_schema(tool),
             **({} if tool.strict is None else {"strict": tool.strict}))
        for name, tool in _functions(conversation)
    ]  # fmt: skip
    settings: Fields = {"max_tokens": conversation.max_tokens}
    if (chosen := _chosen(conversation)) is not None:
        settings["tool_choice"] = [chosen] if conversation.choice.mode == "tool" else chosen
    if conversation.choice.parallel is not None:
        settings["parallel_tool_calls"] = conversation.choice.parallel
    return {
        "messages": [made("ModelRequest", parts=said)],
        "model_settings": settings,
        "model_request_parameters": made("ModelRequestParameters", function_tools=tools),
    }


def agents_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """The arguments of ``Model.get_response``."""
    settings: Fields = {"max_tokens": conversation.max_tokens, "include_usage": True}
    if (chosen := _chosen(conversation)) is not None:
        settings["tool_choice"] = chosen
    if conversation.choice.parallel is not None:
        settings["parallel_tool_calls"] = conversation.choice.parallel
    return {
        "system_instructions": conversation.system,
        "input": [{"role": "user", "content": text} for text in _texts(conversation)],
        "model_settings": made("ModelSettings", **settings),
        "tools": [
            made("FunctionTool", name=name, description=tool.description, params_json_schema=function_schema(tool),
                 on_invoke_tool=None, strict_json_schema=bool(tool.strict))
            for name, tool in _functions(conversation)
        ],
    }  # fmt: skip


def llama_index_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """The arguments of ``chat_with_tools``."""
    system = [("system", conversation.system)] if conversation.system is not None else []
    said = [*system, *(("user", text) for text in _texts(conversation))]
    fields: Fields = {
        "tools": [
            made("tool", name=name, description=tool.description, parameters=function_schema(tool))
            for name, tool in _functions(conversation)
        ],
        "chat_history": [made("ChatMessage", role=role, content=text) for role, text in said],
        "allow_parallel_tool_calls": conversation.choice.parallel is not False,
    }
    chosen = _chosen(conversation)
    if chosen == "required" and conversation.choice.mode == "required":
        return fields | {"tool_required": True}
    if chosen is None:
        return fields
    if provider == "anthropic":
        named = conversation.choice.mode == "tool"
        return fields | {"tool_choice": {"type": "tool", "name": chosen} if named else {"type": "none"}}
    return fields | {"tool_choice": chosen}


def llm_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """The arguments of ``Conversation.prompt``."""
    return {
        "prompt": "\n\n".join(_texts(conversation)),
        "system": conversation.system,
        "tools": [
            made("Tool", name=name, description=tool.description, input_schema=function_schema(tool))
            for name, tool in _functions(conversation)
        ],
        "max_tokens": conversation.max_tokens,
    }


def haystack_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """The arguments of ``run``, with Anthropic's own settings."""
    own = wire_fields(provider, conversation, stream)
    system = [Source(f"ChatMessage.from_system({conversation.system!r})")] if conversation.system is not None else []
    return {
        "messages": [*system, *(Source(f"ChatMessage.from_user({text!r})") for text in _texts(conversation))],
        "tools": [
            made("Tool", name=name, description=tool.description, parameters=function_schema(tool),
                 function=Source("print"))
            for name, tool in _functions(conversation)
        ],
        "generation_kwargs": {name: own[name] for name in ("max_tokens", "tool_choice", "thinking") if name in own},
    }  # fmt: skip
