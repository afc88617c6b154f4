"""The chat loop of the ollama SDK's examples as an agent: call, run the tools, append their results, call again.

Written as ``examples/tools.py`` and ``examples/async-tools.py`` of ollama/ollama-python have it: the message that came
goes back as it is, and each result is a ``tool`` message under ``tool_name``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import ollama

from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import declared_names, function_schema
from conformance.adapters.libraries.shim import AgentShim, http_library
from conformance.model import Conversation, compact_json, result_text

MODEL = Conversation(()).model
ROUNDS = 20
"""How often the model may ask for tools."""


class OllamaLoop(AgentShim):
    """A loop around ``ollama.Client.chat``."""

    name = "ollama"
    distribution = "ollama"
    homepage = "https://github.com/ollama/ollama-python"
    issues = "https://github.com/ollama/ollama-python/issues"
    providers = ("ollama",)

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
        client = ollama.Client(host=endpoint.base_url, transport=endpoint.transport(http_library("ollama")))
        names = declared_names([tool.tool for tool in tools])
        by_name = {names[tool.tool.name]: tool for tool in tools}
        messages: list[Any] = [{"role": "system", "content": system}] if system is not None else []
        messages.append({"role": "user", "content": task})
        for _ in range(ROUNDS):
            asked: Any = {"model": MODEL, "messages": messages, "tools": [_declared(tool, names) for tool in tools]}
            message = _joined(client.chat(**asked, stream=True)) if stream else client.chat(**asked).message
            messages.append(message)
            if not message.tool_calls:
                return message.content or ""
            for call in message.tool_calls:
                messages.append(_ran(by_name.get(call.function.name), call))
        raise RuntimeError(f"the model asked for tools {ROUNDS} times")


def _declared(tool: AgentTool, names: dict[str, str]) -> Any:
    own = tool.tool
    function = {"name": names[own.name], "description": own.description, "parameters": function_schema(own)}
    return {"type": "function", "function": function}


def _ran(tool: AgentTool | None, call: Any) -> Any:
    name, arguments = call.function.name, dict(call.function.arguments)
    if tool is None:
        return {"role": "tool", "tool_name": name, "content": f"there is no tool {name}"}
    result = tool(arguments)
    text = compact_json({"error": result_text(result)}) if result.is_error else result_text(result)
    return {"role": "tool", "tool_name": name, "content": text}


def _joined(answers: Iterable[ollama.ChatResponse]) -> ollama.Message:
    content = ""
    calls: list[ollama.Message.ToolCall] = []
    for answer in answers:
        content += answer.message.content or ""
        calls += answer.message.tool_calls or []
    return ollama.Message(role="assistant", content=content, tool_calls=calls or None)
