"""aisuite as an agent: ``create(…, max_turns=…)`` with tools that are functions, its ``Runner``, and loops of the
application's own around its ``Tools`` (`conformance.adapters.libraries.aisuite_tools`).

A tool that no signature can say is one of an MCP server: aisuite's own wrapper makes a function of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import aisuite

from conformance.adapters.capture import door
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.aisuite import NAMES, client_at
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.plain_functions import is_plain, new_function
from conformance.adapters.libraries.shim import AgentShim
from conformance.model import Conversation, result_text

MODEL = Conversation(()).model
TURNS = 20
"""How often the model may ask for tools."""


class AISuiteAgent(AgentShim):
    """``client.chat.completions.create`` with ``max_turns``, and ``Runner``."""

    name = "aisuite"
    distribution = "aisuite"
    homepage = "https://github.com/andrewyng/aisuite"
    issues = "https://github.com/andrewyng/aisuite/issues"
    providers = ("openai-chat", "anthropic", "gemini")

    def door(self) -> Any:
        """The door of the way."""
        return DOORS[self.way]

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
        if self.way == WITH_POLICY:
            made = [described(function) for function in made]
        client = client_at(provider, endpoint)
        return str(self.door()(client, f"{NAMES[provider]}:{MODEL}", task, made, system))


def _function(tool: AgentTool, name: str) -> Any:
    def work(arguments: dict[str, Any]) -> Any:
        result = tool(arguments)
        return {"error": result_text(result)} if result.is_error else result_text(result)

    own = tool.tool
    if is_plain(own):
        return new_function(work, name, own.description, dict(own.parameters or {}), documented=True)
    return mcp_function(work, name, own.description, dict(function_schema(own)))


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def mcp_function(work: Any, name: str, description: str, schema: dict[str, Any]) -> Any:
    """The function that aisuite makes of a server's tool."""
    from aisuite.mcp.tool_wrapper import create_mcp_tool_wrapper

    class Server:
        def call_tool(self, tool_name: str, arguments: dict[str, Any]) -> Any:
            return work(arguments)

    return create_mcp_tool_wrapper(Server(), name, {"name": name, "description": description, "inputSchema": schema})


@door
def create(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """What the model says at the end."""
    said = [{"role": "system", "content": system}] if system is not None else []
    messages = [*said, {"role": "user", "content": task}]
    answer = client.chat.completions.create(model=model, messages=messages, tools=tools, max_turns=TURNS)
    return answer.choices[0].message.content or ""


@door
def create_async(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """The same, on an event loop."""
    said = [{"role": "system", "content": system}] if system is not None else []
    messages = [*said, {"role": "user", "content": task}]
    asked = client.chat.completions.acreate(model=model, messages=messages, tools=tools, max_turns=TURNS)
    return run_to_end(asked).choices[0].message.content or ""


@door
def run_sync(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """What an agent says at the end."""
    agent = aisuite.Agent(name="conformance", model=model, instructions=system, tools=tools)
    return aisuite.Runner.run_sync(agent, task, client=client, max_turns=TURNS).final_output or ""


@door
def run_on_a_loop(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """The same, on an event loop."""
    agent = aisuite.Agent(name="conformance", model=model, instructions=system, tools=tools)
    return run_to_end(aisuite.Runner.run(agent, task, client=client, max_turns=TURNS)).final_output or ""


@door
def described(function: Any) -> Any:
    """A tool with what a policy may want to know of it."""
    return aisuite.tool(function, metadata=aisuite.ToolMetadata(category="files", risk_level="low"))


@door
def run_with_policy(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """What an agent says at the end that may call just these tools."""
    agent = aisuite.Agent(name="conformance", model=model, instructions=system, tools=tools)
    policy = aisuite.AllowToolsPolicy([tool.__name__ for tool in tools])
    asked = aisuite.Runner.run(agent, task, client=client, max_turns=TURNS, tool_policy=policy)
    return run_to_end(asked).final_output or ""


@door
def ask_agent(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """What an agent says at the end whose only tool is another agent."""
    other = aisuite.Agent(name="colleague", model=model, instructions=system, tools=tools)
    agent = aisuite.Agent(name="conformance", model=model, tools=[aisuite.agent_tool(other)])
    return aisuite.Runner.run_sync(agent, task, client=client, max_turns=TURNS).final_output or ""


@door
def new_thread(system: str | None) -> Any:
    """A store with a thread in which nothing was said yet."""
    said = [{"role": "system", "content": system}] if system is not None else []
    store = aisuite.InMemoryStateStore()
    store.save_state("thread", aisuite.RunState(agent_name="conformance", messages=said, max_turns=TURNS))
    return store


@door
def continue_sync(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """What an agent says at the end of the next turn of a thread."""
    agent = aisuite.Agent(name="conformance", model=model, instructions=system, tools=tools)
    going = {"state_store": new_thread(system), "thread_id": "thread", "client": client}
    return aisuite.Runner.continue_sync(agent, task, **going).final_output or ""


@door
def continue_on_a_loop(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """The same, on an event loop."""
    agent = aisuite.Agent(name="conformance", model=model, instructions=system, tools=tools)
    going = {"state_store": new_thread(system), "thread_id": "thread", "client": client}
    return run_to_end(aisuite.Runner.continue_run(agent, task, **going)).final_output or ""


WITH_POLICY = "policy"
"""The way whose tools say more of themselves."""
DOORS: Mapping[str, Any] = {
    "max-turns": create,
    "async-max-turns": create_async,
    "runner-sync": run_sync,
    "runner": run_on_a_loop,
    "policy": run_with_policy,
    "ask-agent": ask_agent,
    "continue-sync": continue_sync,
    "continue": continue_on_a_loop,
}
"""The door of each way. aisuite's loops do not stream."""
