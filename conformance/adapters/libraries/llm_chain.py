"""llm as an agent: ``model.chain`` has the tool loop, and ``response.reply`` is a step of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import llm

from conformance.adapters.capture import door
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.llm import new_async_model, new_model
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.shim import AgentShim, WayDoors
from conformance.model import Conversation, result_text


class LlmChain(AgentShim):
    """``model.chain`` with tools that are functions."""

    name = "llm"
    distribution = "llm"
    homepage = "https://llm.datasette.io"
    issues = "https://github.com/simonw/llm/issues"
    providers = ("openai-chat", "openai-responses")

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
        made = [_function(tool, names[tool.tool.name]) for tool in tools]
        doors = DOORS[self.way]
        model = (new_async_model if doors.on_a_loop else new_model)(provider, Conversation(()), endpoint)
        return str((doors.streamed if stream else doors.blocking)(model, task, system=system, tools=made))


def _function(tool: AgentTool, name: str) -> Any:
    def work(arguments: dict[str, Any]) -> str:
        result = tool(arguments)
        if result.is_error:
            raise RuntimeError(result_text(result))  # as its documentation says, the model is told
        return result_text(result)

    own = tool.tool
    return new_tool(work, name=name, description=own.description, input_schema=dict(function_schema(own)))


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def new_tool(work: Any, **declared: Any) -> Any:
    """A tool that is called."""

    def function(**arguments: Any) -> Any:
        return work(arguments)

    return llm.Tool(**declared, implementation=function)


@door
def chain(model: Any, task: str, **asked: Any) -> Any:
    """What the model says at the end."""
    for response in model.chain(task, **asked, stream=False).responses():
        said = response.text()
    return said


@door
def chain_streamed(model: Any, task: str, **asked: Any) -> Any:
    """The same, streamed."""
    for response in model.chain(task, **asked).responses():
        said = "".join(response)
    return said


@door
def chain_async(model: Any, task: str, **asked: Any) -> Any:
    """What the model says at the end, by an asynchronous model."""

    async def run() -> Any:
        async for response in model.chain(task, **asked, stream=False).responses():
            said = await response.text()
        return said

    return run_to_end(run())


@door
def chain_streamed_async(model: Any, task: str, **asked: Any) -> Any:
    """The same, streamed."""

    async def run() -> Any:
        async for response in model.chain(task, **asked).responses():
            said = "".join([chunk async for chunk in response])
        return said

    return run_to_end(run())


@door
def reply(model: Any, task: str, **asked: Any) -> Any:
    """What the model says at the end: each reply runs the tools that were called."""
    response = model.prompt(task, **asked, stream=False)
    while response.tool_calls():
        response = response.reply(stream=False)
    return response.text()


@door
def reply_streamed(model: Any, task: str, **asked: Any) -> Any:
    """The same, streamed; the tools are run by ``execute_tool_calls``."""
    response = model.prompt(task, **asked)
    while response.tool_calls():
        response = response.reply(tool_results=response.execute_tool_calls())
    return "".join(response)


@door
def reply_async(model: Any, task: str, **asked: Any) -> Any:
    """What the model says at the end, by an asynchronous model."""

    async def run() -> Any:
        response = model.prompt(task, **asked, stream=False)
        while await response.tool_calls():
            response = await response.reply(stream=False)
        return await response.text()

    return run_to_end(run())


@door
def reply_streamed_async(model: Any, task: str, **asked: Any) -> Any:
    """The same, streamed; the tools are run by ``execute_tool_calls``."""

    async def run() -> Any:
        response = model.prompt(task, **asked)
        while await response.tool_calls():
            response = await response.reply(tool_results=await response.execute_tool_calls())
        return "".join([chunk async for chunk in response])

    return run_to_end(run())


@door
def conversation_chain(model: Any, task: str, tools: list[Any], **asked: Any) -> Any:
    """What the model says at the end, in a conversation that has the tools."""
    for response in model.conversation(tools=tools).chain(task, **asked, stream=False).responses():
        said = response.text()
    return said


@door
def conversation_chain_streamed(model: Any, task: str, tools: list[Any], **asked: Any) -> Any:
    """The same, streamed."""
    for response in model.conversation(tools=tools).chain(task, **asked).responses():
        said = "".join(response)
    return said


@door
def conversation_chain_async(model: Any, task: str, tools: list[Any], **asked: Any) -> Any:
    """What the model says at the end, in a conversation of an asynchronous model that has the tools."""

    async def run() -> Any:
        async for response in model.conversation(tools=tools).chain(task, **asked, stream=False).responses():
            said = await response.text()
        return said

    return run_to_end(run())


@door
def conversation_chain_streamed_async(model: Any, task: str, tools: list[Any], **asked: Any) -> Any:
    """The same, streamed."""

    async def run() -> Any:
        async for response in model.conversation(tools=tools).chain(task, **asked).responses():
            said = "".join([chunk async for chunk in response])
        return said

    return run_to_end(run())


@door
def call_by_call(model: Any, task: str, **asked: Any) -> Any:
    """What the model says at the end: each call is run by itself."""
    response = model.prompt(task, **asked, stream=False)
    while calls := response.tool_calls_or_raise():
        results = [response.execute_tool_call(call) for call in calls]
        response = response.reply(tool_results=results, stream=False)
    return response.text()


@door
def call_by_call_streamed(model: Any, task: str, **asked: Any) -> Any:
    """The same, streamed; the calls are run from a list."""
    response = model.prompt(task, **asked)
    while calls := response.tool_calls():
        response = response.reply(tool_results=response.execute_tool_calls(tool_calls_list=calls))
    return "".join(response)


@door
def call_by_call_async(model: Any, task: str, **asked: Any) -> Any:
    """What the model says at the end, by an asynchronous model: each call is run by itself."""

    async def run() -> Any:
        response = model.prompt(task, **asked, stream=False)
        await response.text()
        while calls := response.tool_calls_or_raise():
            results = [await response.execute_tool_call(call) for call in calls]
            response = await response.reply(tool_results=results, stream=False)
            await response.text()
        return await response.text()

    return run_to_end(run())


@door
def call_by_call_streamed_async(model: Any, task: str, **asked: Any) -> Any:
    """The same, streamed; the calls are run from a list."""

    async def run() -> Any:
        response = model.prompt(task, **asked)
        while calls := await response.tool_calls():
            results = await response.execute_tool_calls(tool_calls_list=calls)
            response = await response.reply(tool_results=results)
        return "".join([chunk async for chunk in response])

    return run_to_end(run())


DOORS: Mapping[str, WayDoors] = {
    "conversation-chain": WayDoors(conversation_chain, conversation_chain_streamed),
    "async-conversation-chain": WayDoors(
        conversation_chain_async, conversation_chain_streamed_async, on_a_loop=True
    ),
    "tool-calls": WayDoors(call_by_call, call_by_call_streamed),
    "async-tool-calls": WayDoors(call_by_call_async, call_by_call_streamed_async, on_a_loop=True),
    "chain": WayDoors(chain, chain_streamed),
    "reply": WayDoors(reply, reply_streamed),
    "async-reply": WayDoors(reply_async, reply_streamed_async, on_a_loop=True),
    "async-chain": WayDoors(chain_async, chain_streamed_async, on_a_loop=True),
}
"""The doors of each way."""
