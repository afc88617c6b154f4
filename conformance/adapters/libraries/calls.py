"""How each library is called, as text: what a program needs that has the library and nothing of this package.

`CALLS` is the table. Its texts are `string.Template`s of Python source, written as the library's own documentation
writes them. Nothing here imports a library, so programs can be made where none is installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.libraries.call_fields import (
    AGENTS,
    Fields,
    agents_fields,
    chat_fields,
    google_fields,
    haystack_fields,
    langchain_fields,
    llama_index_fields,
    llm_fields,
    ollama_fields,
    openai_fields,
    pydantic_fields,
    wire_fields,
)
from conformance.model import Conversation


@dataclass(frozen=True, slots=True)
class Call:
    """How a library makes a model call.

    ``fields`` gives the call's arguments as data. ``client``, ``blocking`` and ``streaming`` are templates, the last
    two of the body of a function that returns the answer. In them ``$url`` is the base URL, ``$arguments`` its
    arguments, ``$bound`` a call of ``bind_tools`` where there are tools, ``$model`` the model's name, ``$name`` the
    library's name of the provider, ``$thinking`` is ``thinking`` where the model is asked to think. ``own`` and
    ``own_streamed`` put the answer into the history, empty where the program cannot go on; ``calls`` finds
    the calls then, ``call_id`` one call's id.
    """

    imports: str
    client: str
    fields: Callable[[str, Conversation, bool], Fields]
    blocking: str
    streaming: str
    history: str = "messages"
    own: str = ""
    own_streamed: str = ""
    calls: str = ""
    call_id: str = ""
    result: str = ""
    """A template for a result where it is an object of the library: ``$text``, ``$id``, ``$status``."""
    thinking: str | None = None
    """What asks for thinking beside ``fields``; ``None`` where nothing here does."""
    whole_history: bool = True
    """Whether ``fields`` can say what happened with another provider, and name tools that the provider runs."""


_CHAT = Call(
    imports="import openai",
    client='client = openai.OpenAI(api_key="test-key", base_url=$url, max_retries=0)',
    fields=openai_fields,
    blocking="return client.chat.completions.create($arguments)",
    streaming="""\
from openai.lib.streaming.chat import ChatCompletionStreamState

state = ChatCompletionStreamState()
for chunk in client.chat.completions.create($arguments, stream=True, stream_options={"include_usage": True}):
    state.handle_chunk(chunk)
return state.current_completion_snapshot""",
    own="messages.append(answer.choices[0].message)",
    own_streamed="messages.append(answer.choices[0].message)",
    calls="messages[-1].tool_calls or []",
    call_id="calls[$n].id",
    thinking="",
)
_RESPONSES = replace(
    _CHAT,
    fields=wire_fields,
    history="input",
    blocking="return client.responses.create($arguments)",
    streaming="""\
with client.responses.stream($arguments) as events:
    last = [event for event in events][-1]
return getattr(last, "response", last)""",
    own="items += answer.output",
    own_streamed="items += answer.output",
    calls='[item for item in answer.output if item.type == "function_call"]',
    call_id="calls[$n].call_id",
)
_ANTHROPIC = Call(
    imports="import anthropic",
    client='client = anthropic.Anthropic(api_key="test-key", base_url=$url, max_retries=0)',
    fields=wire_fields,
    blocking="return client.messages.create($arguments)",
    streaming="with client.messages.stream($arguments) as events:\n    return events.get_final_message()",
    own='messages.append({"role": "assistant", "content": answer.content})',
    own_streamed='messages.append({"role": "assistant", "content": answer.content})',
    calls='[block for block in answer.content if block.type == "tool_use"]',
    call_id="calls[$n].id",
    thinking="",
)
_GOOGLE = Call(
    imports="from google import genai\nfrom google.genai import types",
    client="""\
config = types.GenerateContentConfig(**config)
client = genai.Client(api_key="test-key", vertexai=False, http_options=types.HttpOptions(base_url=$url))""",
    fields=google_fields,
    blocking="return client.models.generate_content($arguments)",
    streaming="return list(client.models.generate_content_stream($arguments))",
    history="contents",
    own="contents.append(answer.candidates[0].content)",
    own_streamed="""\
heard = [chunk.candidates[0].content for chunk in answer if chunk.candidates and chunk.candidates[0].content]
parts = [part for content in heard for part in content.parts or []]
contents.append(types.Content(role="model", parts=parts))""",
    calls="[part.function_call for part in contents[-1].parts or [] if part.function_call]",
    call_id="calls[$n].id",
    thinking="",
)
_OLLAMA = Call(
    imports="import ollama",
    client="client = ollama.Client(host=$url)",
    fields=ollama_fields,
    blocking="return client.chat($arguments)",
    streaming="return list(client.chat($arguments, stream=True))",
    own="messages.append(answer.message)",
    own_streamed="""\
