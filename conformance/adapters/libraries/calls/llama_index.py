"""llama-index, by ``chat_with_tools`` of its models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.adapters.libraries.application import Utterance, function_schema, replayable
from conformance.adapters.libraries.calls.contract import Call, Fields, Way, made
from conformance.adapters.libraries.calls.neutral import (
    Scene,
    base_url,
    builtins,
    by_turns,
    chosen,
    error_text,
    functions,
    history,
    pictured,
)
from conformance.model import AssistantTurn, Conversation, ImagePart, Part, ToolResult, UserTurn, part_text


def _write(item: Utterance, scene: Scene) -> Iterator[Any]:
    match item:
        case UserTurn(text):
            yield made("ChatMessage", role="user", content=text)
        case AssistantTurn(text=text, calls=calls):
            blocks = [made("TextBlock", text=text)] if text else []
            for call in calls:
                named = {"tool_call_id": call.id, "tool_name": scene.name(call.name)}
                blocks.append(made("ToolCallBlock", **named, tool_kwargs=dict(replayable(call))))
            yield made("ChatMessage", role="assistant", blocks=blocks)
        case results:
            for result in results:
                answered = {"tool_call_id": scene.reference(result.call_id)}
                yield made("ChatMessage", role="tool", **_content(result, scene), additional_kwargs=answered)


def _content(result: ToolResult, scene: Scene) -> Fields:
    pictures = pictured(result, scene)
    return {"content": error_text(result)} if pictures is None else {"blocks": list(map(_block, pictures))}


def _block(part: Part) -> Any:
    if isinstance(part, ImagePart):
        return made("ImageBlock", image=part.data, image_mimetype=part.media_type)
    return made("TextBlock", text=part_text(part))


def _chatting(provider: str, conversation: Conversation) -> list[Any]:
    system = [made("ChatMessage", role="system", content=conversation.system)] if conversation.system else []
    return [*system, *history(_write, provider, conversation)]


def _llama_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    fields: Fields = {
        "tools": [
            made("tool", name=name, description=tool.description, parameters=function_schema(tool))
            for name, tool in functions(conversation)
        ],
        "chat_history": _chatting(provider, conversation),
        "allow_parallel_tool_calls": conversation.choice.parallel is not False,
    }
    if provider != "anthropic" and any(tool.strict is not None for tool in conversation.tools):
        fields["strict"] = any(tool.strict for tool in conversation.tools)
    return fields | _llama_choice(provider, conversation)


def _llama_choice(provider: str, conversation: Conversation) -> Fields:
    word = chosen(conversation)
    if word is None or (provider == "anthropic" and conversation.reasoning):
        return {}  # Claude cannot be made to call a tool while thinking
    if conversation.choice.mode == "required":
        return {"tool_required": True}
    if provider == "anthropic":
        return {
            "tool_choice": {"type": "tool", "name": word} if conversation.choice.mode == "tool" else {"type": "none"}
        }
    return {"tool_choice": word}


def _llama_plain(provider: str, conversation: Conversation, stream: bool) -> Fields:
    return {"messages": _chatting(provider, conversation)}


def _gpt(provider: str, conversation: Conversation) -> Fields:
    model = "gpt-5" if conversation.reasoning else "gpt-4.1"
    options: Fields = {"model": model, "api_key": "test-key", "api_base": base_url(provider), "max_retries": 0}
    if provider == "openai-chat":
        return options | {"max_tokens": conversation.max_tokens}
    options["max_output_tokens"] = conversation.max_tokens
    if kinds := builtins(conversation):
        options["built_in_tools"] = [{"type": kind} for kind in kinds]
    if conversation.reasoning:
        options["reasoning_options"] = {"effort": "medium", "summary": "auto"}
        options["store"] = True  # only then the library sends reasoning back
    return options


def _claude(provider: str, conversation: Conversation) -> Fields:
    options: Fields = {"model": "claude-sonnet-4-20250514", "api_key": "test-key", "base_url": base_url(provider)}
    options |= {"max_retries": 0, "max_tokens": conversation.max_tokens}
    if conversation.reasoning:
        options |= {"thinking_dict": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}
    if kinds := builtins(conversation):
        options["tools"] = [{"type": f"{kind}_20250305", "name": kind} for kind in kinds]
    return options


_MESSAGE = Way(
    ask="return model.chat_with_tools($arguments)",
    own="chat_history.append(answer.message)",
    calls="model.get_tool_calls_from_response(answer, error_on_no_tool_call=False)",
    call_id="calls[$n].tool_id",
    missing_id='calls[$n].tool_id or ""',
    helpers='''\
def tool(name, description, parameters):
    """A tool whose schema class tells the tool's own schema."""
    schema = {"model_json_schema": classmethod(lambda cls, *args, **options: parameters)}
    metadata = ToolMetadata(name=name, description=description, fn_schema=type("Parameters", (BaseModel,), schema))
    return FunctionTool(fn=lambda **arguments: None, metadata=metadata)''',
)


def _llama_index(module: str, name: str) -> Call:
    call = Call(
        imports=f"""\
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock, ToolCallBlock
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.llms.{module} import {name}
from pydantic import BaseModel""",
        client=f"model = {name}($options)",
        options=_claude if module == "anthropic" else _gpt,
        fields=_llama_fields,
        history="chat_history",
        blocking=_MESSAGE,
        streaming=replace(
            _MESSAGE,
            ask="return list(model.stream_chat_with_tools($arguments))",
            own="chat_history.append(answer[-1].message)",
            calls="model.get_tool_calls_from_response(answer[-1], error_on_no_tool_call=False)",
        ),
        grow=by_turns(_write),
    )
    plain = replace(
        call,
        fields=_llama_plain,
        history="messages",
        blocking=Way(ask="return model.chat($arguments)", own="messages.append(answer.message)"),
        streaming=Way(ask="return list(model.stream_chat($arguments))", own="messages.append(answer[-1].message)"),
    )
    return replace(call, without_tools=plain)


CALLS: Mapping[str, Call] = {
    "llama-index": _llama_index("openai", "OpenAI"),
    "llama-index/openai-responses": _llama_index("openai", "OpenAIResponses"),
    "llama-index/anthropic": _llama_index("anthropic", "Anthropic"),
}
"""By provider where that makes a difference."""
