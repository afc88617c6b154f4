"""The anthropic SDK as an agent: ``client.beta.messages.tool_runner`` has the tool loop.

By default it has the server hold the conversation (a message thread) and sends new messages only. This suite does not
speak that interface, so the whole history is asked for, as the method's documentation says: ``thread=False``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anthropic import beta_async_tool, beta_tool
from anthropic.lib.tools import ToolError

from conformance.adapters.capture import door
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.anthropic import new_client
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.features import has
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.sdk_clients import async_anthropic
from conformance.adapters.libraries.shim import AgentShim, WayDoors
from conformance.model import Conversation, result_text

MODEL, MAX_TOKENS = Conversation(()).model, Conversation(()).max_tokens
THREAD = "anthropic.resources.beta.messages:Messages.tool_runner(thread)"


class ToolRunner(AgentShim):
    """``client.beta.messages.tool_runner``."""

    name = "anthropic"
    distribution = "anthropic"
    homepage = "https://github.com/anthropics/anthropic-sdk-python"
    issues = "https://github.com/anthropics/anthropic-sdk-python/issues"
    providers = ("anthropic",)

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
        doors = DOORS[self.way]
        message = (doors.streamed if stream else doors.blocking)(
            (async_anthropic if doors.on_a_loop else new_client)(endpoint),
            model=MODEL,
            max_tokens=MAX_TOKENS,
            messages=[{"role": "user", "content": task}],
            tools=[_function(tool, names[tool.tool.name], on_a_loop=doors.on_a_loop) for tool in tools],
            **({"thread": False} if has(THREAD) else {}),
            **({"system": system} if system is not None else {}),
        )
        return "".join(block.text for block in message.content if block.type == "text")


def _function(tool: AgentTool, name: str, *, on_a_loop: bool) -> Any:
    made = new_async_tool if on_a_loop else new_tool
    return made(lambda arguments: _result(tool, arguments), **_declared(tool, name))


def _declared(tool: AgentTool, name: str) -> dict[str, Any]:
    own = tool.tool
    strict = {} if own.strict is None else {"strict": own.strict}
    return {"name": name, "description": own.description, "input_schema": function_schema(own), **strict}


def _result(tool: AgentTool, arguments: dict[str, Any]) -> str:
    """What the tool's function returns. Raises `ToolError`, as its documentation shows it, for what failed."""
    result = tool(arguments)
    if result.is_error:
        raise ToolError(result_text(result))
    return result_text(result)


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def new_tool(work: Any, **declared: Any) -> Any:
    """A tool of the runner's."""

    def function(**arguments: Any) -> Any:
        return work(arguments)

    return beta_tool(**declared)(function)


@door
def new_async_tool(work: Any, **declared: Any) -> Any:
    """A tool of the asynchronous runner's."""

    async def function(**arguments: Any) -> Any:
        return work(arguments)

    return beta_async_tool(**declared)(function)


@door
def until_done(client: Any, **asked: Any) -> Any:
    """The last message."""
    return client.beta.messages.tool_runner(**asked).until_done()


@door
def last_streamed(client: Any, **asked: Any) -> Any:
    """The last message, streamed."""
    message = None
    for stream in client.beta.messages.tool_runner(**asked, stream=True):
        message = stream.get_final_message()
    return message


@door
def until_done_async(client: Any, **asked: Any) -> Any:
    """The last message, by an asynchronous client."""

    async def run() -> Any:
        return await client.beta.messages.tool_runner(**asked).until_done()

    return run_to_end(run())


@door
def last_streamed_async(client: Any, **asked: Any) -> Any:
    """The last message, streamed by an asynchronous client."""

    async def run() -> Any:
        message = None
        async for stream in client.beta.messages.tool_runner(**asked, stream=True):
            message = await stream.get_final_message()
        return message

    return run_to_end(run())


DOORS: Mapping[str, WayDoors] = {
    "tool-runner": WayDoors(until_done, last_streamed),
    "async-tool-runner": WayDoors(until_done_async, last_streamed_async, on_a_loop=True),
}
"""The doors of each way."""
