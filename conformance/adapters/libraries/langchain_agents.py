"""LangChain as an agent: ``create_agent`` is what its documentation shows first, with tools that are functions.

A tool that fails raises ``ToolException``, which ``handle_tool_error`` tells the model.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import StructuredTool, ToolException, tool
from pydantic import Field, create_model

from conformance.adapters.capture import door
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.plain_functions import is_plain, new_function
from conformance.adapters.libraries.shim import AgentShim, WayDoors
from conformance.model import Conversation, result_text


class LangChainAgent(AgentShim):
    """``create_agent`` around a chat model. A subclass says whose."""

    homepage = "https://docs.langchain.com/oss/python/langchain/agents"
    issues = "https://github.com/langchain-ai/langchain/issues"
    chat: str
    """The shim that makes the chat model, as ``module:class``."""

    def run(
        self,
        provider: str,
        task: str,
        tools: Sequence[AgentTool],
        *,
        endpoint: Endpoint,
        system: str | None,
        stream: bool,
    ) -> str:
        """Do the task."""
        module, _, name = self.chat.partition(":")
        shim = getattr(importlib.import_module(f"conformance.adapters.libraries.{module}"), name)()
        names = declared_names([tool.tool for tool in tools])
        agent = new_agent(
            model=shim.model(provider, Conversation(()), endpoint),
            tools=[_tool(tool, names[tool.tool.name], runnable=self.way == "as-tool") for tool in tools],
            **({"system_prompt": system} if system is not None else {}),
        )
        doors = DOORS[self.way]
        return str((doors.streamed if stream else doors.blocking)(agent, task).text)


class OpenAIAgent(LangChainAgent):
    """Around `ChatOpenAI`."""

    name = distribution = "langchain-openai"
    chat = "langchain_openai:LangChainOpenAI"
    providers = ("openai-chat", "openai-responses")


class AnthropicAgent(LangChainAgent):
    """Around `ChatAnthropic`."""

    name = distribution = "langchain-anthropic"
    chat = "langchain_anthropic:LangChainAnthropic"
    providers = ("anthropic",)


class GoogleGenAIAgent(LangChainAgent):
    """Around `ChatGoogleGenerativeAI`."""

    name = distribution = "langchain-google-genai"
    chat = "langchain_google_genai:LangChainGoogleGenAI"
    providers = ("gemini",)


class OllamaAgent(LangChainAgent):
    """Around `ChatOllama`."""

    name = distribution = "langchain-ollama"
    chat = "langchain_ollama:LangChainOllama"
    providers = ("ollama",)


def _tool(own: AgentTool, name: str, *, runnable: bool) -> Any:
    def work(arguments: dict[str, Any]) -> str:
        result = own(arguments)
        if result.is_error:
            raise ToolException(result_text(result))
        return result_text(result)

    said = own.tool
    if runnable and is_plain(said):
        return tool_of_runnable(work, dict(said.parameters or {}), name=name, description=said.description)
    if is_plain(said):
        return decorated(new_function(work, name, said.description, dict(said.parameters or {})))
    return new_tool(work, name=name, description=said.description, args_schema=dict(function_schema(said)))


# --- doors -----------------------------------------------------------------------------------------------------------

new_agent = door(create_agent)


@door
def decorated(function: Any) -> Any:
    """A function under the decorator."""
    made = tool(function)
    made.handle_tool_error = True
    return made


@door
def tool_of_runnable(work: Any, parameters: dict[str, Any], **declared: Any) -> Any:
    """A tool of a runnable, with a model of what it takes."""
    types: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}

    def annotation(schema: dict[str, Any]) -> Any:
        return list[annotation(schema["items"])] if schema["type"] == "array" else types[schema["type"]]  # type: ignore[misc]

    required = parameters.get("required", ())
    fields: dict[str, Any] = {
        one: (annotation(schema), Field(... if one in required else None, description=schema.get("description")))
        for one, schema in parameters.get("properties", {}).items()
    }

    def given(arguments: dict[str, Any]) -> Any:
        return work({one: value for one, value in arguments.items() if value is not None})

    made = RunnableLambda(given).as_tool(args_schema=create_model(declared["name"], **fields), **declared)
    made.handle_tool_error = True
    return made


@door
def new_tool(work: Any, **declared: Any) -> Any:
    """A tool with a schema."""

    def function(**arguments: Any) -> Any:
        return work(arguments)

    return StructuredTool.from_function(function, **declared, handle_tool_error=True)


@door
def invoke(agent: Any, task: str) -> Any:
    """The last message."""
    return agent.invoke({"messages": [{"role": "user", "content": task}]})["messages"][-1]


@door
def ainvoke(agent: Any, task: str) -> Any:
    """The last message, on an event loop."""
    return run_to_end(agent.ainvoke({"messages": [{"role": "user", "content": task}]}))["messages"][-1]


@door
def streamed(agent: Any, task: str) -> Any:
    """The last message, streamed token by token."""
    last: Any = None
    asked = {"messages": [{"role": "user", "content": task}]}
    for mode, piece in agent.stream(asked, stream_mode=["messages", "values"]):
        last = piece if mode == "values" else last
    return last["messages"][-1]


@door
def astreamed(agent: Any, task: str) -> Any:
    """The same, on an event loop."""

    async def stream() -> Any:
        last: Any = None
        asked = {"messages": [{"role": "user", "content": task}]}
        async for mode, piece in agent.astream(asked, stream_mode=["messages", "values"]):
            last = piece if mode == "values" else last
        return last["messages"][-1]

    return run_to_end(stream())


DOORS: Mapping[str, WayDoors] = {
    "create-agent": WayDoors(invoke, streamed),
    "as-tool": WayDoors(invoke, streamed),
    "async-create-agent": WayDoors(ainvoke, astreamed, on_a_loop=True),
}
"""The doors of each way."""
