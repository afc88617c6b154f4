"""Libraries in Python that speak one provider's format to all of them: litellm, any-llm and aisuite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from conformance.adapters.libraries.calls.contract import LOOP, Call, Fields, Source, Way
from conformance.adapters.libraries.calls.neutral import base_url, by_difference, wire_fields
from conformance.adapters.libraries.chat_format import NO_FORCING, messages, result_writer, thinks, tool_arguments
from conformance.adapters.libraries.litellm_models import MODELS
from conformance.model import Conversation, ToolChoice

VERSION = "2024-10-21"
"""Of Azure's interface."""


def chat_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """The arguments of a library that speaks OpenAI's format."""
    return {
        "model": conversation.model,
        "messages": list(messages(conversation, lambda own, calls: own, result_writer(provider, conversation))),
        "max_tokens": conversation.max_tokens,
        **tool_arguments(provider, conversation),
    }


# --- litellm ---------------------------------------------------------------------------------------------------------


def _where(provider: str) -> Fields:
    """The model and its place, as litellm names them."""
    base = Source('BASE_URL + "/v1beta"') if provider == "gemini" else base_url(provider)
    version = {"api_version": VERSION} if provider == "azure" else {}
    return {"model": MODELS[provider], "api_base": base, "api_key": "test-key", "max_retries": 0, **version}


def _litellm_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    fields = chat_fields(provider, conversation, stream) | _where(provider)
    return fields | ({"reasoning_effort": "medium"} if thinks(provider, conversation) else {})


def _in_format(speaker: str) -> Callable[[str, Conversation, bool], Fields]:
    """The arguments of a function of litellm that takes what a request to one provider says."""

    def fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
        asked = wire_fields(speaker, _possible(provider, conversation), stream) | _where(provider)
        asked["model"] = asked["model"].replace("/responses/", "/")
        return asked

    return fields


_WAY = Way(
    ask="return litellm.completion($arguments)",
    own="messages.append(answer.choices[0].message)",
    calls="messages[-1].tool_calls or []",
    call_id="calls[$n].id",
    set_id="call.id = $id",
)


def _possible(provider: str, conversation: Conversation) -> Conversation:
    """What can be asked of the provider's models. The portable profile wants words for images, but not on Gemini."""
    thinking = thinks(provider, conversation)
    free = thinking and provider in NO_FORCING and conversation.choice.mode in ("required", "tool")
    return replace(
        conversation,
        choice=ToolChoice(parallel=conversation.choice.parallel) if free else conversation.choice,
        reasoning=thinking,
        profile="native" if provider == "gemini" else conversation.profile,
    )


_LITELLM = Call(
    imports="import litellm",
    client="",
    fields=_litellm_fields,
    blocking=_WAY,
    streaming=replace(
        _WAY,
        ask="""\
chunks = litellm.completion($arguments)
return litellm.stream_chunk_builder(list(chunks))""",
        also={"stream": True, "stream_options": {"include_usage": True}},
    ),
    grow=by_difference,
)
_ITEMS = Way(
    ask="return litellm.responses($arguments)",
    own="output = [item.model_dump(exclude_none=True) for item in answer.output]\nitems += output",
    calls='[item for item in output if item["type"] == "function_call"]',
    call_id='calls[$n]["call_id"]',
    set_id='call["call_id"] = $id',
)
_RESPONSES = Call(
    imports="import litellm",
    client="",
    fields=_in_format("openai-responses"),
    history="input",
    blocking=_ITEMS,
    streaming=replace(
        _ITEMS,
        ask="return list(litellm.responses($arguments))",
        also={"stream": True},
        own="""\
done = [event.item for event in answer if event.type == "response.output_item.done"]
output = [item.model_dump(exclude_none=True) for item in done]
items += output""",
    ),
    grow=by_difference,
)
_CONTENT_OF = '''\
def content_of(chunks):
    """The content that Anthropic's events amount to."""
    blocks, inputs = [], {}
    for line in b"".join(chunks).decode().splitlines():
        event = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
        if event.get("type") == "content_block_start":
            blocks.append(event["content_block"])
        for name, piece in event.get("delta", {}).items():
            if name == "partial_json":
                inputs[len(blocks) - 1] = inputs.get(len(blocks) - 1, "") + piece
            elif name in ("text", "thinking", "signature"):
                blocks[-1][name] = blocks[-1].get(name, "") + piece
    for place, text in inputs.items():
        blocks[place]["input"] = json.loads(text or "{}")
    return blocks'''
_BLOCKS = Way(
    ask="return loop.run_until_complete(litellm.anthropic.messages.acreate($arguments))",
    own='content = answer["content"]\nmessages.append({"role": "assistant", "content": content})',
    calls='[block for block in content if block["type"] == "tool_use"]',
    call_id='calls[$n]["id"]',
    set_id='call["id"] = $id',
    helpers=LOOP,
)
_MESSAGES = Call(
    imports="import asyncio\nimport litellm",
    client="",
    fields=_in_format("anthropic"),
    blocking=_BLOCKS,
    streaming=replace(
        _BLOCKS,
        ask="""\
async def stream():
    chunks = await litellm.anthropic.messages.acreate($arguments)
    return [chunk async for chunk in chunks]

return loop.run_until_complete(stream())""",
        also={"stream": True},
        own='content = content_of(answer)\nmessages.append({"role": "assistant", "content": content})',
        helpers=f"{_CONTENT_OF}\n\n\n{LOOP}",
    ),
    grow=by_difference,
)

