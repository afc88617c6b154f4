"""Vercel's AI SDK, in JavaScript: a provider package, and ``generateText`` or ``streamText`` for one step."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.adapters.libraries.application import Utterance, function_schema, replayable
from conformance.adapters.libraries.calls.contract import Call, Fields, Source, Way, made
from conformance.adapters.libraries.calls.neutral import (
    Scene,
    by_turns,
    chosen,
    declarations,
    history,
    pictured,
    strictness,
)
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    JsonPart,
    Part,
    Tool,
    ToolResult,
    UserTurn,
    part_text,
    result_text,
)

BUDGET = 1024
"""The tokens that Claude may think."""
EXACT = 2**53
"""Where JavaScript's numbers begin to leave integers out."""


# --- what is said ----------------------------------------------------------------------------------------------------


def _write(item: Utterance, scene: Scene) -> Iterator[Any]:
    match item:
        case UserTurn(text):
            yield {"role": "user", "content": text}
        case AssistantTurn(text=text, calls=calls):
            parts: list[Json] = [{"type": "text", "text": text}] if text else []
            for call in calls:
                named = {"toolCallId": call.id, "toolName": scene.name(call.name)}
                parts.append({"type": "tool-call", **named, "input": dict(replayable(call))})
            yield {"role": "assistant", "content": parts}
        case results:
            yield {"role": "tool", "content": [_result(result, scene) for result in results]}


def _result(result: ToolResult, scene: Scene) -> Json:
    named = {"toolCallId": scene.reference(result.call_id), "toolName": scene.name(result.name)}
    return {"type": "tool-result", **named, "output": _output(result, scene)}


def _output(result: ToolResult, scene: Scene) -> Json:
    if result.is_error:
        return {"type": "error-text", "value": result_text(result)}
    pictures = pictured(result, scene)
    if pictures is not None:
        return {"type": "content", "value": list(map(_part, pictures))}
    match result.content:
        case (JsonPart(value),) if _exact(value):
            return {"type": "json", "value": value}
    return {"type": "text", "value": result_text(result)}


def _part(part: Part) -> Json:
    if isinstance(part, ImagePart):
        data = {"type": "data", "data": base64.b64encode(part.data).decode()}
        return {"type": "file", "data": data, "mediaType": part.media_type}
    return {"type": "text", "text": part_text(part)}


def _exact(value: Json) -> bool:
    """Whether JavaScript writes a value as Python does: `1.0` and great integers it cannot."""
    if isinstance(value, dict | list):
        return all(map(_exact, value.values() if isinstance(value, dict) else value))
    if isinstance(value, float):
        return not value.is_integer()
    return not isinstance(value, int) or -EXACT < value < EXACT


# --- what is asked ---------------------------------------------------------------------------------------------------

OptionsOf = Callable[[str, Conversation], Fields]


def _fields(own: OptionsOf, builtin: Callable[[], tuple[str, Any]]) -> Callable[[str, Conversation, bool], Fields]:
    """The arguments of ``generateText``, with a provider's ``own`` options and its search."""

    def fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
        asked: Fields = {"model": Source("model")}
        if conversation.system is not None:
            asked["system"] = conversation.system
        asked["messages"] = history(_write, provider, conversation)
        if conversation.tools:
            asked["tools"] = dict(
                builtin() if tool.builtin is not None else (name, _tool(tool))
                for name, tool in declarations(conversation)
            )
            asked |= _choice(conversation)
        asked |= {"maxOutputTokens": conversation.max_tokens, "maxRetries": 0}
        options = own(provider, conversation)
        return asked | ({"providerOptions": options} if options else {})

    return fields


def _tool(tool: Tool) -> Any:
    schema = made("jsonSchema", function_schema(tool))
    return made("tool", description=tool.description, inputSchema=schema, **strictness(tool))


def _choice(conversation: Conversation) -> Fields:
    word = chosen(conversation)
    if word is None:
        return {}
    return {"toolChoice": {"type": "tool", "toolName": word} if conversation.choice.mode == "tool" else word}


def _openai_options(provider: str, conversation: Conversation) -> Fields:
    """The whole history goes with each call: without ``store: false`` it refers to what OpenAI has stored."""
    parallel = conversation.choice.parallel
    options: Fields = {} if parallel is None else {"parallelToolCalls": parallel}
    if provider == "openai-responses":
        options = {"store": False, **options}
        if conversation.reasoning:
            options |= {"forceReasoning": True, "reasoningEffort": "medium", "reasoningSummary": "auto"}
    return {"openai": options} if options else {}


def _anthropic_options(provider: str, conversation: Conversation) -> Fields:
    parallel = conversation.choice.parallel
    options: Fields = {} if parallel is None else {"disableParallelToolUse": not parallel}
    if conversation.reasoning:
        options["thinking"] = {"type": "enabled", "budgetTokens": BUDGET}
    return {"anthropic": options} if options else {}


def _google_options(provider: str, conversation: Conversation) -> Fields:
    return {"google": {"thinkingConfig": {"includeThoughts": True}}} if conversation.reasoning else {}


# --- calls -----------------------------------------------------------------------------------------------------------

_GENERATE = Way(
    ask="""\
const { text, toolCalls, finishReason, usage, response } = await generateText($arguments);
return { text, toolCalls, finishReason, usage, messages: response.messages };""",
    own="messages.push(...answer.messages);",
    calls="""\
answer.messages
  .flatMap((message) => message.content)
  .filter((part) => part.type === "tool-call" && !part.providerExecuted)""",
    call_id="calls[$n].toolCallId",
    set_id="call.toolCallId = $id",
)
_STREAM = replace(
    _GENERATE,
    ask="""\
const result = streamText($arguments);
const parts = [];
for await (const part of result.fullStream) parts.push(part);
console.log("\\nparts of the stream:", parts);
const [text, toolCalls, finishReason, usage, response] = await Promise.all([
  result.text, result.toolCalls, result.finishReason, result.usage, result.response,
]);
return { text, toolCalls, finishReason, usage, messages: response.messages };""",
)


def _package(maker: str, module: str, model: str, base: str, own: OptionsOf, search: tuple[str, str]) -> Call:
    name, declaration = search
    fields = _fields(own, lambda: (name, made(f"provider.tools.{declaration}", {})))
    return Call(
        imports=f'import {{ {maker} }} from "{module}";\n'
        'import { generateText, jsonSchema, streamText, tool } from "ai";',
        client=f'const provider = {maker}({{ baseURL: {base}, apiKey: "test-key" }});\nconst model = {model};',
        fields=fields,
        blocking=_GENERATE,
        streaming=_STREAM,
        grow=by_turns(_write),
    )


def _openai(model: str) -> Call:
    own, search = _openai_options, ("web_search", "webSearch")
    return _package("createOpenAI", "@ai-sdk/openai", model, "$url", own, search)


CALLS: Mapping[str, Call] = {
    "ai-sdk-openai": _openai('provider.chat("$model")'),
    "ai-sdk-openai/openai-responses": _openai('provider.responses("$model")'),
    "ai-sdk-anthropic": _package(
        "createAnthropic", "@ai-sdk/anthropic", 'provider("claude-sonnet-4-5")', '$url + "/v1"',
        _anthropic_options, ("web_search", "webSearch_20250305"),
    ),
    "ai-sdk-google": _package(
        "createGoogleGenerativeAI", "@ai-sdk/google", 'provider("gemini-3-pro-preview")', '$url + "/v1beta"',
        _google_options, ("google_search", "googleSearch"),
    ),
}  # fmt: skip
"""By library, or by library and provider where that makes a difference."""
