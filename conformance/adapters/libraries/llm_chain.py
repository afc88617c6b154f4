"""llm as an agent: ``model.chain`` has the tool loop."""

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
    return model.chain(task, **asked, stream=False).text()


@door
def chain_streamed(model: Any, task: str, **asked: Any) -> Any:
    """The same, streamed."""
    return "".join(model.chain(task, **asked))


@door
def chain_async(model: Any, task: str, **asked: Any) -> Any:
    """What the model says at the end, by an asynchronous model."""

    async def run() -> Any:
        return await model.chain(task, **asked, stream=False).text()

    return run_to_end(run())


@door
def chain_streamed_async(model: Any, task: str, **asked: Any) -> Any:
    """The same, streamed."""

    async def run() -> Any:
        return "".join([chunk async for chunk in model.chain(task, **asked)])

    return run_to_end(run())


DOORS: Mapping[str, WayDoors] = {
    "chain": WayDoors(chain, chain_streamed),
    "async-chain": WayDoors(chain_async, chain_streamed_async, on_a_loop=True),
}
"""The doors of each way."""
