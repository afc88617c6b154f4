"""openai-agents as an agent: its ``Runner`` has the tool loop, on Chat Completions and on Responses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    set_tracing_disabled,
)

from conformance.adapters.contract import AdapterInfo, AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries import installed
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.sdk_clients import async_openai
from conformance.model import Conversation, result_text

MODEL = Conversation(()).model
CAPABILITIES = frozenset({"blocking", "streaming", "parallel_calls"})


class AgentsLoop:
    """``Runner.run`` and ``Runner.run_streamed``."""

    def __init__(self) -> None:
        set_tracing_disabled(True)
        providers = {"openai-chat": CAPABILITIES, "openai-responses": CAPABILITIES}
        self.info = AdapterInfo(
            "openai-agents (loop)",
            providers,
            installed("openai-agents"),
            homepage="https://github.com/openai/openai-agents-python",
            issues="https://github.com/openai/openai-agents-python/issues",
        )

    async def run(
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
        of = OpenAIResponsesModel if provider == "openai-responses" else OpenAIChatCompletionsModel
        model: Any = of(MODEL, async_openai(provider, endpoint))
        names = declared_names([tool.tool for tool in tools])
        agent: Any = Agent(
            name="conformance",
            instructions=system,
            model=model,
            tools=[_function(tool, names[tool.tool.name]) for tool in tools],
        )
        config = RunConfig(tracing_disabled=True)
        if not stream:
            return str((await Runner.run(agent, task, run_config=config)).final_output)
        streamed = Runner.run_streamed(agent, task, run_config=config)
        async for _ in streamed.stream_events():
            pass
        return str(streamed.final_output)


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
