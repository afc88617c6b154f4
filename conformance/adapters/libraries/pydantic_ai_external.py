"""pydantic-ai by ``Agent.run_sync`` and ``Agent.run``, with tools that the application runs itself.

Its documentation calls them external: a run ends with ``DeferredToolRequests``, and the next begins with the messages
so far and ``DeferredToolResults``. So an agent can be led call by call, like a client. The messages so far are those
that the run before gave: all of them, only the new ones, as JSON, or a whole ``Conversation``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import Agent, capture_run_messages, exceptions, messages, tools
from pydantic_ai.toolsets import ExternalToolset

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries import pydantic_ai
from conformance.adapters.libraries.application import OwnMessage, kept
from conformance.adapters.libraries.features import has
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.pydantic_ai_models import new_model
from conformance.adapters.libraries.shim import WayDoors
from conformance.model import AssistantTurn, Conversation

CONVERSATION = "pydantic_ai.agent:AbstractAgent.run(conversation)"
CAPABILITY = "pydantic_ai.capabilities:Toolset"


@dataclass(frozen=True, slots=True)
class OwnRun(OwnMessage):
    """The response that a run ended with, and what the next one begins with, by the name of its argument."""

    carried: Any = None


class PydanticAIExternal(pydantic_ai.PydanticAI):
    """An agent with a toolset of external tools. It refuses to be made to call one of them: it could not end.

    It checks what a call asks for, and would ask the model again. Nobody is asked again here, so the run ends with an
    exception; what the model said stands in the messages that ``capture_run_messages`` keeps.
    """

    apart = frozenset({"tool_choice", "server_tools"})

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One run of an agent: it ends at each call of a tool."""
        toolset = ExternalToolset([pydantic_ai.tool_of(tool.name, conversation) for tool in conversation.tools])
        agent = {
            "model_settings": pydantic_ai.settings_of(provider, conversation),
            "retries": 0,
            **({"system_prompt": conversation.system} if conversation.system is not None else {}),
        }
        asked = _asked(conversation, provider, carries=self.way in CARRYING)
        if self.way in AT_RUN:
            asked |= {"output_type": [str, tools.DeferredToolRequests], **_given_at_run(self.way, toolset)}
        else:
            agent |= {"output_type": [str, tools.DeferredToolRequests], "toolsets": [toolset]}
        doors = DOORS[self.way]
        made = new_agent(new_model(provider, conversation.model, endpoint), **agent)
        with capture_run_messages() as seen:
            try:
                response, carried = (doors.streamed if stream else doors.blocking)(made, **asked)
            except exceptions.UnexpectedModelBehavior:
                if not seen or not isinstance(seen[-1], messages.ModelResponse):
                    raise
                response, carried = seen[-1], None
        turn = pydantic_ai.turn_of_response(response, response.usage, conversation)
        return replace(turn, opaque=OwnRun(response, turn.calls, carried))


def _given_at_run(way: str, toolset: Any) -> dict[str, Any]:
    """The tools, where they are not the agent's but the run's: as a toolset, or as a capability."""
    if way == "async-new-messages" and has(CAPABILITY):
        from pydantic_ai.capabilities import Toolset

        return {"capabilities": [Toolset(toolset)]}
    return {"toolsets": [toolset]}


def _asked(conversation: Conversation, provider: str, *, carries: bool) -> dict[str, Any]:
    """What a run begins with: what the one before left, or the history, and then what the user said, or results."""
    history = list(pydantic_ai.history_of(conversation, provider))
    said = [turn for turn in conversation.turns if isinstance(turn, AssistantTurn)]
    last = said[-1] if said else None
    if last is None or not isinstance(last.opaque, OwnRun) or kept(last) is None or last.opaque.carried is None:
        return {"message_history": history[:-1], **_begun(history[-1])}
    after = history[max(place for place, one in enumerate(history) if isinstance(one, messages.ModelResponse)) + 1 :]
    if carries and len(after) == 1:
        return {"conversation": last.opaque.carried, **_begun(after[-1])}
    known = last.opaque.carried.messages if carries else last.opaque.carried
    return {"message_history": [*known, *after[:-1]], **_begun(after[-1])}


def _begun(last: Any) -> dict[str, Any]:
    """What a run begins with: what the user said, or results."""
    said = [part.content for part in last.parts if isinstance(part, messages.UserPromptPart)]
    results = {
        part.tool_call_id: _result(part) for part in last.parts if isinstance(part, messages.ToolReturnPart)
    }
    asked: dict[str, Any] = {"user_prompt": said[0]} if said else {}
    return {**asked, "deferred_tool_results": tools.DeferredToolResults(calls=results)} if results else asked


def _result(part: Any) -> Any:
    """What a tool function gives: a value, or the exception that tells the model of a failure."""
    return exceptions.ToolFailed(part.content) if getattr(part, "outcome", None) == "failed" else part.content