text = "".join(part.message.content or "" for part in answer)
calls = [call for part in answer for call in part.message.tool_calls or []]
messages.append(ollama.Message(role="assistant", content=text, tool_calls=calls or None))""",
    calls="messages[-1].tool_calls or []",
    thinking="",
)
_LITELLM = Call(
    imports="import litellm",
    client="BASE = $url",
    fields=chat_fields("litellm"),
    blocking='return litellm.completion($arguments, api_base=BASE, api_key="test-key", max_retries=0)',
    streaming="""\
options = {"stream": True, "stream_options": {"include_usage": True}}
chunks = litellm.completion($arguments, **options, api_base=BASE, api_key="test-key", max_retries=0)
return litellm.stream_chunk_builder(list(chunks))""",
    own="messages.append(answer.choices[0].message)",
    own_streamed="messages.append(answer.choices[0].message)",
    calls="messages[-1].tool_calls or []",
    call_id="calls[$n].id",
    thinking="",
)
_ANY_LLM = Call(
    imports="from any_llm import AnyLLM",
    client='client = AnyLLM.create("$name", api_key="test-key", api_base=$url)',
    fields=chat_fields("any-llm"),
    blocking="return client.completion($arguments)",
    streaming="return list(client.completion($arguments, stream=True))",
    own="messages.append(answer.choices[0].message.model_dump(exclude_none=True))",
    calls="answer.choices[0].message.tool_calls or []",
    call_id="calls[$n].id",
    thinking="",
)
_AISUITE = Call(
    imports="import aisuite",
    client='client = aisuite.Client({"$name": {"api_key": "test-key", "base_url": $url}})',
    fields=chat_fields("aisuite"),
    blocking="return client.chat.completions.create($arguments)",
    streaming="return list(client.chat.completions.create($arguments, stream=True))",
    own="messages.append(answer.choices[0].message)",
    calls="messages[-1].tool_calls or []",
    call_id="calls[$n].id",
)
_LANGCHAIN = Call(
    imports="from langchain_core.messages import ToolMessage\nfrom langchain_openai import ChatOpenAI",
    client="""\
model = ChatOpenAI(model="$model", api_key="test-key", base_url=$url, max_tokens=1024, max_retries=0$thinking)$bound""",
    fields=langchain_fields,
    blocking="return model.invoke(messages)",
    streaming="""\
from langchain_core.messages.utils import message_chunk_to_message

whole = None
for chunk in model.stream(messages):
    whole = chunk if whole is None else whole + chunk
return message_chunk_to_message(whole)""",
    own="messages.append(answer)",
    own_streamed="messages.append(answer)",
    calls="[*answer.tool_calls, *answer.invalid_tool_calls]",
    call_id='calls[$n]["id"]',
    result="ToolMessage($text, tool_call_id=$id, status=$status)",
)
_THINKING = ', reasoning={"effort": "medium", "summary": "auto"}, store=False, include=["reasoning.encrypted_content"]'
_PYDANTIC_AI = Call(
    imports="""\
import asyncio

from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition""",
    client="""\
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

model = OpenAIChatModel("$model", provider=OpenAIProvider(base_url=$url, api_key="test-key"))""",
    fields=pydantic_fields,
    blocking="return asyncio.run(model_request(model, $arguments))",
    streaming="""\
async def stream():
    async with model_request_stream(model, $arguments) as events:
        async for _ in events:
            pass
        return events.get()

return asyncio.run(stream())""",
    whole_history=False,
)
_AGENTS = Call(
    imports="""\
import asyncio

from agents import FunctionTool, ModelSettings
from agents.models.interface import ModelTracing
from openai import AsyncOpenAI""",
    client="""\
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel

model = OpenAIChatCompletionsModel("$model", AsyncOpenAI(base_url=$url, api_key="test-key", max_retries=0))""",
    fields=agents_fields,
    blocking=f"return asyncio.run(model.get_response($arguments, {AGENTS}))",
    streaming=f"""\
async def stream():
    return [event async for event in model.stream_response($arguments, {AGENTS})]

return asyncio.run(stream())""",
    history="input",
    whole_history=False,
)
_LLAMA_INDEX = Call(
    imports="""\
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata
from pydantic import BaseModel


def tool(name, description, parameters):
    schema = {"model_json_schema": classmethod(lambda cls, *args, **options: parameters)}
    made = ToolMetadata(name=name, description=description, fn_schema=type("Parameters", (BaseModel,), schema))
    return FunctionTool(fn=lambda **arguments: None, metadata=made)""",
    client="""\
from llama_index.llms.openai import OpenAI

