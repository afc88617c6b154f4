"""The ways into a library: the methods by which its users may ask for the same thing, as a table.

The first way of a shim is the usual one: what the library's documentation shows first, wherever scenarios can be played
through it. It plays everything, and is called by the shim's name alone. Each other way plays a selection
(`conformance.engine.covering`) and has an address of its own: ``openai:parse``, ``env:openai@3.57.0:parse``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Mode = Literal["blocking", "streaming"]
BOTH: tuple[Mode, ...] = ("blocking", "streaming")
BLOCKING: tuple[Mode, ...] = ("blocking",)
STREAMING: tuple[Mode, ...] = ("streaming",)
OPENAI = ("openai-chat",)
TRANSLATED = ("openai-chat", "anthropic", "gemini")


@dataclass(frozen=True, slots=True)
class Way:
    """A way into a library. ``calls`` are the methods, as its documentation writes them.

    ``shim`` is ``module:class`` where another class than the shim's own goes this way: an agent, which has the
    library's own loop over tools. ``providers`` are those that it is played on, where the library does the same work on
    others; none: all. ``strict``: it takes strict tools only.
    """

    name: str
    calls: str
    modes: tuple[Mode, ...] = BOTH
    shim: str = ""
    providers: tuple[str, ...] = ()
    strict: bool = False


EXTERNAL = "pydantic_ai_external:PydanticAIExternal"
RUNNER = "anthropic_runner:ToolRunner"
LANGCHAIN = (
    Way("invoke", "bind_tools; invoke, stream"),
    Way("async", "bind_tools; ainvoke, astream"),
    Way("batch", "bind_tools; batch", BLOCKING),
    Way("generate", "generate", BLOCKING),
    Way("async-generate", "agenerate", BLOCKING),
)
"""The ways of LangChain's chat models."""

