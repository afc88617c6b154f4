"""llama-index as an agent: ``FunctionAgent.run``, which its documentation shows first, and the loop that it shows for
whoever has no agent: ``chat_with_tools``, ``get_tool_calls_from_response``, ``FunctionTool.call``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata
from pydantic import BaseModel

from conformance.adapters.capture import door
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.llama_index import new_model
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.plain_functions import is_plain, new_function
from conformance.adapters.libraries.shim import AgentShim, WayDoors
from conformance.model import Conversation, result_text

ROUNDS = 20
"""How often the model may ask for tools, in the loop."""


class LlamaIndexAgent(AgentShim):
    """``FunctionAgent``, and the loop without it."""

    name = "llama-index"
    distribution = "llama-index-core"
    homepage = "https://docs.llamaindex.ai"
    issues = "https://github.com/run-llama/llama_index/issues"
    providers = ("openai-chat", "openai-responses", "anthropic")

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
        names = declared_names([tool.tool for tool in tools])
        plain = self.way == "functions"
        made = [_tool(tool, names[tool.tool.name], plain=plain) for tool in tools]
        doors = DOORS[self.way]
        model = new_model(provider, Conversation(()), endpoint)
        return str((doors.streamed if stream else doors.blocking)(model, task, made, system))


def _tool(tool: AgentTool, name: str, *, plain: bool) -> Any:
    def work(arguments: dict[str, Any]) -> str:
        result = tool(arguments)
        if result.is_error:
            raise RuntimeError(result_text(result))  # the library tells the model what was raised
        return result_text(result)

    own = tool.tool
    if plain and is_plain(own):
        return tool_from_defaults(new_function(work, name, own.description, dict(own.parameters or {})))
    schema = dict(function_schema(own))
    return tool_with_schema(work, name=name, description=own.description, parameters=schema)


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def tool_from_defaults(function: Any) -> Any:
    """A tool of a function."""
    return FunctionTool.from_defaults(fn=function)


@door
def tool_with_schema(work: Any, name: str, description: str, parameters: dict[str, Any]) -> Any:
    """A tool whose schema class tells the tool's own schema, as the library asks its schema classes."""

    class Parameters(BaseModel):
        @classmethod
        def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
            return parameters

    def function(**arguments: Any) -> Any:
        return work(arguments)

    metadata = ToolMetadata(name=name, description=description, fn_schema=Parameters)
    return FunctionTool.from_defaults(fn=function, tool_metadata=metadata)


@door
def run_agent(model: Any, task: str, tools: list[Any], system: str | None) -> Any:
    """What the agent says at the end; its calls of the model are not streamed."""
    agent = FunctionAgent(tools=tools, llm=model, system_prompt=system, streaming=False)

    async def run() -> Any:
        return await agent.run(task)

    return str(run_to_end(run()))


@door
def run_agent_streamed(model: Any, task: str, tools: list[Any], system: str | None) -> Any:
    """What the agent says at the end, event by event."""
    agent = FunctionAgent(tools=tools, llm=model, system_prompt=system)

    async def run() -> Any:
        handler = agent.run(task)
        async for _ in handler.stream_events():
            pass
        return await handler

    return str(run_to_end(run()))


def _begun(task: str, system: str | None) -> list[ChatMessage]:
    history = [ChatMessage(role="system", content=system)] if system is not None else []
    return [*history, ChatMessage(role="user", content=task)]


def _answering(call: Any, output: Any) -> ChatMessage:
    """The message with a tool's output, which names the call."""
    return ChatMessage(role="tool", content=str(output), additional_kwargs={"tool_call_id": call.tool_id})


@door
def loop(model: Any, task: str, tools: list[Any], system: str | None) -> Any:
    """What the model says at the end."""
    by_name = {tool.metadata.name: tool for tool in tools}
    history = _begun(task, system)
    for _ in range(ROUNDS):
        response = model.chat_with_tools(tools, chat_history=history)
        history.append(response.message)
        calls = model.get_tool_calls_from_response(response, error_on_no_tool_call=False)
        if not calls:
            return response.message.content or ""
        for call in calls:
            output = by_name[call.tool_name].call(**call.tool_kwargs)
            history.append(_answering(call, output))
    raise RuntimeError(f"the model asked for tools {ROUNDS} times")


