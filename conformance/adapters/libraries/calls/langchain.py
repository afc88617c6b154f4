"""LangChain's chat models, in Python and in JavaScript: a model for each provider, and the same messages for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.adapters.libraries.application import Utterance, replayable
from conformance.adapters.libraries.calls.contract import Call, Fields, Way, made
from conformance.adapters.libraries.calls.neutral import (
    Scene,
    Write,
    base_url,
    by_turns,
    chosen,
    data_url,
    declarations,
    history,
    openai_function,
    pictured,
)
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    Part,
    Tool,
    UserTurn,
    part_text,
    result_text,
)

PYTHON, JAVASCRIPT = "", "new "
"""What stands before a constructor."""
BUDGET = 1024
"""The tokens that Claude may think."""

# --- what is said and asked ------------------------------------------------------------------------------------------


def _writing(new: str) -> Write:
    """Writes turns as LangChain's messages. ``new`` is what stands before a constructor."""

    def write(item: Utterance, scene: Scene) -> Iterator[Any]:
        match item:
            case UserTurn(text):
                yield made(f"{new}HumanMessage", text)
            case AssistantTurn(text=text):
                yield made(f"{new}AIMessage", content=text, tool_calls=list(_calls(item, scene)))
            case results:
                for result in results:
                    answers = {
                        "tool_call_id": scene.reference(result.call_id),
                        "name": scene.name(result.name),
                        **({"status": "error"} if result.is_error else {}),
                    }
                    pictures = pictured(result, scene)
                    content = result_text(result) if pictures is None else list(map(_block, pictures))
                    yield made(f"{new}ToolMessage", content=content, **answers)

    return write


def _calls(turn: AssistantTurn, scene: Scene) -> Iterator[Json]:
    for call in turn.calls:
        yield {"type": "tool_call", "id": call.id, "name": scene.name(call.name), "args": dict(replayable(call))}


def _block(part: Part) -> Json:
    if isinstance(part, ImagePart):
        return {"type": "image_url", "image_url": {"url": data_url(part)}}
    return {"type": "text", "text": part_text(part)}


def _fields(new: str) -> Callable[[str, Conversation, bool], Fields]:
    """The history, and the arguments of ``bind_tools``."""

    def fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
        system = [made(f"{new}SystemMessage", conversation.system)] if conversation.system is not None else []
        said: Fields = {"messages": [*system, *history(_writing(new), provider, conversation)]}
        if not conversation.tools:
            return said
        tools = [_tool(provider, name, _told(provider, tool, new)) for name, tool in declarations(conversation)]
        if new and provider == "gemini":
            tools = [{"googleSearch": {}} if tool == GOOGLE_SEARCH else tool for tool in tools]
        return (
            said | {"tools": tools} | _choice(provider, conversation) | _strictness(provider, conversation, bool(new))
        )

    return fields


def _told(provider: str, tool: Tool, new: str) -> Tool:
    """The tool, not strict where Responses would try to be unless it is told."""
    unsaid = provider == "openai-responses" and new == PYTHON and tool.strict is None
    return replace(tool, strict=False) if unsaid else tool


GOOGLE_SEARCH: Json = {"google_search": {}}


def _tool(provider: str, name: str, tool: Tool) -> Json:
    if tool.builtin is None:
        return openai_function(name, tool)
    if provider == "anthropic":
        return {"type": f"{tool.builtin}_20250305", "name": tool.builtin}
    return GOOGLE_SEARCH if provider == "gemini" else {"type": tool.builtin}


def _choice(provider: str, conversation: Conversation) -> Fields:
    """What must be called, and whether several may be. Claude cannot be forced while it thinks."""
    word, parallel = chosen(conversation), conversation.choice.parallel
    if conversation.choice.mode == "required":
        word = "any"
    if provider != "anthropic":
        said = {"tool_choice": word, "parallel_tool_calls": parallel}
        return {name: value for name, value in said.items() if value is not None}
    if conversation.reasoning:
        word = None
    if word in (None, "any") and parallel is not False:
        return {} if word is None else {"tool_choice": word}
    kind = word if word in ("any", "none") else "auto" if word is None else "tool"
    named = {"name": word} if kind == "tool" else {}
    return {
        "tool_choice": {"type": kind, **named, **({"disable_parallel_tool_use": True} if parallel is False else {})}
    }


