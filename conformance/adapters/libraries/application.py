"""What an application must do itself, whatever library it calls with: names that fit, results in order, ids for calls.

None of this repairs a library. A library that gives calls ids keeps them; one whose types have no place for an id, or
that hands on a provider's empty one, leaves it to the application to tell calls apart.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.model import (
    REJECTED,
    TEXT_INPUT,
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    Json,
    ProviderError,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolResult,
    UserTurn,
    compact_json,
)
from conformance.wires import naming
from conformance.wires.errors import provider_error
from conformance.wires.naming import application_name, wire_names

OWN = "own"
"""What the ids of our own making begin with."""
NO_PARAMETERS: Mapping[str, Json] = {"type": "object", "properties": {}}


def declared_names(tools: Sequence[Tool]) -> dict[str, str]:
    """The name under which each tool is declared: its own, or one made from it where not all providers would take it.

    A tool of an MCP server is ``server__tool``. Libraries leave names to the application.
    """
    return wire_names(tools)


def names_in(conversation: Conversation) -> dict[str, str]:
    """The same, and the names under which calls of tools are replayed that are not declared any more."""
    return naming.names_in(conversation)


def function_schema(tool: Tool) -> Json:
    """The tool's parameters as the object schema that every provider wants. Whoever asks for strict mode closes it."""
    if tool.parameters is not None:
        return {"type": "object", **tool.parameters}
    return {**NO_PARAMETERS, "required": [], "additionalProperties": False} if tool.strict else NO_PARAMETERS


Utterance = UserTurn | AssistantTurn | tuple[ToolResult, ...]


def utterances(conversation: Conversation) -> Iterator[Utterance]:
    """The turns. All answers to one assistant turn, rejections too, are together and in the order of its calls.
    What the provider runs itself is answered by the decision alone: a result without content, or a rejection."""
    answers: list[ToolResult] = []
    order: list[str] = []
    for turn in conversation.turns:
        match turn:
            case ResultsTurn(results):
                answers += results
            case DecisionsTurn(decisions):
                answers += [
                    ToolResult(item.call_id, item.name, () if item.accept else (TextPart(REJECTED),), not item.accept)
                    for item in decisions
                    if not item.accept or conversation.asks(item.name)
                ]
            case _:
                yield from _together(answers, order)
                if isinstance(turn, AssistantTurn):
                    order = [call.id for call in turn.calls]
                answers = []
                yield turn
    yield from _together(answers, order)


def _together(answers: list[ToolResult], order: list[str]) -> Iterator[tuple[ToolResult, ...]]:
    if answers:
        yield tuple(sorted(answers, key=lambda answer: order.index(answer.call_id)))


def fitting(call_id: str, pattern: str) -> str:
    """``call_id`` if it matches, else nine letters and digits made from it, which every provider takes."""
    return call_id if re.fullmatch(pattern, call_id) else hashlib.sha256(call_id.encode()).hexdigest()[:9]


def with_usable_ids(calls: Iterable[ToolCall], conversation: Conversation) -> tuple[ToolCall, ...]:
    """``calls`` with new ids where the provider gave none, or one that the conversation has already."""
    taken = {call.id for turn in conversation.turns if isinstance(turn, AssistantTurn) for call in turn.calls}
    usable: list[ToolCall] = []
    for call in calls:
        call_id = f"{OWN}{len(taken):06}" if call.id in taken or call.id in ("", "null") else call.id
        taken.add(call_id)
        usable.append(replace(call, id=call_id))
    return tuple(usable)


def call_as_sent(call_id: str | None, name: str, arguments: Any, conversation: Conversation) -> ToolCall:
    """A call from an official SDK's object, which has arguments that are text as the provider sent them."""
    sent = arguments if isinstance(arguments, str) else None
    return replace(call_of(call_id, name, arguments, conversation), sent=sent)


def call_of(call_id: str | None, name: str, arguments: Any, conversation: Conversation) -> ToolCall:
    """A call as the application takes it from an SDK's object. ``arguments`` is an object, or its text."""
    name = application_name(name, conversation)
    value: Json = arguments
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments or "{}")
        except ValueError:
            return ToolCall(call_id or "", name, None, arguments, invalid=True)
    if value is None or isinstance(value, dict):
        return ToolCall(call_id or "", name, value or {})
    return ToolCall(call_id or "", name, None, arguments if isinstance(arguments, str) else json.dumps(value), True)


def text_call_of(call_id: str | None, name: str, text: str, conversation: Conversation) -> ToolCall:
    """A call of a tool that takes one text."""
    return ToolCall(call_id or "", application_name(name, conversation), {TEXT_INPUT: text})


def translated(turn: AssistantTurn) -> AssistantTurn:
    """A turn in which a library wrote the texts of arguments anew: how the provider sent them is not known."""
    return replace(turn, calls=tuple(replace(call, sent=None) for call in turn.calls))


def spoken(turn: AssistantTurn) -> str:
    """What another provider's model said in a turn: its text, or the words with which it refused."""
    return turn.text or turn.refusal or ""


def replayable(call: ToolCall) -> Mapping[str, Json]:
    """The arguments of a call as an object, also of one that had none to be read."""
    return call.arguments if call.arguments is not None else {"invalid": call.raw}


def reported(status: int | None, document: Json, headers: Mapping[str, str] | None = None) -> ProviderError:
    """The failure in the body of an error, as far as the library hands it on: the whole body, or what is in ``error``.

    Whether to try again is the application's decision, by the status or else by the type.
    """
    inner = document.get("error") if isinstance(document, dict) else None
    error: Json = {**document, "message": inner} if isinstance(inner, str) else inner or document
    if isinstance(error, dict) and not error.get("message"):
        error = {**error, "message": compact_json(document)}
    return provider_error(status, error, headers=headers)


@dataclass(frozen=True, slots=True)
class OwnMessage:
    """A library's own message, which goes back as it is, and the calls that were read from it."""

    message: Any
    calls: tuple[ToolCall, ...]


def kept(turn: AssistantTurn) -> Any:
    """The library's own message of a turn, unless it means other calls than the turn: then the turn was put right."""
    own = turn.opaque
    if isinstance(own, OwnMessage) and [_meaning(call) for call in own.calls] == [
        _meaning(call) for call in turn.calls
    ]:
        return own.message
    return None


def _meaning(call: ToolCall) -> tuple[Any, ...]:
    return call.name, call.arguments, call.invalid
