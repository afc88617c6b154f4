"""Conversations as text that can be compared, and changed in one place. What losses leave is in `request_forms`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from conformance.model import (
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    JsonPart,
    Part,
    ResultsTurn,
    ToolResult,
    Turn,
    UserTurn,
    compact_json,
)


def shown(conversation: Conversation) -> str:
    """``conversation`` as text in which ``1``, ``1.0`` and ``True`` differ, and nothing else does that is equal."""
    lines = [f"system {conversation.system!r}", f"choice {conversation.choice!r}"]
    lines += [
        f"tool {tool.name!r} {tool.description!r} {compact_json(tool.parameters)} strict={tool.strict}"
        for tool in conversation.tools
    ]
    for turn in _together(conversation.turns):
        match turn:
            case UserTurn(text):
                lines.append(f"user {text!r}")
            case AssistantTurn(text, calls):
                lines.append(f"assistant {text!r}")
                lines += [f"  call {one.id!r} {one.name!r} {compact_json(one.arguments)} {one.raw!r}" for one in calls]
            case ResultsTurn(results):
                lines.append("results")
                lines += [f"  {item.call_id!r} {item.name!r} {item.is_error} {_parts(item)}" for item in results]
            case DecisionsTurn(decisions):
                lines += [f"decision {item.call_id!r} {item.name!r} {item.accept}" for item in decisions]
    return "\n".join(lines)


def _together(turns: Iterable[Turn]) -> Iterable[Turn]:
    """Turns without the empty sets of results or decisions that losses leave."""
    return (turn for turn in turns if turn not in (ResultsTurn(()), DecisionsTurn(())))


def _parts(result: ToolResult) -> str:
    return " + ".join(map(_part, result.content))


def _part(part: Part) -> str:
    return f"json {compact_json(part.value)}" if isinstance(part, JsonPart) else repr(part)


def turns_changed(conversation: Conversation, change: Callable[[Turn], Turn | None]) -> Conversation:
    kept = [changed for turn in conversation.turns if (changed := change(turn)) is not None]
    return replace(conversation, turns=tuple(kept))


def results_changed(conversation: Conversation, change: Callable[[ToolResult], ToolResult]) -> Conversation:
    def changed(turn: Turn) -> Turn:
        return ResultsTurn(tuple(map(change, turn.results))) if isinstance(turn, ResultsTurn) else turn

    return turns_changed(conversation, changed)


def tools_changed(conversation: Conversation, **change: Callable[[Any], Any]) -> Conversation:
    tools = [
        replace(tool, **{name: function(getattr(tool, name)) for name, function in change.items()})
        for tool in conversation.tools
    ]
    return replace(conversation, tools=tuple(tools))