def _strictness(provider: str, conversation: Conversation, javascript: bool) -> Fields:
    """Strict mode, where it is an option for all tools at once."""
    said = {tool.strict for tool in conversation.tools if tool.builtin is None}
    if javascript and said in ({True}, {False}):
        return {"strict": said == {True}}
    return {"strict": True} if provider == "anthropic" and True in said else {}


# --- models ----------------------------------------------------------------------------------------------------------


def _openai(provider: str, conversation: Conversation) -> Fields:
    options: Fields = {"model": conversation.model, "api_key": "test-key"}
    if provider == "azure":
        options |= {"azure_deployment": conversation.model, "api_version": "2024-10-21"}
    options["azure_endpoint" if provider == "azure" else "base_url"] = base_url(provider)
    options |= {"max_tokens": conversation.max_tokens, "max_retries": 0, "stream_usage": True}
    if provider == "openai-responses":
        options["use_responses_api"] = True
    if conversation.reasoning:
        options |= {"reasoning": {"effort": "medium", "summary": "auto"}, "store": False}
        options["include"] = ["reasoning.encrypted_content"]
    return options


def _anthropic(provider: str, conversation: Conversation) -> Fields:
    thinking = {"thinking": {"type": "enabled", "budget_tokens": BUDGET}} if conversation.reasoning else {}
    limit = 2048 if conversation.reasoning else conversation.max_tokens
    return {
        "model": conversation.model,
        "api_key": "test-key",
        "base_url": base_url(provider),
        "max_tokens": limit,
        "max_retries": 0,
        **thinking,
    }


def _google(provider: str, conversation: Conversation) -> Fields:
    return {
        "model": "gemini-3-pro-preview",
        "google_api_key": "test-key",
        "base_url": base_url(provider),
        "max_output_tokens": conversation.max_tokens,
        "max_retries": 1,
        **({"include_thoughts": True} if conversation.reasoning else {}),
    }


def _ollama(provider: str, conversation: Conversation) -> Fields:
    thinking = {"reasoning": True} if conversation.reasoning else {}
    return {
        "model": conversation.model,
        "base_url": base_url(provider),
        "num_predict": conversation.max_tokens,
    } | thinking


_INVOKE = Way(
    ask="return model.bind_tools($bound).invoke(messages)",
    own="messages.append(answer)",
    calls="[*answer.tool_calls, *answer.invalid_tool_calls]",
    call_id='calls[$n]["id"]',
    missing_id='calls[$n]["id"] or ""',
)
_STREAM = replace(
    _INVOKE,
    ask="""\
whole = None
for chunk in model.bind_tools($bound).stream(messages):
    whole = chunk if whole is None else whole + chunk
return message_chunk_to_message(whole)""",
)


def _plain(way: Way, binding: str) -> Way:
    """The same of a model that has no tools."""
    return replace(way, ask=way.ask.replace(binding, ""))


def _chat_model(module: str, name: str, options: Any) -> Call:
    call = Call(
        imports=f"""\
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.utils import message_chunk_to_message
from {module} import {name}""",
        client=f"model = {name}($options)",
        options=options,
        fields=_fields(PYTHON),
        blocking=_INVOKE,
        streaming=_STREAM,
        grow=by_turns(_writing(PYTHON)),
    )
    plain = [_plain(way, ".bind_tools($bound)") for way in (_INVOKE, _STREAM)]
    return replace(call, without_tools=replace(call, blocking=plain[0], streaming=plain[1]))


# --- JavaScript ------------------------------------------------------------------------------------------------------