# --- any-llm and aisuite ---------------------------------------------------------------------------------------------

_MESSAGE_OF = '''\
def message_of(chunks):
    """The message that the chunks of a stream amount to."""
    text, calls = "", {}
    for delta in (choice.delta for chunk in chunks for choice in chunk.choices):
        text += delta.content or ""
        for piece in delta.tool_calls or []:
            call = calls.setdefault(piece.index, {"id": None, "type": "function", "function": {}})
            call["id"] = call["id"] or piece.id
            call["function"].setdefault("name", piece.function.name)
            call["function"]["arguments"] = call["function"].get("arguments", "") + (piece.function.arguments or "")
            if getattr(piece, "extra_content", None):
                call["extra_content"] = piece.extra_content
    message = {"role": "assistant", "content": text}
    return {**message, "tool_calls": list(calls.values())} if calls else message'''


_DOCUMENTS = Way(
    ask="return list(client.chat.completions.create($arguments))",
    also={"stream": True},
    own="messages.append(message_of(answer))",
    calls='messages[-1].get("tool_calls") or []',
    call_id='calls[$n]["id"]',
    set_id='call["id"] = $id',
    helpers=_MESSAGE_OF,
)


def _any_llm_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    gemini = provider == "gemini"  # which cannot do without thinking, and goes by its model's name
    effort = "medium" if thinks(provider, conversation) else "auto" if gemini else "none"
    model = {"model": "gemini-3.1-pro-preview"} if gemini else {}
    return {**chat_fields(provider, conversation, stream), **model, "reasoning_effort": effort}


def _aisuite_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    fields = chat_fields(provider, conversation, stream)
    extra = {"extra_body": {"thinking": {"type": "disabled"}}} if provider == "deepseek" else {}
    return {**fields, "model": f"{NAMES.get(provider, provider)}:{conversation.model}", **extra}


NAMES = {"openai-chat": "openai"}
"""The providers that any-llm and aisuite call otherwise."""

_ANY_LLM = Call(
    imports="from any_llm import AnyLLM\nfrom any_llm.utils.streaming import accumulate_chunks",
    client='client = AnyLLM.create("$name", api_key="test-key", api_base=$url)',
    fields=_any_llm_fields,
    blocking=replace(_WAY, ask="return client.completion($arguments)"),
    streaming=replace(
        _DOCUMENTS,
        ask="return list(client.completion($arguments))",
        also={"stream": True},
        own="messages.append(accumulate_chunks(answer).choices[0].message.model_dump(exclude_none=True))",
        helpers="",
    ),
    grow=by_difference,
)
_ONCE = replace(  # for SDKs that try again unless they are told not to
    _ANY_LLM, client='client = AnyLLM.create("$name", api_key="test-key", api_base=$url, max_retries=0)'
)
_AISUITE = Call(
    imports="import aisuite",
    client='client = aisuite.Client({"$name": {"api_key": "test-key", "base_url": $url, "max_retries": 0}})',
    fields=_aisuite_fields,
    blocking=replace(_WAY, ask="return client.chat.completions.create($arguments)"),
    streaming=_DOCUMENTS,
    grow=by_difference,
)
_GENAI_TYPES = "\nfrom google.genai import types"

CALLS: Mapping[str, Call] = {
    "litellm": _LITELLM,
    "litellm-responses": _RESPONSES,
    "litellm-messages": _MESSAGES,
    "any-llm": _ANY_LLM,
    **dict.fromkeys(("any-llm/openai-chat", "any-llm/anthropic", "any-llm/deepseek"), _ONCE),
    "any-llm/gemini": replace(
        _ANY_LLM,
        imports=_ANY_LLM.imports + _GENAI_TYPES,
        client='client = AnyLLM.create("$name", api_key="test-key", http_options=types.HttpOptions(base_url=$url))',
    ),
    "any-llm/mistral": replace(_ANY_LLM, client=_ANY_LLM.client.replace("$url", "BASE_URL")),  # its SDK adds the path
    "aisuite": _AISUITE,
    "aisuite/deepseek": replace(
        _AISUITE,
        imports=f"{_AISUITE.imports}\nfrom aisuite.providers.deepseek_provider import DeepseekProvider",
        client="""\
client = aisuite.Client()
client.providers["deepseek"] = DeepseekProvider(api_key="test-key", max_retries=0)
client.providers["deepseek"].client.base_url = $url  # the library has a fixed one""",
    ),
    "aisuite/gemini": replace(
        _AISUITE,
        imports=_AISUITE.imports + _GENAI_TYPES,
        client="""\
options = types.HttpOptions(base_url=$url)
client = aisuite.Client({"$name": {"api_key": "test-key", "http_options": options}})""",
    ),
    "aisuite/mistral": replace(
        _AISUITE, client='client = aisuite.Client({"$name": {"api_key": "test-key", "server_url": BASE_URL}})'
    ),
}
"""By library, or by library and provider where that makes a difference."""
