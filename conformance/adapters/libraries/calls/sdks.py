"""The providers' own SDKs in Python. Each takes its provider's own format, so arguments are what the wire sends."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.adapters.libraries.calls.contract import Call, Fields, Way, made
from conformance.adapters.libraries.calls.neutral import by_difference, wire_fields
from conformance.model import Conversation, Json

# --- openai ----------------------------------------------------------------------------------------------------------


def openai_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """As `wire_fields`. What only a compatible provider knows goes into ``extra_body``; Azure's model is in its URL."""
    fields = {"model": conversation.model, **wire_fields(provider, conversation, stream)}
    if "thinking" in fields:
        fields["extra_body"] = {"thinking": fields.pop("thinking")}
    return fields


_WAY = Way(
    ask="return client.chat.completions.create($arguments)",
    own="messages.append(answer.choices[0].message)",
    calls="messages[-1].tool_calls or []",
    call_id="calls[$n].id",
    set_id="call.id = $id",
)
_CHAT = Call(
    imports="import openai\nfrom openai.lib.streaming.chat import ChatCompletionStreamState",
    client='client = openai.OpenAI(api_key="test-key", base_url=$url, max_retries=0)',
    fields=openai_fields,
    blocking=_WAY,
    streaming=replace(
        _WAY,
        ask="""\
state = ChatCompletionStreamState()
for chunk in client.chat.completions.create($arguments):
    state.handle_chunk(chunk)
return state.current_completion_snapshot""",
        also={"stream": True, "stream_options": {"include_usage": True}},
    ),
    grow=by_difference,
)
_AZURE = replace(
    _CHAT,
    client="""\
client = openai.AzureOpenAI(
    api_key="test-key",
    azure_endpoint=$url,
    api_version="2024-10-21",
    max_retries=0,
)""",
)
_MISTRAL = replace(  # its calls have no type, without which the SDK's accumulator asserts
    _CHAT,
    imports="import openai\nfrom openai.types.chat import ChatCompletionMessage",
    streaming=replace(
        _WAY,
        ask="""\
text, tool_calls, finish = "", [], None
for chunk in client.chat.completions.create($arguments):
    for choice in chunk.choices:
        text += choice.delta.content or ""
        tool_calls += [call.to_dict() for call in choice.delta.tool_calls or []]
        finish = choice.finish_reason or finish
message = ChatCompletionMessage.construct(role="assistant", content=text, tool_calls=tool_calls or None)
return message, finish""",
        also={"stream": True},
        own="messages.append(answer[0])",
    ),
)
_ITEMS = Way(
    ask="return client.responses.create($arguments)",
    own="output = answer.output\nitems += output",
    calls='[item for item in output if item.type == "function_call"]',
    call_id="calls[$n].call_id",
    set_id="call.call_id = $id",
)
_RESPONSES = Call(
    imports="import openai",
    client=_CHAT.client,
    fields=wire_fields,
    history="input",
    blocking=_ITEMS,
    streaming=replace(
        _ITEMS,
        ask="with client.responses.stream($arguments) as events:\n    return list(events)",
        own="""\
output = [event.item for event in answer if event.type == "response.output_item.done"]
items += output""",
    ),
    grow=by_difference,
)

# --- anthropic -------------------------------------------------------------------------------------------------------

_BLOCKS = Way(
    ask="return client.messages.create($arguments)",
    own='messages.append({"role": "assistant", "content": answer.content})',
    calls='[block for block in answer.content if block.type == "tool_use"]',
    call_id="calls[$n].id",
    set_id="call.id = $id",
)
_ANTHROPIC = Call(
    imports="import anthropic",
    client='client = anthropic.Anthropic(api_key="test-key", base_url=$url, max_retries=0)',
    fields=wire_fields,
    blocking=_BLOCKS,
    streaming=replace(
        _BLOCKS, ask="with client.messages.stream($arguments) as events:\n    return events.get_final_message()"
    ),
    grow=by_difference,
)

# --- google-genai ----------------------------------------------------------------------------------------------------

_GOOGLE_NAMES = {"systemInstruction": "system_instruction", "tools": "tools", "toolConfig": "tool_config"}
_AS_THEY_ARE = ("parametersJsonSchema", "parameters", "args", "response")