@door
def loop_streamed(model: Any, task: str, tools: list[Any], system: str | None) -> Any:
    """The same, streamed."""
    by_name = {tool.metadata.name: tool for tool in tools}
    history = _begun(task, system)
    for _ in range(ROUNDS):
        *_, response = model.stream_chat_with_tools(tools, chat_history=history)
        history.append(response.message)
        calls = model.get_tool_calls_from_response(response, error_on_no_tool_call=False)
        if not calls:
            return response.message.content or ""
        for call in calls:
            output = by_name[call.tool_name].call(**call.tool_kwargs)
            history.append(_answering(call, output))
    raise RuntimeError(f"the model asked for tools {ROUNDS} times")


@door
def loop_async(model: Any, task: str, tools: list[Any], system: str | None) -> Any:
    """The same, on an event loop."""
    by_name = {tool.metadata.name: tool for tool in tools}

    async def run() -> Any:
        history = _begun(task, system)
        for _ in range(ROUNDS):
            response = await model.achat_with_tools(tools, chat_history=history)
            history.append(response.message)
            calls = model.get_tool_calls_from_response(response, error_on_no_tool_call=False)
            if not calls:
                return response.message.content or ""
            for call in calls:
                output = await by_name[call.tool_name].acall(**call.tool_kwargs)
                history.append(_answering(call, output))
        raise RuntimeError(f"the model asked for tools {ROUNDS} times")

    return run_to_end(run())


@door
def loop_streamed_async(model: Any, task: str, tools: list[Any], system: str | None) -> Any:
    """The same, streamed."""
    by_name = {tool.metadata.name: tool for tool in tools}

    async def run() -> Any:
        history = _begun(task, system)
        for _ in range(ROUNDS):
            responses = await model.astream_chat_with_tools(tools, chat_history=history)
            *_, response = [response async for response in responses]
            history.append(response.message)
            calls = model.get_tool_calls_from_response(response, error_on_no_tool_call=False)
            if not calls:
                return response.message.content or ""
            for call in calls:
                output = await by_name[call.tool_name].acall(**call.tool_kwargs)
                history.append(_answering(call, output))
        raise RuntimeError(f"the model asked for tools {ROUNDS} times")

    return run_to_end(run())


@door
def predict_and_call(model: Any, task: str, tools: list[Any], system: str | None) -> str:
    """Nothing that the model says: it calls a tool, and what that gives is the answer."""
    history = [ChatMessage(role="system", content=system)] if system is not None else None
    asked = {"user_msg": task, "chat_history": history, "tool_required": True, "error_on_tool_error": True}
    model.predict_and_call(tools, **asked)
    return ""


@door
def apredict_and_call(model: Any, task: str, tools: list[Any], system: str | None) -> str:
    """The same, on an event loop."""
    history = [ChatMessage(role="system", content=system)] if system is not None else None
    asked = {"user_msg": task, "chat_history": history, "tool_required": True, "error_on_tool_error": True}
    run_to_end(model.apredict_and_call(tools, **asked))
    return ""


DOORS: Mapping[str, WayDoors] = {
    "function-agent": WayDoors(run_agent, run_agent_streamed, on_a_loop=True),
    "functions": WayDoors(run_agent, run_agent_streamed, on_a_loop=True),
    "loop": WayDoors(loop, loop_streamed),
    "async-loop": WayDoors(loop_async, loop_streamed_async, on_a_loop=True),
    "predict-and-call": WayDoors(predict_and_call, loop_streamed),
    "async-predict-and-call": WayDoors(apredict_and_call, loop_streamed_async, on_a_loop=True),
}
"""The doors of each way."""
