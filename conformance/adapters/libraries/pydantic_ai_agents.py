"""pydantic-ai as an agent: ``Agent.run_sync`` is what its documentation shows first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pydantic_ai

from conformance.adapters.capture import door
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.pydantic_ai_models import new_model
from conformance.adapters.libraries.shim import AgentShim, WayDoors
from conformance.model import Conversation, JsonPart, result_text

MODEL, MAX_TOKENS = Conversation(()).model, Conversation(()).max_tokens


class PydanticAIAgent(AgentShim):
    """An agent with a toolset of functions."""

    name = "pydantic-ai"
    distribution = "pydantic-ai-slim"
    homepage = "https://ai.pydantic.dev"
    issues = "https://github.com/pydantic/pydantic-ai/issues"
    providers = ("openai-chat", "openai-responses", "anthropic", "gemini")

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
        asked: dict[str, Any] = {"model_settings": {"max_tokens": MAX_TOKENS}}
        if system is not None:
            asked["instructions"] = system
        doors = DOORS[self.way]
        agent = new_agent(new_model(provider, MODEL, endpoint), tools=made, **asked)
        return str((doors.streamed if stream else doors.blocking)(agent, task))


def _function(tool: AgentTool, name: str) -> Any:
    def work(arguments: dict[str, Any]) -> Any:
        result = tool(arguments)
        if result.is_error:
            raise ToolFailed(result_text(result))
        match result.content:
            case (JsonPart(value),):
                return value
        return result_text(result)

    own = tool.tool
    return new_tool(work, name=name, description=own.description, json_schema=dict(function_schema(own)))


ToolFailed: Any = getattr(pydantic_ai, "ToolFailed", pydantic_ai.ModelRetry)
"""How a function says that it failed: older releases have the model try again."""

# --- doors -----------------------------------------------------------------------------------------------------------

new_agent = door(pydantic_ai.Agent)


@door
def new_tool(work: Any, **declared: Any) -> Any:
    """A tool of an agent's."""

    def function(**arguments: Any) -> Any:
        return work(arguments)

    return pydantic_ai.Tool.from_schema(function, **declared)


@door
def run_sync(agent: Any, task: str) -> Any:
    """What the agent says at the end."""
    return agent.run_sync(task).output


@door
def run_stream_sync(agent: Any, task: str) -> Any:
    """The same, streamed."""
    return agent.run_stream_sync(task).get_output()


@door
def run_on_a_loop(agent: Any, task: str) -> Any:
    """What the agent says at the end, on an event loop."""
    return run_to_end(agent.run(task)).output


@door
def run_stream(agent: Any, task: str) -> Any:
    """The same, streamed."""

    async def stream() -> Any:
        async with agent.run_stream(task) as result:
            return await result.get_output()

    return run_to_end(stream())


@door
def iterate(agent: Any, task: str) -> Any:
    """What the agent says at the end, node by node."""

    async def nodes() -> Any:
        async with agent.iter(task) as going:
            async for _ in going:
                pass
        return going.result.output

    return run_to_end(nodes())


@door
def run_stream_events(agent: Any, task: str) -> Any:
    """What the agent says at the end, event by event."""

    async def events() -> Any:
        last: Any = None
        async with agent.run_stream_events(task) as stream:
            async for event in stream:
                last = event
        return last.result.output

    return run_to_end(events())


DOORS: Mapping[str, WayDoors] = {
    "agent-sync": WayDoors(run_sync, run_stream_sync),
    "agent": WayDoors(run_on_a_loop, run_stream, on_a_loop=True),
    "agent-iter": WayDoors(iterate, run_stream_events, on_a_loop=True),
}
"""The doors of each way."""
