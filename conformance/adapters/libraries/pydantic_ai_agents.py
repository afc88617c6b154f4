"""pydantic-ai as an agent: ``Agent.run_sync`` is what its documentation shows first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pydantic_ai
from pydantic_ai.toolsets import FunctionToolset

from conformance.adapters.capture import door
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.plain_functions import is_plain, new_function
from conformance.adapters.libraries.pydantic_ai_models import new_model
from conformance.adapters.libraries.shim import AgentShim, WayDoors
from conformance.model import Conversation, JsonPart, result_text

DELEGATION = "delegation"
"""The way with an agent that asks the one that has the tools."""
MODEL, MAX_TOKENS = Conversation(()).model, Conversation(()).max_tokens
TIMEOUT = 30.0
"""How many seconds a tool may take, where that is asked for."""


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
        named = [(tool, names[tool.tool.name]) for tool in tools]
        settings = {"max_tokens": MAX_TOKENS}
        model = new_model(provider, MODEL, endpoint)
        said = {"instructions": system} if system is not None else {}
        doors = DOORS[self.way]
        go = doors.streamed if stream else doors.blocking
        if self.way == "override":
            own, others = [_function(*one) for one in named[::2]], [_function(*one) for one in named[1::2]]
            instead = {"tools": own, "toolsets": [FunctionToolset(others)], "model_settings": settings, "retries": 0}
            return str(go(new_agent(model, **said, tool_timeout=TIMEOUT), task, **instead))
        if self.way == "decorators":
            agent = new_agent(model, tools=[_function(*one) for one in named if not is_plain(one[0].tool)], **said)
            for tool, name in (one for one in named if is_plain(one[0].tool)):
                (add_tool if stream else add_plain_tool)(agent, _plain(tool, name))
            return str(go(agent, task, model_settings=settings))
        if self.way == DELEGATION:
            other = new_agent(model, tools=[_function(*one) for one in named], model_settings=settings, **said)
            asking = new_agent(model, model_settings=settings)
            (add_streamed_agent if stream else add_agent)(asking, other)
            return str(go(asking, task))
        made = [_tool(*one) if self.way == "functions" else _function(*one) for one in named]
        return str(go(new_agent(model, tools=made, model_settings=settings, **said), task))


def _work(tool: AgentTool) -> Any:
    def work(arguments: dict[str, Any]) -> Any:
        result = tool(arguments)
        if result.is_error:
            raise ToolFailed(result_text(result))
        match result.content:
            case (JsonPart(value),):
                return value
        return result_text(result)

    return work


def _function(tool: AgentTool, name: str) -> Any:
    own = tool.tool
    return new_tool(_work(tool), name=name, description=own.description, json_schema=dict(function_schema(own)))


def _plain(tool: AgentTool, name: str) -> Any:
    own = tool.tool
    return new_function(_work(tool), name, own.description, dict(own.parameters or {}))


def _tool(tool: AgentTool, name: str) -> Any:
    """A tool made of a function, where its signature says all that there is to say."""
    return tool_of_function(_plain(tool, name)) if is_plain(tool.tool) else _function(tool, name)


ToolFailed: Any = getattr(pydantic_ai, "ToolFailed", pydantic_ai.ModelRetry)
"""How a function says that it failed: older releases have the model try again."""

# --- doors -----------------------------------------------------------------------------------------------------------

new_agent = door(pydantic_ai.Agent)


@door
def tool_of_function(function: Any) -> Any:
    """A tool of an agent's, of a function."""
    return pydantic_ai.Tool(function, takes_ctx=False)


@door
def add_plain_tool(agent: Any, function: Any) -> Any:
    """A function under the agent's decorator."""
    return agent.tool_plain(function)


@door
def add_tool(agent: Any, function: Any) -> Any:
    """A function under the agent's decorator, which is given the context of the run, too."""
    import inspect

    def with_context(context: Any, *given: Any, **arguments: Any) -> Any:
        return function(*given, **arguments)

    context = inspect.Parameter(
        "context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=pydantic_ai.RunContext[Any]
    )
    own = inspect.signature(function)
    with_context.__signature__ = own.replace(parameters=[context, *own.parameters.values()])  # type: ignore[attr-defined]
    with_context.__annotations__ = {"context": context.annotation, **function.__annotations__}
    with_context.__name__, with_context.__doc__ = function.__name__, function.__doc__
    return agent.tool(with_context)


@door
def add_agent(agent: Any, other: Any) -> Any:
    """A function under the agent's decorator that asks another agent."""

    async def ask_colleague(context: pydantic_ai.RunContext[Any], question: str) -> str:
        """Ask a colleague to do something."""
        return str((await other.run(question, usage=context.usage)).output)

    return agent.tool(ask_colleague)


@door
def add_streamed_agent(agent: Any, other: Any) -> Any:
    """The same, streamed."""

    async def ask_colleague(context: pydantic_ai.RunContext[Any], question: str) -> str:
        """Ask a colleague to do something."""
        async with other.run_stream(question, usage=context.usage) as result:
            return str(await result.get_output())

    return agent.tool(ask_colleague)


@door
def new_tool(work: Any, **declared: Any) -> Any:
    """A tool of an agent's."""

    def function(**arguments: Any) -> Any:
        return work(arguments)

    return pydantic_ai.Tool.from_schema(function, **declared)


@door
def run_sync(agent: Any, task: str, **asked: Any) -> Any:
    """What the agent says at the end."""
    return agent.run_sync(task, **asked).output


@door
def run_stream_sync(agent: Any, task: str, **asked: Any) -> Any:
    """The same, streamed."""
    return agent.run_stream_sync(task, **asked).get_output()


@door
def run_overridden(agent: Any, task: str, **instead: Any) -> Any:
    """What an agent says at the end that has other tools and settings for a while."""
    with agent.override(**instead):
        return agent.run_sync(task).output


@door
def run_stream_overridden(agent: Any, task: str, **instead: Any) -> Any:
    """The same, streamed."""
    with agent.override(**instead):
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
    "functions": WayDoors(run_sync, run_stream_sync),
    "decorators": WayDoors(run_sync, run_stream_sync),
    "delegation": WayDoors(run_on_a_loop, run_stream, on_a_loop=True),
    "override": WayDoors(run_overridden, run_stream_overridden),
}
"""The doors of each way."""
