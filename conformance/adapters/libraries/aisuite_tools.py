"""Loops of an application's own around aisuite's ``Tools``: it declares functions, runs calls, writes results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import aisuite

from conformance.adapters.capture import door
from conformance.adapters.libraries.aisuite_agents import AISuiteAgent
from conformance.adapters.libraries.looping import run_to_end


class AISuiteTools(AISuiteAgent):
    """``Tools`` in a loop around ``client.chat.completions.create``."""

    def door(self) -> Any:
        """The door of the way."""
        return DOORS[self.way]


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def by_execute_tool(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """What the model says at the end. ``Tools`` writes the messages with the results."""
    said = [{"role": "system", "content": system}] if system is not None else []
    messages = [*said, {"role": "user", "content": task}]
    own = aisuite.Tools(tools)
    while True:
        answer = client.chat.completions.create(model=model, messages=messages, tools=own.tools())
        message = answer.choices[0].message
        if not message.tool_calls:
            return message.content or ""
        _, results = own.execute_tool(message.tool_calls)
        messages += [message, *results]


@door
def by_execute_tool_async(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """The same, on an event loop, with a policy and what it may want to know."""
    said = [{"role": "system", "content": system}] if system is not None else []
    messages = [*said, {"role": "user", "content": task}]
    own = aisuite.Tools(tools)
    context = {"agent_name": "conformance", "messages": messages}

    async def loop() -> Any:
        while True:
            answer = await client.chat.completions.acreate(model=model, messages=messages, tools=own.tools())
            message = answer.choices[0].message
            if not message.tool_calls:
                return message.content or ""
            allowed = {"tool_policy": aisuite.AllowAllToolPolicy(), "tool_policy_context": context}
            _, results = await own.aexecute_tool(message.tool_calls, **allowed)
            messages.extend([message, *results])

    return run_to_end(loop())


@door
def by_execute(client: Any, model: str, task: str, tools: list[Any], system: str | None) -> Any:
    """What the model says at the end. The application writes the messages with the results."""
    said = [{"role": "system", "content": system}] if system is not None else []
    messages = [*said, {"role": "user", "content": task}]
    own = aisuite.Tools(tools)
    while True:
        answer = client.chat.completions.create(model=model, messages=messages, tools=own.tools())
        message = answer.choices[0].message
        if not message.tool_calls:
            return message.content or ""
        messages.append(message)
        for call, result in zip(message.tool_calls, own.execute(message.tool_calls), strict=True):
            text = result if isinstance(result, str) else json.dumps(result)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": text})


DOORS: Mapping[str, Any] = {
    "execute-tool": by_execute_tool,
    "async-execute-tool": by_execute_tool_async,
    "execute": by_execute,
}
"""The door of each way."""