# --- doors -----------------------------------------------------------------------------------------------------------

new_agent = door(Agent)


@door
def run_sync(agent: Any, **asked: Any) -> Any:
    """The ``ModelResponse`` that a run ends with, and all messages so far."""
    result = agent.run_sync(**asked)
    return result.response, result.all_messages()


@door
def run_stream_sync(agent: Any, **asked: Any) -> Any:
    """The same, streamed."""
    result = agent.run_stream_sync(**asked)
    for _ in result.stream_response():
        pass
    return result.response, result.all_messages()


@door
def run_on_a_loop(agent: Any, **asked: Any) -> Any:
    """The same, on an event loop."""
    result = run_to_end(agent.run(**asked))
    return result.response, result.all_messages()


@door
def run_stream(agent: Any, **asked: Any) -> Any:
    """The same, streamed on an event loop."""

    async def stream() -> Any:
        async with agent.run_stream(**asked) as result:
            await result.get_output()
            return result.response, result.all_messages()

    return run_to_end(stream())


@door
def iterate(agent: Any, **asked: Any) -> Any:
    """The same, node by node."""

    async def nodes() -> Any:
        async with agent.iter(**asked) as going:
            async for _ in going:
                pass
        return going.result.response, going.all_messages()

    return run_to_end(nodes())


@door
def each_event(agent: Any, **asked: Any) -> Any:
    """The same, event by event."""

    async def events() -> Any:
        last: Any = None
        async with agent.run_stream_events(**asked) as stream:
            async for event in stream:
                last = event
            return last.result.response, stream.all_messages()

    return run_to_end(events())


@door
def run_stored(agent: Any, **asked: Any) -> Any:
    """The ``ModelResponse`` that a run ends with, and all messages so far, kept as JSON and read again."""

    async def nodes() -> Any:
        async with agent.iter(**asked) as going:
            async for _ in going:
                pass
        stored = messages.ModelMessagesTypeAdapter.validate_json(going.all_messages_json())
        return going.result.response, stored

    return run_to_end(nodes())


@door
def stream_stored(agent: Any, **asked: Any) -> Any:
    """The same, streamed."""
    result = agent.run_stream_sync(**asked)
    result.get_output()
    return result.response, messages.ModelMessagesTypeAdapter.validate_json(result.all_messages_json())


@door
def run_new(agent: Any, message_history: Any, **asked: Any) -> Any:
    """The ``ModelResponse`` that a run ends with, and its messages after those before it."""
    new = agent.run_sync(message_history=message_history, **asked).new_messages()
    return new[-1], [*message_history, *new]


@door
def iterate_new(agent: Any, message_history: Any, **asked: Any) -> Any:
    """The same, node by node."""

    async def nodes() -> Any:
        async with agent.iter(message_history=message_history, **asked) as going:
            async for _ in going:
                pass
        return going.result.response, [*message_history, *going.new_messages()]

    return run_to_end(nodes())


@door
def events_new(agent: Any, message_history: Any, **asked: Any) -> Any:
    """The same, event by event."""

    async def events() -> Any:
        last: Any = None
        async with agent.run_stream_events(message_history=message_history, **asked) as stream:
            async for event in stream:
                last = event
            return last.result.response, [*message_history, *stream.new_messages()]

    return run_to_end(events())


@door
def stream_new(agent: Any, message_history: Any, **asked: Any) -> Any:
    """The same, streamed."""
    result = agent.run_stream_sync(message_history=message_history, **asked)
    result.get_output()
    return result.response, [*message_history, *result.new_messages()]


@door
def run_carried(agent: Any, **asked: Any) -> Any:
    """The ``ModelResponse`` that a run ends with, and the conversation to go on with."""
    result = agent.run_sync(**asked)
    return result.response, result.conversation


@door
def stream_carried(agent: Any, **asked: Any) -> Any:
    """The same, event by event."""

    async def events() -> Any:
        last: Any = None
        async with agent.run_stream_events(**asked) as stream:
            async for event in stream:
                last = event
        return last.result.response, last.result.conversation

    return run_to_end(events())


DOORS: Mapping[str, WayDoors] = {
    "external-tools": WayDoors(run_sync, run_stream_sync),
    "async-external-tools": WayDoors(run_on_a_loop, run_stream, on_a_loop=True),
    "external-iter": WayDoors(iterate, each_event, on_a_loop=True),
    "stored-messages": WayDoors(run_stored, stream_stored),
    "new-messages": WayDoors(run_new, stream_new),
    "async-new-messages": WayDoors(iterate_new, events_new, on_a_loop=True),
    "conversation": WayDoors(run_carried, stream_carried),
}
"""The doors of each way."""
AT_RUN = ("external-iter", "async-new-messages")
"""The ways on which the tools are given to the run, not to the agent."""
CARRYING = ("conversation",)
"""The ways on which a whole conversation is carried on, not its messages alone."""
