"""Tools have a name in the application and one on the wire. A model calls them by the one that the request declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformance.answers import Answer
from conformance.model import AssistantTurn, Conversation, Tool
from conformance.wires.facts import Facts, SentTool
from conformance.wires.naming import wire_names


def names_in_request(tools: tuple[Tool, ...], facts: Facts) -> dict[str, str]:
    """The wire name of each tool: that of the declaration with its name, its usual wire name, or its description."""
    usual = wire_names(tools)
    return {tool.name: _declared_name(tool, usual[tool.name], facts.client_tools) for tool in tools}


def _declared_name(tool: Tool, usual: str, sent: list[SentTool]) -> str:
    names = {item.name for item in sent if isinstance(item.name, str)}
    same = [item.name for item in sent if item.description == tool.description and isinstance(item.name, str)]
    if tool.name in names:
        return tool.name
    if usual in names or not same or not tool.description:
        return usual
    return same[0]


def reader_for(intent: Conversation, names: Mapping[str, str]) -> Conversation:
    """A conversation that lets a wire read calls by the declared names."""
    return Conversation((), tuple(replace(tool, name=names[tool.name], mcp=None) for tool in intent.tools))


def with_application_names(answer: Answer, names: Mapping[str, str]) -> Answer:
    """``answer`` with its calls under the application's names."""
    back = {declared: name for name, declared in names.items()}
    meant = None if answer.meant is None else _named(answer.meant, back)
    return replace(answer, offered=_named(answer.offered, back), meant=meant)


def _named(turn: AssistantTurn, names: Mapping[str, str]) -> AssistantTurn:
    return replace(turn, calls=tuple(replace(call, name=names.get(call.name, call.name)) for call in turn.calls))