def google_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """As `wire_fields`, with the SDK's names. Signatures are left out: the SDK's own content carries them."""
    fields = wire_fields(provider, conversation, stream)
    config = {name: _snake(fields[key]) for key, name in _GOOGLE_NAMES.items() if key in fields}
    config |= _snake(fields["generationConfig"])
    config["automatic_function_calling"] = made("types.AutomaticFunctionCallingConfig", disable=True)
    if conversation.reasoning:
        config["thinking_config"] = made("types.ThinkingConfig", include_thoughts=True)
    return {
        "model": conversation.model,
        "contents": _snake(fields["contents"]),
        "config": made("types.GenerateContentConfig", **config),
    }


def _snake(value: Json) -> Any:
    """JSON with the names of the SDK's types."""
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


_CONTENTS = Way(
    ask="return client.models.generate_content($arguments)",
    own="contents.append(answer.candidates[0].content)",
    calls="[part.function_call for part in contents[-1].parts or [] if part.function_call]",
    call_id="calls[$n].id",
)
_GOOGLE = Call(
    imports="from google import genai\nfrom google.genai import types",
    client="""\
options = types.HttpOptions(base_url=$url)
client = genai.Client(api_key="test-key", vertexai=False, http_options=options)""",
    fields=google_fields,
    history="contents",
    blocking=_CONTENTS,
    streaming=replace(
        _CONTENTS,
        ask="return list(client.models.generate_content_stream($arguments))",
        own="""\
heard = [candidate.content for chunk in answer for candidate in chunk.candidates or []]
parts = [part for content in heard if content for part in content.parts or []]
contents.append(types.Content(role="model", parts=parts))""",
    ),
    grow=by_difference,
)

# --- ollama ----------------------------------------------------------------------------------------------------------


def ollama_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """As `wire_fields`, without ids: the SDK's types have no place for them."""
    fields = wire_fields(provider, conversation, stream)
    for message in fields["messages"]:
        message.pop("tool_call_id", None)
        for call in message.get("tool_calls", ()):
            call.pop("id", None)
    return fields


_MESSAGE = Way(ask="return client.chat($arguments)", own="messages.append(answer.message)")
_OLLAMA = Call(
    imports="import ollama",
    client="client = ollama.Client(host=$url)",
    fields=ollama_fields,
    blocking=_MESSAGE,
    streaming=Way(
        ask="return list(client.chat($arguments))",
        also={"stream": True},
        own="""\
text = "".join(part.message.content or "" for part in answer)
thinking = "".join(part.message.thinking or "" for part in answer) or None
tool_calls = [call for part in answer for call in part.message.tool_calls or []] or None
messages.append(ollama.Message(role="assistant", content=text, thinking=thinking, tool_calls=tool_calls))""",
    ),
    grow=by_difference,
)

# --- cohere ----------------------------------------------------------------------------------------------------------

_COHERE = Call(
    imports="import cohere",
    client='client = cohere.ClientV2("test-key", base_url=$url)',
    fields=wire_fields,
    blocking=Way(
        ask="return client.chat($arguments)",
        own="messages.append(answer.message)",
        calls="messages[-1].tool_calls or []",
        call_id="calls[$n].id",
        set_id="call.id = $id",
    ),
    streaming=Way(
        ask="return list(client.chat_stream($arguments))",
        own="""\
plan = "".join(event.delta.message.tool_plan for event in answer if event.type == "tool-plan-delta")
pieces = [event.delta.message.content.text or "" for event in answer if event.type == "content-delta"]
tool_calls = [event.delta.message.tool_calls for event in answer if event.type == "tool-call-start"]
for event in answer:
    if event.type == "tool-call-delta":
        tool_calls[event.index].function.arguments += event.delta.message.tool_calls.function.arguments
said = {"tool_plan": plan, "tool_calls": tool_calls} if tool_calls else {"content": "".join(pieces)}
messages.append({"role": "assistant", **said})""",
        calls="tool_calls",
        call_id="calls[$n].id",
        set_id="call.id = $id",
    ),
    grow=by_difference,
)

CALLS: Mapping[str, Call] = {
    "openai": _CHAT,
    "openai/azure": _AZURE,
    "openai/mistral": _MISTRAL,
    "openai-responses": _RESPONSES,
    "anthropic": _ANTHROPIC,
    "google-genai": _GOOGLE,
    "ollama": _OLLAMA,
    "cohere": _COHERE,
}
"""By library, or by library and provider where that makes a difference."""
