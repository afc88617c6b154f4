"""Calls that nobody answered, because the user spoke instead: a conversation in which each has a result.

Every format but Ollama's asks for one result a call (rule ``common.result.exactly-one-per-call``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.model import (
    UNANSWERED,
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    ResultsTurn,
    TextPart,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
)


def unanswered_calls(turns: tuple[Turn, ...]) -> Iterator[tuple[int, ToolCall]]:
    """The calls that have no answer although the conversation went on, each with the place of the turn that made it.

    A rejection is an answer. Calls of the last turn may still be answered.
    """
    answered: set[str] = set()
    went_on = False
    found: list[tuple[int, ToolCall]] = []
    for place, turn in reversed(list(enumerate(turns))):
        match turn:
            case ResultsTurn(results):
                answered |= {result.call_id for result in results}
            case DecisionsTurn(decisions):
                answered |= {decision.call_id for decision in decisions if not decision.accept}
            case AssistantTurn(calls=calls) if went_on:
                found += [(place, call) for call in reversed(calls) if call.id not in answered]
        went_on |= isinstance(turn, UserTurn | AssistantTurn)
    return reversed(found)


def with_all_answered(conversation: Conversation) -> Conversation:
    """The conversation, where every call that was passed over has the result of a tool that failed."""
    missing: dict[int, list[ToolResult]] = {}
    for place, call in unanswered_calls(conversation.turns):
        result = ToolResult(call.id, call.name, (TextPart(UNANSWERED),), is_error=True)
        missing.setdefault(place, []).append(result)
    turns = [part for place, turn in enumerate(conversation.turns) for part in (turn, *_closing(missing.get(place)))]
    return replace(conversation, turns=tuple(turns)) if missing else conversation


def _closing(results: list[ToolResult] | None) -> Iterator[ResultsTurn]:
    if results:
        yield ResultsTurn(tuple(results))
