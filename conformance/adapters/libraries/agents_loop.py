"""openai-agents as an agent: its ``Runner`` has the tool loop, on Chat Completions and on Responses.

``Runner.run_sync`` is what its documentation shows first; ``Runner.run`` and ``Runner.run_streamed`` are asynchronous.
Tools are objects with a schema, functions under ``function_tool``, or those of an MCP server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents import (
    Agent,
    AgentHooks,
    FunctionTool,
    ModelResponse,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    RunHooks,
    Runner,
    ToolGuardrailFunctionOutput,
    ToolsToFinalOutputResult,
    function_tool,
    set_tracing_disabled,
    tool_input_guardrail,
    tool_output_guardrail,
)
from agents.exceptions import ModelBehaviorError

from conformance.adapters.capture import door
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.plain_functions import is_plain, new_function
from conformance.adapters.libraries.sdk_clients import async_openai
from conformance.adapters.libraries.shim import AgentShim, WayDoors
from conformance.model import Conversation, result_text

MODEL = Conversation(()).model
ENDED = " stream ended "
"""What exceptions have in their text that say that a turn ended early."""
BY_FUNCTIONS, BY_MCP, GUARDED = "function-tool", "mcp-server", "hooks"
"""The ways that have tools of another kind, or an agent that is watched."""
AS_TOOL, HANDOFF = "as-tool", "handoff"
"""The ways with an agent before the one that has the tools."""


class AgentsLoop(AgentShim):
    """``Runner.run_sync``, ``Runner.run`` and ``Runner.run_streamed``."""

    name = "openai-agents"
    distribution = "openai-agents"
    homepage = "https://openai.github.io/openai-agents-python/"
    issues = "https://github.com/openai/openai-agents-python/issues"
    providers = ("openai-chat", "openai-responses")

    def __init__(self) -> None:
        super().__init__()
        if self.way == BY_MCP:  # what else such a server returns is the library's own affair
            can = {name: frozenset(claims) | {"resource_results"} for name, claims in self.info.providers.items()}
            self.info = replace(self.info, providers=can)

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
        set_tracing_disabled(True)
        made = door(OpenAIResponsesModel if provider == "openai-responses" else OpenAIChatCompletionsModel)
        model = made(MODEL, openai_client=async_openai(provider, endpoint))
        agent = (guarded_agent if self.way == GUARDED else new_agent)(
            name="conformance", instructions=system, model=model, **self._tools(tools)
        )
        if self.way == AS_TOOL:
            agent = new_agent(name="asking", model=model, tools=[(streamed_tool_of if stream else tool_of)(agent)])
        elif self.way == HANDOFF:
            agent = new_agent(name="asking", model=model, handoffs=[agent])
        doors = DOORS[self.way]
        try:
            return str((doors.streamed if stream else doors.blocking)(agent, task))
        except ModelBehaviorError as problem:
            if ENDED not in str(problem):
                raise
            return ""  # it says so that a turn ended early

    def _tools(self, tools: Sequence[AgentTool]) -> dict[str, Any]:
        """The tools, as the way has them."""
        names = declared_names([tool.tool for tool in tools])
        if self.way == BY_MCP:
            return {"mcp_servers": [_server(tools, names)], "mcp_config": {"convert_schemas_to_strict": False}}
        named = [(tool, names[tool.tool.name]) for tool in tools]
        if self.way == BY_FUNCTIONS:
            return {"tools": [_plain(*one) if is_plain(one[0].tool) else _function(*one) for one in named]}
        return {"tools": [_function(*one, guarded=self.way == GUARDED) for one in named]}


# --- doors -----------------------------------------------------------------------------------------------------------

new_agent = door(Agent)
new_tool = door(FunctionTool)


@door
def tool_of(agent: Any) -> Any:
    """An agent as a tool of another agent."""
    return agent.as_tool(tool_name="ask_colleague", tool_description="Asks a colleague to do something.")


@door
def streamed_tool_of(agent: Any) -> Any:
    """The same, whose events are wanted."""

    def told(event: Any) -> None:
        return None

    return agent.as_tool(
        tool_name="ask_colleague", tool_description="Asks a colleague to do something.", on_stream=told
    )


@door
def decorated(function: Any) -> Any:
    """A tool of a function."""
    return function_tool(function)


@door
def guarded_tool(**declared: Any) -> Any:
    """A tool with guardrails that let everything pass."""

    @tool_input_guardrail  # type: ignore[untyped-decorator]
    def before(data: Any) -> Any:
        return ToolGuardrailFunctionOutput.allow()

    @tool_output_guardrail  # type: ignore[untyped-decorator]
    def after(data: Any) -> Any:
        return ToolGuardrailFunctionOutput.allow()

    return FunctionTool(**declared, tool_input_guardrails=[before], tool_output_guardrails=[after])


@door
def guarded_agent(**said: Any) -> Any:
    """An agent that is watched, and says itself whether what tools gave ends the run: never."""

    class Watching(AgentHooks[Any]):
        async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
            return None

    def goes_on(context: Any, results: Any) -> Any:
        return ToolsToFinalOutputResult(is_final_output=False)

    return Agent(**said, hooks=Watching(), tool_use_behavior=goes_on)


@door
def run_sync(agent: Any, task: str) -> Any:
    """What the agent says at the end."""
    return Runner.run_sync(agent, task).final_output


@door
def run_on_a_loop(agent: Any, task: str) -> Any:
    """What the agent says at the end, on an event loop."""
    return run_to_end(Runner.run(agent, task)).final_output


@door
def run_streamed(agent: Any, task: str) -> Any:
    """What the agent says at the end, streamed."""

    async def stream() -> Any:
        result = Runner.run_streamed(agent, task)
        async for _ in result.stream_events():
            pass
        return result.final_output

    return run_to_end(stream())


class Steps(RunHooks[Any]):
    """Keeps what the model answered, step by step."""

    def __init__(self) -> None:
        self.answers: list[ModelResponse] = []

    async def on_llm_end(self, context: Any, agent: Any, response: ModelResponse) -> None:
        """What the library tells after each call of the model."""
        self.answers.append(response)


@door
def run_watched(agent: Any, task: str) -> Any:
    """What the agent says at the end, with hooks and a configuration of the run."""
    return run_to_end(Runner.run(agent, task, hooks=Steps(), run_config=RunConfig(tracing_disabled=True))).final_output


@door
def run_watched_streamed(agent: Any, task: str) -> Any:
    """The same, streamed."""

    async def stream() -> Any:
        result = Runner.run_streamed(agent, task, hooks=Steps(), run_config=RunConfig(tracing_disabled=True))
        async for _ in result.stream_events():
            pass
        return result.final_output

    return run_to_end(stream())


DOORS: Mapping[str, WayDoors] = {
    "runner": WayDoors(run_on_a_loop, run_streamed, on_a_loop=True),
    "runner-sync": WayDoors(run_sync, run_streamed),
    "function-tool": WayDoors(run_sync, run_streamed),
    "mcp-server": WayDoors(run_on_a_loop, run_streamed, on_a_loop=True),
    "as-tool": WayDoors(run_on_a_loop, run_streamed, on_a_loop=True),
    "handoff": WayDoors(run_on_a_loop, run_streamed, on_a_loop=True),
    "hooks": WayDoors(run_watched, run_watched_streamed, on_a_loop=True),
}
"""The doors of each way."""

# --- tools -----------------------------------------------------------------------------------------------------------


def _function(tool: AgentTool, name: str, *, guarded: bool = False) -> Any:
    async def invoke(context: Any, arguments: str) -> str:
        result = tool(json.loads(arguments or "{}"))
        return json.dumps({"error": result_text(result)}) if result.is_error else result_text(result)

    return (guarded_tool if guarded else new_tool)(
        name=name,
        description=tool.tool.description,
        params_json_schema=function_schema(tool.tool),
        on_invoke_tool=invoke,
        strict_json_schema=bool(tool.tool.strict),
    )


def _plain(tool: AgentTool, name: str) -> Any:
    """A tool as a function. The library tells the model what it raises, and wants strict schemas."""

    def work(arguments: dict[str, Any]) -> str:
        result = tool(arguments)
        if result.is_error:
            raise RuntimeError(result_text(result))
        return result_text(result)

    own = tool.tool
    parameters = dict(own.parameters or {})
    return decorated(new_function(work, name, own.description, parameters))


def _server(tools: Sequence[AgentTool], names: Mapping[str, str]) -> Any:
    """An MCP server in this process."""
    from conformance.adapters.libraries.agents_mcp import ToolServer

    return ToolServer({names[tool.tool.name]: tool for tool in tools})