def _openai_js(provider: str, conversation: Conversation) -> Fields:
    options: Fields = {"model": conversation.model, "maxTokens": conversation.max_tokens, "maxRetries": 0}
    if provider == "azure":
        return options | {
            "azureOpenAIEndpoint": base_url(provider),
            "azureOpenAIApiKey": "test-key",
            "azureOpenAIApiDeploymentName": conversation.model,
            "azureOpenAIApiVersion": "2024-10-21",
        }
    options |= {"apiKey": "test-key", "configuration": {"baseURL": base_url(provider)}}
    if provider == "openai-responses":
        options |= {"useResponsesApi": True, "zdrEnabled": True}
        if conversation.reasoning:
            options["reasoning"] = {"effort": "medium", "summary": "auto"}
    return options


def _anthropic_js(provider: str, conversation: Conversation) -> Fields:
    options: Fields = {"model": "claude-sonnet-4-5", "apiKey": "test-key", "anthropicApiUrl": base_url(provider)}
    options |= {"maxRetries": 0, "maxTokens": conversation.max_tokens}
    if conversation.reasoning:
        options["maxTokens"] += BUDGET
        options["thinking"] = {"type": "enabled", "budget_tokens": BUDGET}
    return options


def _google_js(provider: str, conversation: Conversation) -> Fields:
    return {
        "model": "gemini-3-pro-preview",
        "apiKey": "test-key",
        "baseUrl": base_url(provider),
        "maxOutputTokens": conversation.max_tokens,
        "maxRetries": 0,
        **({"thinkingConfig": {"includeThoughts": True}} if conversation.reasoning else {}),
    }


_INVOKE_JS = Way(
    ask="return model.bindTools(tools$rest).invoke(messages);",
    own="messages.push(answer);",
    calls="[...answer.tool_calls, ...answer.invalid_tool_calls]",
    call_id="calls[$n].id",
    missing_id='calls[$n].id ?? ""',
)
_STREAM_JS = replace(
    _INVOKE_JS,
    ask="""\
let whole;
for await (const chunk of await model.bindTools(tools$rest).stream(messages)) {
  whole = whole ? whole.concat(chunk) : chunk;
}
return whole;""",
)


def _chat_model_js(module: str, name: str, options: Any) -> Call:
    call = Call(
        imports=f"""\
import {{ AIMessage, HumanMessage, SystemMessage, ToolMessage }} from "@langchain/core/messages";
import {{ {name} }} from "{module}";""",
        client=f"const model = new {name}($options);",
        options=options,
        fields=_fields(JAVASCRIPT),
        blocking=_INVOKE_JS,
        streaming=_STREAM_JS,
        grow=by_turns(_writing(JAVASCRIPT)),
    )
    plain = [_plain(way, ".bindTools(tools$rest)") for way in (_INVOKE_JS, _STREAM_JS)]
    return replace(call, without_tools=replace(call, blocking=plain[0], streaming=plain[1]))


CALLS: Mapping[str, Call] = {
    "langchain-openai": _chat_model("langchain_openai", "ChatOpenAI", _openai),
    "langchain-openai/azure": _chat_model("langchain_openai", "AzureChatOpenAI", _openai),
    "langchain-anthropic": _chat_model("langchain_anthropic", "ChatAnthropic", _anthropic),
    "langchain-google-genai": _chat_model("langchain_google_genai", "ChatGoogleGenerativeAI", _google),
    "langchain-ollama": _chat_model("langchain_ollama", "ChatOllama", _ollama),
    "langchain-js-openai": _chat_model_js("@langchain/openai", "ChatOpenAI", _openai_js),
    "langchain-js-openai/azure": _chat_model_js("@langchain/openai", "AzureChatOpenAI", _openai_js),
    "langchain-js-anthropic": _chat_model_js("@langchain/anthropic", "ChatAnthropic", _anthropic_js),
    "langchain-js-google-genai": _chat_model_js("@langchain/google-genai", "ChatGoogleGenerativeAI", _google_js),
}
"""By library, or by library and provider where that makes a difference."""
