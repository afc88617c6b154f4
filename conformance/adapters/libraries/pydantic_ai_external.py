"""pydantic-ai by ``Agent.run_sync`` and ``Agent.run``, with tools that the application runs itself.

Its documentation calls them external: a run ends with ``DeferredToolRequests``, and the next begins with the messages
so far and ``DeferredToolResults``. So an agent can be led call by call, like a client.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_ai import Agent, exceptions, messages, tools
from pydantic_ai.toolsets import ExternalToolset

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries import pydantic_ai
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.pydantic_ai_models import new_model
from conformance.adapters.libraries.shim import WayDoors
from conformance.model import AssistantTurn, Conversation


class PydanticAIExternal(pydantic_ai.PydanticAI):
    """An agent with a toolset of external tools. It refuses to be made to call one of them: it could not end."""

    apart = frozenset({"tool_choice"})

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One run of an agent: it ends at each call of a tool."""
        *history, last = pydantic_ai.history_of(conversation, provider)
        agent = new_agent(
            new_model(provider, conversation.model, endpoint),
            output_type=[str, tools.DeferredToolRequests],
            toolsets=[ExternalToolset([pydantic_ai.tool_of(tool.name, conversation) for tool in conversation.tools])],
            model_settings=pydantic_ai.settings_of(provider, conversation),
            retries=0,
            **({"system_prompt": conversation.system} if conversation.system is not None else {}),
        )
        doors = DOORS[self.way]
        response = (doors.streamed if stream else doors.blocking)(agent, message_history=history, **_asked(last))
        return pydantic_ai.turn_of_response(response, response.usage, conversation)


def _asked(last: Any) -> dict[str, Any]:
    """What a run begins with: what the user said, or results."""
    said = [part.content for part in last.parts if isinstance(part, messages.UserPromptPart)]
    results = {
        part.tool_call_id: _result(part) for part in last.parts if isinstance(part, messages.ToolReturnPart)
    }
    asked: dict[str, Any] = {"user_prompt": said[0]} if said else {}
    return {**asked, "deferred_tool_results": tools.DeferredToolResults(calls=results)} if results else asked


def _result(part: Any) -> Any:
    """What a tool function gives: a value, or the exception that tells the model of a failure."""
    return exceptions.ToolFailed(part.content) if part.outcome == "failed" else part.content


# --- doors -----------------------------------------------------------------------------------------------------------

new_agent = door(Agent)


@door
def run_sync(agent: Any, **asked: Any) -> Any:
    """The ``ModelResponse`` that a run ends with."""
    return agent.run_sync(**asked).response


@door
def run_stream_sync(agent: Any, **asked: Any) -> Any:
    """The same, streamed."""
    result = agent.run_stream_sync(**asked)
    result.get_output()
    return result.response


@door
def run_on_a_loop(agent: Any, **asked: Any) -> Any:
    """The ``ModelResponse`` that a run ends with, on an event loop."""
    return run_to_end(agent.run(**asked)).response


@door
def run_stream(agent: Any, **asked: Any) -> Any:
    """The same, streamed."""

    async def stream() -> Any:
        async with agent.run_stream(**asked) as result:
            await result.get_output()
            return result.response

    return run_to_end(stream())


DOORS: Mapping[str, WayDoors] = {
    "external-tools": WayDoors(run_sync, run_stream_sync),
    "async-external-tools": WayDoors(run_on_a_loop, run_stream, on_a_loop=True),
}
"""The doors of each way."""