WAYS: Mapping[str, tuple[Way, ...]] = {
    "openai": (
        Way("create", "chat.completions.create; streams put together by ChatCompletionStreamState"),
        Way("async", "AsyncOpenAI().chat.completions.create", providers=OPENAI),
        Way("parse", "chat.completions.parse, chat.completions.stream", providers=OPENAI, strict=True),
        Way("async-parse", "AsyncOpenAI().chat.completions.parse, .stream", providers=OPENAI, strict=True),
        Way("raw-response", "chat.completions.with_raw_response.create", BLOCKING, providers=OPENAI),
    ),
    "openai-responses": (
        Way("create", "responses.create; streams by responses.stream"),
        Way("async", "AsyncOpenAI().responses.create; streams by responses.stream"),
        Way("parse", "responses.parse; streams by responses.stream, get_final_response"),
        Way("async-parse", "AsyncOpenAI().responses.parse; streams by responses.stream, get_final_response"),
        Way("raw-response", "responses.with_raw_response.create", BLOCKING),
        Way("create-stream", "responses.create(stream=True)", STREAMING),
    ),
    "anthropic": (
        Way("create", "messages.create; streams by messages.stream"),
        Way("async", "AsyncAnthropic().messages.create; streams by messages.stream"),
        Way("parse", "messages.parse", BLOCKING),
        Way("async-parse", "AsyncAnthropic().messages.parse", BLOCKING),
        Way("raw-response", "messages.with_raw_response.create", BLOCKING),
        Way("beta", "beta.messages.create; streams by beta.messages.stream"),
        Way("async-beta", "AsyncAnthropic().beta.messages.create; streams by beta.messages.stream"),
        Way("beta-parse", "beta.messages.parse", BLOCKING),
        Way("async-beta-parse", "AsyncAnthropic().beta.messages.parse", BLOCKING),
        Way("tool-runner", "beta.messages.tool_runner", shim=RUNNER),
        Way("eager-tool-runner", "beta.messages.tool_runner(run_tools_eagerly=True)", STREAMING, RUNNER),
        Way("async-tool-runner", "AsyncAnthropic().beta.messages.tool_runner", shim=RUNNER),
    ),
    "google-genai": (
        Way("generate-content", "models.generate_content, models.generate_content_stream"),
        Way("async", "aio.models.generate_content, aio.models.generate_content_stream"),
        Way("chat", "chats.create; send_message, send_message_stream"),
        Way("async-chat", "aio.chats.create; send_message, send_message_stream"),
    ),
    "ollama": (
        Way("client", "Client().chat"),
        Way("module", "ollama.chat"),
        Way("async", "AsyncClient().chat"),
        Way("loop", "the loop of its examples, around Client().chat", shim="ollama_loop:OllamaLoop"),
    ),
    "cohere": (
        Way("chat", "ClientV2().chat, chat_stream"),
        Way("async", "AsyncClientV2().chat, chat_stream"),
        Way("raw-response", "with_raw_response.chat, chat_stream"),
        Way("async-raw-response", "AsyncClientV2().with_raw_response.chat, chat_stream"),
    ),
    "openai-agents": (
        Way("model", "Model.get_response, Model.stream_response"),
        Way("runner", "Runner.run, Runner.run_streamed", shim="agents_loop:AgentsLoop"),
        Way("runner-sync", "Runner.run_sync", BLOCKING, shim="agents_loop:AgentsLoop"),
    ),
    "litellm": (
        Way("completion", "completion"),
        Way("async", "acompletion", providers=TRANSLATED),
    ),
    "litellm-responses": (
        Way("responses", "responses"),
        Way("async", "aresponses", providers=TRANSLATED),
    ),
    "llama-index": (
        Way("chat", "chat_with_tools, stream_chat_with_tools"),
        Way("async", "achat_with_tools, astream_chat_with_tools"),
    ),
    "any-llm": (
        Way("completion", "completion"),
        Way("async", "acompletion", providers=TRANSLATED),
        Way("client", "AnyLLM.create(…).completion", providers=TRANSLATED),
        Way("async-client", "AnyLLM.create(…).acompletion", providers=TRANSLATED),
    ),
    "pydantic-ai": (
        Way("direct", "direct.model_request_sync, direct.model_request_stream"),
        Way("async-direct", "direct.model_request; streams by direct.model_request_stream_sync", providers=TRANSLATED),
        Way("external-tools", "Agent.run_sync, Agent.run_stream_sync", providers=TRANSLATED, shim=EXTERNAL),
        Way("async-external-tools", "Agent.run, Agent.run_stream", providers=TRANSLATED, shim=EXTERNAL),
        Way("agent-sync", "Agent.run_sync, Agent.run_stream_sync", shim="pydantic_ai_agents:PydanticAIAgent"),
        Way("agent", "Agent.run, Agent.run_stream", shim="pydantic_ai_agents:PydanticAIAgent"),
        Way("agent-iter", "Agent.iter, Agent.run_stream_events", shim="pydantic_ai_agents:PydanticAIAgent"),
    ),
    "langchain-openai": LANGCHAIN,
    "langchain-anthropic": LANGCHAIN,
    "langchain-google-genai": LANGCHAIN,
    "langchain-ollama": LANGCHAIN,
    "llm": (
        Way("prompt", "model.prompt, conversation.prompt"),
        Way("async", "async_model.prompt, async_conversation.prompt"),
        Way("chain", "model.chain", shim="llm_chain:LlmChain"),
        Way("reply", "response.reply", shim="llm_chain:LlmChain"),
        Way("async-reply", "await async_response.reply", shim="llm_chain:LlmChain"),
        Way("async-chain", "async_model.chain", shim="llm_chain:LlmChain"),
    ),
    "haystack-anthropic": (
        Way("run", "AnthropicChatGenerator.run"),
        Way("async", "AnthropicChatGenerator.run_async"),
    ),
}
"""The ways of each shim that has several, by the shim's name."""

_ADDRESS = re.compile(r"((?:env:)?([a-z0-9-]+)(?:@[^:@]+)?):([a-z-]+)")


def split_way(address: str) -> tuple[str, str]:
    """An address without its way, and the way: ``""`` for the usual one, and where an address has none."""
    found = _ADDRESS.fullmatch(address)
    if found is None or found[2] not in WAYS:
        return address, ""
    usual = WAYS[found[2]][0].name
    return found[1], "" if found[3] == usual else found[3]


def with_way(address: str, way: str) -> str:
    """The address of a way; the address itself for the usual one (``""``)."""
    return f"{address}:{way}" if way else address


def ways_of(address: str) -> tuple[Way, ...]:
    """The ways of the library at an address, the usual one first; none where there is but one."""
    name = split_way(address)[0].removeprefix("env:").partition("@")[0]
    return WAYS.get(name, ())


def way_at(address: str) -> Way | None:
    """The way that an address leads to, unless it is the usual one. Raises `KeyError` where there is no such way."""
    base, name = split_way(address)
    if not name:
        return None
    known = {way.name: way for way in ways_of(base)}
    return known[name]