model = OpenAI(model="gpt-4.1", api_key="test-key", api_base=$url, max_tokens=1024, max_retries=0)""",
    fields=llama_index_fields,
    blocking="return model.chat_with_tools($arguments)",
    streaming="return list(model.stream_chat_with_tools($arguments))",
    history="chat_history",
    whole_history=False,
)
_LLM = Call(
    imports="from llm import Tool\nfrom llm.default_plugins import openai_models",
    client="""\
model = openai_models.Chat("$model", key="test-key", model_name="$model", api_base=$url, supports_tools=True)""",
    fields=llm_fields,
    blocking="response = model.conversation().prompt($arguments, stream=False)\n"
    "return response.text(), response.tool_calls()",
    streaming="response = model.conversation().prompt($arguments, stream=True)\n"
    "return response.text(), response.tool_calls()",
    history="",
    whole_history=False,
)
_HAYSTACK = Call(
    imports="""\
import os

from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator""",
    client="""\
os.environ["ANTHROPIC_BASE_URL"] = $url
generator = AnthropicChatGenerator(api_key=Secret.from_token("test-key"), model="$model")""",
    fields=haystack_fields,
    blocking="return generator.run($arguments)",
    streaming="return generator.run($arguments, streaming_callback=lambda chunk: None)",
    whole_history=False,
)

CALLS: Mapping[str, Call] = {
    "openai": _CHAT,
    "openai/azure": replace(
        _CHAT,
        client='client = openai.AzureOpenAI(\n    api_key="test-key", azure_endpoint=$url, '
        'api_version="2024-10-21", max_retries=0\n)',
    ),
    "openai/mistral": replace(  # its calls have no type, without which the SDK's accumulator asserts
        _CHAT, streaming="return list(client.chat.completions.create($arguments, stream=True))", own_streamed=""
    ),
    "openai-responses": _RESPONSES,
    "anthropic": _ANTHROPIC,
    "google-genai": _GOOGLE,
    "ollama": _OLLAMA,
    "litellm": _LITELLM,
    "litellm/azure": replace(_LITELLM, client='BASE = $url\nlitellm.api_version = "2024-10-21"'),
    "litellm/gemini": replace(_LITELLM, client='BASE = $url + "/v1beta"'),
    "any-llm": _ANY_LLM,
    "any-llm/gemini": replace(
        _ANY_LLM,
        imports="from any_llm import AnyLLM\nfrom google.genai import types",
        client='client = AnyLLM.create("$name", api_key="test-key", http_options=types.HttpOptions(base_url=$url))',
    ),
    "aisuite": _AISUITE,
    "aisuite/gemini": replace(
        _AISUITE,
        imports="import aisuite\nfrom google.genai import types",
        client='options = types.HttpOptions(base_url=$url)\n'
        'client = aisuite.Client({"$name": {"api_key": "test-key", "http_options": options}})',
    ),
    "aisuite/mistral": replace(
        _AISUITE, client='client = aisuite.Client({"$name": {"api_key": "test-key", "server_url": URL}})'
    ),
    "langchain-openai": replace(_LANGCHAIN, thinking=_THINKING),
    "langchain-openai/openai-responses": replace(
        _LANGCHAIN,
        client=_LANGCHAIN.client.replace("max_retries=0", "max_retries=0, use_responses_api=True"),
        thinking=_THINKING,
    ),
    "langchain-openai/azure": replace(
        _LANGCHAIN,
        imports=_LANGCHAIN.imports.replace("ChatOpenAI", "AzureChatOpenAI"),
        client='model = AzureChatOpenAI(\n    azure_deployment="$model", api_key="test-key", azure_endpoint=$url, '
        'api_version="2024-10-21", max_tokens=1024, max_retries=0\n)$bound',
    ),
    "langchain-anthropic": replace(
        _LANGCHAIN,
        imports=_LANGCHAIN.imports.replace(
            "langchain_openai import ChatOpenAI", "langchain_anthropic import ChatAnthropic"
        ),
        client=_LANGCHAIN.client.replace("ChatOpenAI", "ChatAnthropic").replace("1024", "2048"),
        thinking=', thinking={"type": "enabled", "budget_tokens": 1024}',
    ),
    "langchain-google-genai": replace(
        _LANGCHAIN,
        imports=_LANGCHAIN.imports.replace(
            "langchain_openai import ChatOpenAI", "langchain_google_genai import ChatGoogleGenerativeAI"
        ),
        client='model = ChatGoogleGenerativeAI(\n    model="gemini-3-pro-preview", google_api_key="test-key", '
        "base_url=$url, max_output_tokens=1024, max_retries=1$thinking\n)$bound",
        thinking=", include_thoughts=True",
    ),
    "langchain-ollama": replace(
        _LANGCHAIN,
        imports=_LANGCHAIN.imports.replace("langchain_openai import ChatOpenAI", "langchain_ollama import ChatOllama"),
        client='model = ChatOllama(model="$model", base_url=$url, num_predict=1024$thinking)$bound',
        thinking=", reasoning=True",
    ),
    "pydantic-ai": _PYDANTIC_AI,
    "pydantic-ai/openai-responses": replace(
        _PYDANTIC_AI, client=_PYDANTIC_AI.client.replace("OpenAIChatModel", "OpenAIResponsesModel")
    ),
    "pydantic-ai/azure": replace(
        _PYDANTIC_AI,
        client=_PYDANTIC_AI.client.replace("providers.openai", "providers.azure")
        .replace("OpenAIProvider", "AzureProvider")
        .replace("base_url=$url", 'azure_endpoint=$url, api_version="2024-10-21"'),
    ),
    "pydantic-ai/deepseek": replace(
        _PYDANTIC_AI,
        client="""\
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.deepseek import DeepSeekProvider

