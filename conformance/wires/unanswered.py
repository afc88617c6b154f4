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


def unanswered_calls(conversation: Conversation) -> Iterator[tuple[int, ToolCall]]:
    """The calls that have no answer although the conversation went on, each with the place of the turn that made it.

    A rejection is an answer, and so is every decision about what the provider runs. Calls of the last turn may still be
    answered.
    """
    answered: set[str] = set()
    went_on = False
    found: list[tuple[int, ToolCall]] = []
    for place, turn in reversed(list(enumerate(conversation.turns))):
        match turn:
            case ResultsTurn(results):
                answered |= {result.call_id for result in results}
            case DecisionsTurn(decisions):
                answered |= {one.call_id for one in decisions if not one.accept or conversation.asks(one.name)}
            case AssistantTurn(calls=calls) if went_on:
                found += [(place, call) for call in reversed(calls) if call.id not in answered]
        went_on |= isinstance(turn, UserTurn | AssistantTurn)
    return reversed(found)


def with_all_answered(conversation: Conversation) -> Conversation:
    """The conversation, where every call that was passed over has the result of a tool that failed, beside the results
    that there are: where results have no ids, their order says whose they are."""
    missing: dict[int, list[ToolResult]] = {}
    for place, call in unanswered_calls(conversation):
        result = ToolResult(call.id, call.name, (TextPart(UNANSWERED),), is_error=True)
        missing.setdefault(place, []).append(result)
    turns: list[Turn] = []
    for place, turn in enumerate(conversation.turns):
        made = missing.get(place - 1, [])
        if made and isinstance(turn, ResultsTurn):
            turns.append(ResultsTurn((*turn.results, *made)))
        else:
            turns += [ResultsTurn(tuple(made)), turn] if made else [turn]
    return replace(conversation, turns=tuple(turns)) if missing else conversation
