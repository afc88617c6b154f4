"""The table of public libraries: how each is called, what it needs, and the ways into it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.adapters.libraries.way import BLOCKING, STREAMING, Way


@dataclass(frozen=True, slots=True)
class Library:
    """One way to call a library.

    ``shim`` is ``module:class``, the module inside this package; for Node it is a module in the folder ``node``.
    ``distribution`` is the library's name in its package index. ``written_for`` is the release on which all failures of
    the shim were read and judged: what its own frame raises on an older one is held against nobody (docs/libraries.md,
    Old releases). A shim without one is judged as written for every release.

    ``extras`` are those of its extras that it needs for the providers of the shim, ``needs`` are further requirements.
    Shims of one distribution share its environments when they ask for the same. ``mends`` are what a release may need
    to run at all: extras that the library documents for something else, and pins of what it uses (`is_pin`). They are
    installed only where a first request fails without them (`conformance.cli.env_trial`), which is a finding.

    ``ways`` are those into it, where there are several. The first is the usual one: what the library's documentation
    shows first, wherever scenarios can be played through it.
    """

    shim: str
    distribution: str
    written_for: str = ""
    extras: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    kind: Literal["python", "node"] = "python"
    mends: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()

    @property
    def pins(self) -> tuple[str, ...]:
        """Those of ``mends`` that hold another package back."""
        return tuple(filter(is_pin, self.mends))


def is_pin(mend: str) -> bool:
    """Whether a mend is a requirement with a version, ``anthropic<1``, and no name of an extra."""
    return re.search(r"[<>=!~]", mend) is not None


_MCP = ("mcp",)  # litellm 1.106.2 and aisuite 0.2.0 use mcp when a call has tools, and bring it only by this extra
_ANY_LLM = ("anthropic", "cohere", "gemini", "mistral", "ollama")
_AISUITE = ("anthropic", "gemini", "mistral", "openai")
_PYDANTIC_AI = ("anthropic", "google", "mistral", "openai")
_LLAMA_INDEX = ("llama-index-llms-openai", "llama-index-llms-anthropic")
_LLAMA_PIN = ("anthropic<1",)  # llama-index-llms-anthropic 0.12.3 breaks with 1.x, and does not forbid it
_LANGCHAIN = ("langchain",)  # its create_agent
_LANGCHAIN_JS = ("@langchain/core", "langchain")  # its createAgent

OPENAI = ("openai-chat",)
CHAT_HOSTS = ("openai-chat", "deepseek", "openrouter")
TRANSLATED = ("openai-chat", "anthropic", "gemini")
EXTERNAL = "pydantic_ai_external:PydanticAIExternal"
RUNNER = "anthropic_runner:ToolRunner"
AGENTS = "agents_loop:AgentsLoop"
PYDANTIC_AGENT = "pydantic_ai_agents:PydanticAIAgent"
ANY_LLM_RESPONSES = "any_llm_responses:AnyLLMResponses"
ANY_LLM_MESSAGES = "any_llm_messages:AnyLLMMessages"
AISUITE_AGENT = "aisuite_agents:AISuiteAgent"
LANGCHAIN_FORM = "langchain_openai:AnsweringInAForm"
AISUITE_TOOLS = "aisuite_tools:AISuiteTools"
LLAMA_AGENT = "llama_index_agents:LlamaIndexAgent"



def _langchain_ways(agent: str) -> tuple[Way, ...]:
    """The ways into a chat model of LangChain, with the class that makes an agent of it."""
    return (
        Way("invoke", "bind_tools; invoke, stream"),
        Way("async", "bind_tools; ainvoke, astream"),
        Way("batch", "bind_tools; batch", BLOCKING),
        Way("async-batch", "bind_tools; abatch", BLOCKING),
        Way("as-completed", "bind_tools; batch_as_completed", BLOCKING),
        Way("async-as-completed", "bind_tools; abatch_as_completed", BLOCKING),
        Way("generate", "generate", BLOCKING),
        Way("async-generate", "agenerate", BLOCKING),
        Way("events", "bind_tools; stream_events", STREAMING),
        Way("async-events", "bind_tools; astream_events", STREAMING),
        Way("event-list", "bind_tools; astream_events(version=\"v2\")", STREAMING),
        Way("structured", "with_structured_output(method=\"function_calling\"); invoke", BLOCKING, forced=True),
        Way("async-structured", "with_structured_output(method=\"function_calling\"); ainvoke", BLOCKING, forced=True),
        Way("agent-answer", "create_agent(response_format=ToolStrategy(…)); invoke", BLOCKING, forced=True),
        Way("create-agent", "create_agent; invoke, stream", shim=f"langchain_agents:{agent}"),
        Way("as-tool", "create_agent with runnables .as_tool(); invoke, stream", shim=f"langchain_agents:{agent}"),
        Way("async-create-agent", "create_agent; ainvoke, astream", shim=f"langchain_agents:{agent}"),
    )


OPENAI_WAYS = (
    Way("create", "chat.completions.create; streams put together by ChatCompletionStreamState"),
    Way("async", "AsyncOpenAI().chat.completions.create", providers=OPENAI),
    Way("parse", "chat.completions.parse, chat.completions.stream", providers=OPENAI, strict=True),
    Way("async-parse", "AsyncOpenAI().chat.completions.parse, .stream", providers=OPENAI, strict=True),
    Way("raw-response", "chat.completions.with_raw_response.create", BLOCKING, providers=OPENAI),
    Way("events", "ChatCompletionStreamState: what its events say is new", STREAMING, providers=OPENAI),
    Way("snapshots", "ChatCompletionStreamState: what its events say is there", STREAMING, providers=OPENAI),
    Way("ends", "ChatCompletionStreamState: its events that end with done", STREAMING, providers=OPENAI),
    Way("parse-events", "chat.completions.stream: its events", STREAMING, providers=OPENAI, strict=True),
    Way("parse-ends", "chat.completions.stream: its done events", STREAMING, providers=OPENAI, strict=True),
    Way(
        "async-parse-events", "AsyncOpenAI().chat.completions.stream: its events", STREAMING, providers=OPENAI,
        strict=True,
    ),
)
OPENAI_RESPONSES_WAYS = (
    Way("create", "responses.create; streams by responses.stream"),
    Way("async", "AsyncOpenAI().responses.create; streams by responses.stream"),
    Way("parse", "responses.parse; streams by responses.stream, get_final_response"),
    Way("async-parse", "AsyncOpenAI().responses.parse; streams by responses.stream, get_final_response"),
    Way("raw-response", "responses.with_raw_response.create", BLOCKING),
    Way("create-stream", "responses.create(stream=True)", STREAMING),
)
ANTHROPIC_WAYS = (
    Way("create", "messages.create; streams by messages.stream"),
    Way("async", "AsyncAnthropic().messages.create; streams by messages.stream"),
    Way("parse", "messages.parse", BLOCKING),
    Way("async-parse", "AsyncAnthropic().messages.parse", BLOCKING),
    Way("raw-response", "messages.with_raw_response.create", BLOCKING),
    Way("beta", "beta.messages.create; streams by beta.messages.stream"),
    Way("async-beta", "AsyncAnthropic().beta.messages.create; streams by beta.messages.stream"),
    Way("beta-parse", "beta.messages.parse", BLOCKING),
    Way("async-beta-parse", "AsyncAnthropic().beta.messages.parse", BLOCKING),
    Way("events", "messages.stream: what its events say is new", STREAMING),
    Way("snapshots", "messages.stream: what its events say is there", STREAMING),
    Way("blocks", "messages.stream: content_block_stop, message_stop", STREAMING),
    Way("async-events", "AsyncAnthropic().messages.stream: what its events say is new", STREAMING),
    Way("text-stream", "messages.stream: text_stream, get_final_message", STREAMING),
    Way("async-text-stream", "AsyncAnthropic().messages.stream: text_stream, get_final_message", STREAMING),
    Way("final-text", "messages.stream: get_final_text, get_final_message", STREAMING),
    Way("async-final-text", "AsyncAnthropic().messages.stream: get_final_text, get_final_message", STREAMING),
    Way("tool-runner", "beta.messages.tool_runner", shim=RUNNER),
    Way("eager-tool-runner", "beta.messages.tool_runner(run_tools_eagerly=True)", STREAMING, RUNNER),
    Way("async-tool-runner", "AsyncAnthropic().beta.messages.tool_runner", shim=RUNNER),
)
GOOGLE_GENAI_WAYS = (
    Way("generate-content", "models.generate_content, models.generate_content_stream"),
    Way("async", "aio.models.generate_content, aio.models.generate_content_stream"),
    Way("chat", "chats.create; send_message, send_message_stream"),
    Way("chat-history", "chats.create; send_message, get_history", BLOCKING),
    Way("async-chat", "aio.chats.create; send_message, send_message_stream"),
)
OLLAMA_WAYS = (
    Way("client", "Client().chat"),
    Way("module", "ollama.chat"),
    Way("async", "AsyncClient().chat"),
    Way("loop", "the loop of its examples, around Client().chat", shim="ollama_loop:OllamaLoop"),
)
COHERE_WAYS = (
    Way("chat", "ClientV2().chat, chat_stream"),
    Way("async", "AsyncClientV2().chat, chat_stream"),
    Way("raw-response", "with_raw_response.chat, chat_stream"),
    Way("async-raw-response", "AsyncClientV2().with_raw_response.chat, chat_stream"),
)
OPENAI_AGENTS_WAYS = (
    Way("model", "Model.get_response, Model.stream_response"),
    Way("events", "Model.stream_response: what its deltas say", STREAMING, providers=CHAT_HOSTS),
    Way("ends", "Model.stream_response: what ends its parts and items", STREAMING, providers=CHAT_HOSTS),
    Way("buffered", "OpenAIProvider(buffer_streamed_tool_calls=True)", STREAMING, providers=OPENAI),
    Way("strict-features", "OpenAIProvider(strict_feature_validation=True)", providers=OPENAI),
    Way("content-parts", "Model.get_response, Model.stream_response, whose input has parts", providers=OPENAI),
    Way("runner", "Runner.run, Runner.run_streamed", shim=AGENTS),
    Way("runner-sync", "Runner.run_sync", BLOCKING, shim=AGENTS),
    Way("function-tool", "function_tool; Runner.run_sync, Runner.run_streamed", shim=AGENTS),
    Way("as-tool", "Agent.as_tool; Runner.run, Runner.run_streamed", shim=AGENTS, meets="asks"),
    Way("handoff", "Agent(handoffs=…); Runner.run, Runner.run_streamed", shim=AGENTS, meets="hands over"),
    Way("mcp-server", "Agent(mcp_servers=…); Runner.run, Runner.run_streamed", shim=AGENTS),
    Way("hooks", "Runner.run, Runner.run_streamed with hooks, guardrails and a RunConfig", shim=AGENTS),
)
LANGCHAIN_OPENAI_WAYS = (
    *_langchain_ways("OpenAIAgent"),
    Way("structured-tools", "with_structured_output(tools=…); invoke", BLOCKING, LANGCHAIN_FORM, strict=True),
)
LITELLM_WAYS = (
    Way("completion", "completion"),
    Way("async", "acompletion", providers=TRANSLATED),
    Way("chunk-builder", "completion; stream_chunk_builder", STREAMING, providers=(*TRANSLATED, "ollama")),
)
LITELLM_RESPONSES_WAYS = (
    Way("responses", "responses"),
    Way("async", "aresponses", providers=TRANSLATED),
)
LITELLM_MESSAGES_WAYS = (
    Way("acreate", "anthropic.messages.acreate"),
    Way("sync", "anthropic.messages.create", providers=("gemini",)),
)
LLAMA_INDEX_WAYS = (
    Way("chat", "chat_with_tools, stream_chat_with_tools"),
    Way("async", "achat_with_tools, astream_chat_with_tools"),
    Way("function-agent", "FunctionAgent.run", shim=LLAMA_AGENT),
    Way("functions", "FunctionTool.from_defaults; FunctionAgent.run", shim=LLAMA_AGENT),
    Way("loop", "the loop of its documentation: chat_with_tools, FunctionTool.call", shim=LLAMA_AGENT),
    Way("async-loop", "the same: achat_with_tools, FunctionTool.acall", shim=LLAMA_AGENT),
    Way("predict-and-call", "predict_and_call", BLOCKING, LLAMA_AGENT, forced=True),
    Way("async-predict-and-call", "apredict_and_call", BLOCKING, LLAMA_AGENT, forced=True),
)
ANY_LLM_WAYS = (
    Way("completion", "completion"),
    Way("async", "acompletion", providers=TRANSLATED),
    Way("client", "AnyLLM.create(…).completion", providers=TRANSLATED),
    Way("async-client", "AnyLLM.create(…).acompletion", providers=TRANSLATED),
    Way("messages", "messages", providers=TRANSLATED, shim=ANY_LLM_MESSAGES),
    Way("async-messages", "amessages", providers=TRANSLATED, shim=ANY_LLM_MESSAGES),
    Way("client-messages", "AnyLLM.create(…).amessages", providers=TRANSLATED, shim=ANY_LLM_MESSAGES),
    Way("responses", "responses", shim=ANY_LLM_RESPONSES),
    Way("async-responses", "aresponses", shim=ANY_LLM_RESPONSES),
    Way("client-responses", "AnyLLM.create(…).responses", shim=ANY_LLM_RESPONSES),
    Way("async-client-responses", "AnyLLM.create(…).aresponses", shim=ANY_LLM_RESPONSES),
)
AISUITE_WAYS = (
    Way("create", "chat.completions.create"),
    Way("async", "chat.completions.acreate", providers=TRANSLATED),
    Way("max-turns", "chat.completions.create(max_turns=…)", BLOCKING, shim=AISUITE_AGENT),
    Way("async-max-turns", "chat.completions.acreate(max_turns=…)", BLOCKING, shim=AISUITE_AGENT),
    Way("runner-sync", "Runner.run_sync", BLOCKING, shim=AISUITE_AGENT),
    Way("runner", "Runner.run", BLOCKING, shim=AISUITE_AGENT),
    Way("policy", "tool(…); Runner.run(tool_policy=…)", BLOCKING, shim=AISUITE_AGENT),
    Way("continue-sync", "Runner.continue_sync", BLOCKING, shim=AISUITE_AGENT),
    Way("continue", "Runner.continue_run", BLOCKING, shim=AISUITE_AGENT),
    Way("ask-agent", "Runner.run_sync with agent_tool", BLOCKING, shim=AISUITE_AGENT, meets="asks"),
    Way("execute-tool", "chat.completions.create; Tools.execute_tool", BLOCKING, shim=AISUITE_TOOLS),
    Way("async-execute-tool", "chat.completions.acreate; Tools.aexecute_tool", BLOCKING, shim=AISUITE_TOOLS),
    Way("execute", "chat.completions.create; Tools.execute", BLOCKING, shim=AISUITE_TOOLS),
)
PYDANTIC_AI_WAYS = (
    Way("direct", "direct.model_request_sync, direct.model_request_stream"),
    Way("async-direct", "direct.model_request; streams by direct.model_request_stream_sync", providers=TRANSLATED),
    Way("external-tools", "Agent.run_sync, Agent.run_stream_sync", providers=TRANSLATED, shim=EXTERNAL),
    Way("async-external-tools", "Agent.run, Agent.run_stream", providers=TRANSLATED, shim=EXTERNAL),
    Way("external-iter", "Agent.iter, Agent.run_stream_events; all_messages", providers=TRANSLATED, shim=EXTERNAL),
    Way("stored-messages", "Agent.iter, Agent.run_stream_sync; all_messages_json", providers=TRANSLATED, shim=EXTERNAL),
    Way("new-messages", "Agent.run_sync, Agent.run_stream_sync; new_messages", providers=TRANSLATED, shim=EXTERNAL),
    Way("async-new-messages", "Agent.iter, run_stream_events; new_messages", providers=TRANSLATED, shim=EXTERNAL),
    Way("conversation", "Agent.run_sync(conversation=…), Agent.run_stream_events", providers=TRANSLATED, shim=EXTERNAL),
    Way("agent-sync", "Agent.run_sync, Agent.run_stream_sync", shim=PYDANTIC_AGENT),
    Way("agent", "Agent.run, Agent.run_stream", shim=PYDANTIC_AGENT),
    Way("agent-iter", "Agent.iter, Agent.run_stream_events", shim=PYDANTIC_AGENT),
    Way("functions", "Agent(tools=[Tool(function)]).run_sync, run_stream_sync", shim=PYDANTIC_AGENT),
    Way("decorators", "@agent.tool_plain, @agent.tool; run_sync, run_stream_sync", shim=PYDANTIC_AGENT),
    Way("delegation", "@agent.tool that runs another agent; run, run_stream", shim=PYDANTIC_AGENT, meets="asks"),
    Way("override", "Agent.override; run_sync, run_stream_sync", shim=PYDANTIC_AGENT),
)
LLM_WAYS = (
    Way("prompt", "model.prompt, conversation.prompt"),
    Way("async", "async_model.prompt, async_conversation.prompt"),
    Way("chain", "model.chain", shim="llm_chain:LlmChain"),
    Way("reply", "response.reply", shim="llm_chain:LlmChain"),
    Way("async-reply", "await async_response.reply", shim="llm_chain:LlmChain"),
    Way("async-chain", "async_model.chain", shim="llm_chain:LlmChain"),
    Way("conversation-chain", "conversation.chain", shim="llm_chain:LlmChain"),
    Way("async-conversation-chain", "async_conversation.chain", shim="llm_chain:LlmChain"),
    Way("tool-calls", "response.execute_tool_call; reply", shim="llm_chain:LlmChain"),
    Way("async-tool-calls", "await async_response.execute_tool_call; reply", shim="llm_chain:LlmChain"),
)
HAYSTACK_ANTHROPIC_WAYS = (
    Way("run", "AnthropicChatGenerator.run"),
    Way("all-words", "AnthropicChatGenerator(ignore_tools_thinking_messages=False).run"),
    Way("async", "AnthropicChatGenerator.run_async"),
)
AI_SDK_WAYS = (
    Way("generate-text", "generateText, streamText"),
    Way("agent-step", "new ToolLoopAgent().generate, stream; tools without execute"),
    Way("watched-step", "generateText, streamText with listeners and settings that change nothing"),
    Way("stop-when", "generateText, streamText with stopWhen and tools that execute"),
    Way("zod", "the same, with schemas by zod"),
    Way("tool-loop-agent", "new ToolLoopAgent().generate, stream; tools that execute"),
    Way("watched-agent", "the same, with listeners, approvals and contexts of tools"),
)
LANGCHAIN_JS_WAYS = (
    Way("invoke", "bindTools; invoke, stream"),
    Way("batch", "bindTools; batch, transform"),
    Way("call-options", "invoke(messages, { tools }), stream(messages, { tools })"),
    Way("with-config", "withConfig({ tools }); invoke, stream"),
    Way("generate", "generate([messages], { tools })", BLOCKING),
    Way("events", "streamEvents(messages, { tools })", STREAMING),
    Way("retry-events", 'bindTools().withRetry().streamEvents with version "v2"', STREAMING),
    Way("retry", "bindTools().withRetry(); invoke, stream"),
    Way("retry-batch", "bindTools().withRetry().withConfig(); batch, transform"),
    Way("fallback", "bindTools().withFallbacks(); invoke, stream"),
    Way("fallback-batch", "bindTools().withFallbacks(); batch, transform"),
    Way("piped", "bindTools().pipe(); invoke, stream"),
    Way("stored", "invoke, stream; toDict and mapStoredMessagesToChatMessages"),
    Way("tool-objects", "bindTools([tool()]); invoke, stream"),
    Way("create-agent", "createAgent; invoke, stream"),
    Way("zod", "createAgent with schemas by zod; invoke, streamEvents"),
    Way("middleware", "createAgent with a middleware; invoke, stream"),
    Way("loop", "the loop of its documentation: invoke, tool.invoke"),
    Way("runnable-tools", "the same: runnables .asTool(), tool.batch"),
)

LIBRARIES: Mapping[str, Library] = {
    "openai": Library("openai_chat:OpenAIChat", "openai", "3.54.0", ways=OPENAI_WAYS),
    "openai-responses": Library("openai_responses:OpenAIResponses", "openai", "3.54.0", ways=OPENAI_RESPONSES_WAYS),
    "anthropic": Library("anthropic:Anthropic", "anthropic", "2.12.0", ways=ANTHROPIC_WAYS),
    "google-genai": Library("google_genai:GoogleGenAI", "google-genai", "3.4.0", ways=GOOGLE_GENAI_WAYS),
    "ollama": Library("ollama:Ollama", "ollama", "0.6.3", ways=OLLAMA_WAYS),
    "cohere": Library("cohere:Cohere", "cohere", "7.3.1", ways=COHERE_WAYS),
    "boto3": Library("boto3:Bedrock", "boto3"),
    "litellm": Library("litellm_completion:LiteLLM", "litellm", "1.106.2", mends=_MCP, ways=LITELLM_WAYS),
    "litellm-responses": Library(
        "litellm_responses:LiteLLMResponses", "litellm", "1.106.2", mends=_MCP, ways=LITELLM_RESPONSES_WAYS
    ),
    "litellm-messages": Library(
        "litellm_messages:LiteLLMMessages", "litellm", "1.106.2", mends=("proxy",), ways=LITELLM_MESSAGES_WAYS
    ),
    "any-llm": Library("any_llm:AnyLLM", "any-llm-sdk", "1.40.2", extras=_ANY_LLM, ways=ANY_LLM_WAYS),
    "aisuite": Library("aisuite:AISuite", "aisuite", "0.2.0", extras=_AISUITE, mends=_MCP, ways=AISUITE_WAYS),
    "pydantic-ai": Library(
        "pydantic_ai:PydanticAI", "pydantic-ai-slim", "2.68.0", extras=_PYDANTIC_AI, ways=PYDANTIC_AI_WAYS
    ),
    "openai-agents": Library(
        "openai_agents:OpenAIAgents", "openai-agents", "0.24.0", extras=("litellm",), ways=OPENAI_AGENTS_WAYS
    ),
    "langchain-openai": Library(
        "langchain_openai:LangChainOpenAI", "langchain-openai", "1.7.3", needs=_LANGCHAIN, ways=LANGCHAIN_OPENAI_WAYS
    ),
    "langchain-anthropic": Library(
        "langchain_anthropic:LangChainAnthropic", "langchain-anthropic", "1.7.7", needs=_LANGCHAIN,
        ways=_langchain_ways("AnthropicAgent"),
    ),
    "langchain-google-genai": Library(
        "langchain_google_genai:LangChainGoogleGenAI", "langchain-google-genai", "4.4.2", needs=_LANGCHAIN,
        ways=_langchain_ways("GoogleGenAIAgent"),
    ),
    "langchain-ollama": Library(
        "langchain_ollama:LangChainOllama", "langchain-ollama", "1.1.0", needs=_LANGCHAIN,
        ways=_langchain_ways("OllamaAgent"),
    ),
    "llama-index": Library(
        "llama_index:LlamaIndex", "llama-index-core", "0.14.25", needs=_LLAMA_INDEX, mends=_LLAMA_PIN,
        ways=LLAMA_INDEX_WAYS,
    ),
    "llm": Library("llm:Llm", "llm", "0.36", ways=LLM_WAYS),
    "haystack-anthropic": Library(
        "haystack:HaystackAnthropic", "anthropic-haystack", "8.0.1", ways=HAYSTACK_ANTHROPIC_WAYS
    ),
    "ai-sdk-openai": Library("ai_openai", "@ai-sdk/openai", "4.0.118", needs=("ai",), kind="node", ways=AI_SDK_WAYS),
    "ai-sdk-anthropic": Library(
        "ai_anthropic", "@ai-sdk/anthropic", "4.0.105", needs=("ai",), kind="node", ways=AI_SDK_WAYS
    ),
    "ai-sdk-google": Library("ai_google", "@ai-sdk/google", "4.0.121", needs=("ai",), kind="node", ways=AI_SDK_WAYS),
    "langchain-js-openai": Library(
        "langchain_openai", "@langchain/openai", "1.6.0", needs=_LANGCHAIN_JS, kind="node", ways=LANGCHAIN_JS_WAYS
    ),
    "langchain-js-anthropic": Library(
        "langchain_anthropic", "@langchain/anthropic", "1.5.11", needs=_LANGCHAIN_JS, kind="node",
        ways=LANGCHAIN_JS_WAYS,
    ),
    "langchain-js-google-genai": Library(
        "langchain_google_genai", "@langchain/google-genai", "2.3.2", needs=_LANGCHAIN_JS, kind="node",
        ways=LANGCHAIN_JS_WAYS,
    ),
}
"""The shims by name."""