client = AsyncOpenAI(base_url=$url, api_key="test-key", max_retries=0)
model = OpenAIChatModel("$model", provider=DeepSeekProvider(openai_client=client))""",
    ),
    "pydantic-ai/anthropic": replace(
        _PYDANTIC_AI,
        client="""\
from anthropic import AsyncAnthropic
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

client = AsyncAnthropic(base_url=$url, api_key="test-key", max_retries=0)
model = AnthropicModel("$model", provider=AnthropicProvider(anthropic_client=client))""",
    ),
    "pydantic-ai/gemini": replace(
        _PYDANTIC_AI,
        client="""\
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider

model = GoogleModel("$model", provider=GoogleProvider(base_url=$url, api_key="test-key"))""",
    ),
    "pydantic-ai/mistral": replace(
        _PYDANTIC_AI,
        client="""\
from pydantic_ai.models.mistral import MistralModel
from pydantic_ai.providers.mistral import MistralProvider

model = MistralModel("$model", provider=MistralProvider(base_url=URL, api_key="test-key"))""",
    ),
    "openai-agents": _AGENTS,
    "openai-agents/openai-responses": replace(
        _AGENTS,
        client="from agents.models.openai_responses import OpenAIResponsesModel\n\n"
        'model = OpenAIResponsesModel("$model", AsyncOpenAI(base_url=$url, api_key="test-key", max_retries=0))',
    ),
    "openai-agents/anthropic": replace(
        _AGENTS,
        client="from agents.extensions.models.litellm_model import LitellmModel\n\n"
        'model = LitellmModel("anthropic/claude-sonnet-4-20250514", base_url=$url, api_key="test-key")',
    ),
    "llama-index": _LLAMA_INDEX,
    "llama-index/openai-responses": replace(
        _LLAMA_INDEX,
        client=_LLAMA_INDEX.client.replace("OpenAI", "OpenAIResponses").replace("max_tokens", "max_output_tokens"),
    ),
    "llama-index/anthropic": replace(
        _LLAMA_INDEX,
        client="""\
from llama_index.llms.anthropic import Anthropic

model = Anthropic(
    model="claude-sonnet-4-20250514", api_key="test-key", base_url=$url, max_tokens=1024, max_retries=0
)""",
    ),
    "llm": _LLM,
    "llm/openai-responses": replace(_LLM, client=_LLM.client.replace("openai_models.Chat", "openai_models.Responses")),
    "haystack-anthropic": _HAYSTACK,
}
"""By library, or by library and provider where that makes a difference."""

_EXTRAS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("openai-chat", "openai-responses", "azure", "deepseek"), frozenset({"openai"})),
    "anthropic": frozenset({"anthropic", "litellm"}),
    "gemini": frozenset({"gemini", "google"}),
    "mistral": frozenset({"mistral"}),
    "ollama": frozenset({"ollama"}),
}
"""The extras that libraries have for one provider."""


def call_of_library(name: str, provider: str) -> Call | None:
    """How a library is called on a provider; ``None`` for one that nothing is known of."""
    return CALLS.get(f"{name}/{provider}") or CALLS.get(name)


def requirement(name: str, version: str, provider: str) -> str:
    """What pip must install for a library, without the extras that it has for other providers."""
    library = LIBRARIES[name]
    foreign = frozenset[str]().union(*_EXTRAS.values()) - _EXTRAS.get(provider, frozenset())
    extras = ",".join(extra for extra in library.extras if extra not in foreign)
    needs = "".join(f" '{need}'" if re.search(r"[<>]", need) else f" {need}" for need in library.needs)
    return f"{library.distribution}{f'[{extras}]' if extras else ''}=={version}{needs}"
