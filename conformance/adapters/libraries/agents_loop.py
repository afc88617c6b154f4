"""openai-agents as an agent: its ``Runner`` has the tool loop, on Chat Completions and on Responses.

``Runner.run_sync`` is what its documentation shows first; ``Runner.run`` and ``Runner.run_streamed`` are asynchronous.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    set_tracing_disabled,
)
from agents.exceptions import ModelBehaviorError

from conformance.adapters.capture import door
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.sdk_clients import async_openai
from conformance.adapters.libraries.shim import AgentShim, WayDoors
from conformance.model import Conversation, result_text

MODEL = Conversation(()).model
ENDED = " stream ended "
"""What exceptions have in their text that say that a turn ended early."""


class AgentsLoop(AgentShim):
    """``Runner.run_sync``, ``Runner.run`` and ``Runner.run_streamed``."""

    name = "openai-agents"
    distribution = "openai-agents"
    homepage = "https://openai.github.io/openai-agents-python/"
    issues = "https://github.com/openai/openai-agents-python/issues"
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
        set_tracing_disabled(True)
        made = door(OpenAIResponsesModel if provider == "openai-responses" else OpenAIChatCompletionsModel)
        names = declared_names([tool.tool for tool in tools])
        agent = new_agent(
            name="conformance",
            instructions=system,
            model=made(MODEL, openai_client=async_openai(provider, endpoint)),
            tools=[_function(tool, names[tool.tool.name]) for tool in tools],
        )
        doors = DOORS[self.way]
        try:
            return str((doors.streamed if stream else doors.blocking)(agent, task))
        except ModelBehaviorError as problem:
            if ENDED not in str(problem):
                raise
            return ""  # it says so that a turn ended early


# --- doors -----------------------------------------------------------------------------------------------------------

new_agent = door(Agent)


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


DOORS: Mapping[str, WayDoors] = {
    "runner": WayDoors(run_on_a_loop, run_streamed, on_a_loop=True),
    "runner-sync": WayDoors(run_sync, run_streamed),
}
"""The doors of each way."""

# --- tools -----------------------------------------------------------------------------------------------------------


def _function(tool: AgentTool, name: str) -> FunctionTool:
    async def invoke(context: Any, arguments: str) -> str:
        result = tool(json.loads(arguments or "{}"))
        return json.dumps({"error": result_text(result)}) if result.is_error else result_text(result)

    return FunctionTool(
        name=name,
        description=tool.tool.description,
        params_json_schema=function_schema(tool.tool),
        on_invoke_tool=invoke,
        strict_json_schema=bool(tool.tool.strict),
    )
