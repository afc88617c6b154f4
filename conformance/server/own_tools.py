"""*Any*: the provider calls the tools that a request declares, whatever they are.

What to answer is read off the request alone: how often the model has called since the user last said something decides
which shape comes next (`conformance.server.shapes`), and the request's own choice, flags and schemas are kept. The
answer is a scenario of one turn, made for this one request, so it is told, delivered and broken like any other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from conformance.arguments import (
    ArgumentKind,
    NoArgumentsError,
    arguments_for,
    invalid_arguments,
    neutral_value_for,
    value_for,
)
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, Json, Tool, ToolChoice
from conformance.scenarios import AnswerStep, Scenario
from conformance.script import ScriptCall, ScriptError, ScriptTurn
from conformance.server.shapes import (
    LAST_WORDS,
    MOST_AT_ONCE,
    NO_TOOLS,
    ORDERS,
    THOUGHTS,
    AnswerShape,
    ShapedCall,
)
from conformance.server.telling import ScenarioExchange
from conformance.wires.card import Card
from conformance.wires.facts import Facts, SentMessage, SentTool, value_at

ERROR_SECONDS = 1
"""What a provoked error asks to wait."""


@dataclass(frozen=True, slots=True)
class OwnTools:
    """The tools of a request that may be called now, in its order, and what is to be said about the others."""

    tools: tuple[SentTool, ...]
    warnings: tuple[str, ...]
    card: Card
    neutral: bool = False
    """Whether JSON that is asked for shall mean as little as it can."""

    def arguments(self, tool: SentTool, kind: ArgumentKind) -> Mapping[str, Json]:
        """Arguments of a kind; minimal ones where there are none of the kind."""
        try:
            return arguments_for(tool.schema, kind, own_language=self.card.forms.own_schema_language)
        except NoArgumentsError:
            return arguments_for(tool.schema, "minimal", own_language=self.card.forms.own_schema_language)

    def invalid(self, tool: SentTool) -> Mapping[str, Json]:
        """Arguments that the schema does not allow, if there are any."""
        return invalid_arguments(tool.schema, own_language=self.card.forms.own_schema_language)


def own_tools(facts: Facts, card: Card) -> OwnTools:
    """The tools that the model may call, by the request's own choice, and for which there are arguments."""
    tools: dict[str, SentTool] = {}
    warnings: list[str] = []
    for tool in _allowed(facts):
        if not isinstance(tool.name, str) or tool.name in tools:
            continue
        try:
            arguments_for(tool.schema, "minimal", own_language=card.forms.own_schema_language)
            tools[tool.name] = tool
        except NoArgumentsError as problem:
            warnings.append(f"The tool {tool.name[:100]!r} is not called: its schema {problem}.")
    return OwnTools(tuple(tools.values()), tuple(warnings), card)


def _allowed(facts: Facts) -> Iterator[SentTool]:
    choice = facts.choice
    if choice is not None and choice.mode == "none":
        return
    for tool in facts.functions:
        by_name = choice is None or choice.mode != "tool" or tool.name == choice.name
        if by_name and (choice is None or choice.names is None or tool.name in choice.names):
            yield tool


# --- how far the conversation is --------------------------------------------------------------------------------------


def steps_done(facts: Facts, previous: ScenarioExchange | None) -> int:
    """How many turns with calls the model has made since the user last spoke.

    Where the provider keeps the calls and the request brings their results alone, the exchange before tells; where
    that is not known, all is said to be done, so that nobody goes on for ever.
    """
    last = max((place for place, message in enumerate(facts.messages) if _is_user(message)), default=-1)
    since = facts.messages[last + 1 :]
    rounds = Facts(messages=since, spread=facts.spread).rounds
    calls = sum(bool(turn.calls) for turn in rounds)
    if calls or not any(message.results for message in since):
        return calls
    return previous.place + 1 if previous is not None else _FAR


_FAR = 1_000


def _is_user(message: SentMessage) -> bool:
    """Whether the user speaks. What stands beside results belongs to them."""
    return message.role == "user" and not message.results


def issued(exchange: ScenarioExchange) -> Conversation | None:
    """The calls that a request replays under the ids that they were given, as they were given."""
    given = {call.id: call for earlier in exchange.earlier if earlier.offered for call in earlier.offered.calls}
    replayed = [given[call.id] for call in exchange.facts.calls if isinstance(call.id, str) and call.id in given]
    if not replayed:
        return None
    return Conversation((AssistantTurn(calls=tuple(replayed)),), _declared(exchange.facts))


# --- the answer -------------------------------------------------------------------------------------------------------


def made_scenario(name: str, request: Request, facts: Facts, own: OwnTools, done: int, times: int) -> Scenario:
    """The answer to a request, as a scenario. ``times`` is how often the same was asked before: where errors are
    provoked, they come once each."""
    digest = hashlib.sha256(request.body).hexdigest()[:24]
    tools = _declared(facts)
    return Scenario(
        id=f"{name}/{digest}", title="The request's own tools", rules=(), requires=frozenset(), providers=None,
        profile=None, system=None, reasoning=False, tools=tools, choice=ToolChoice(), history=(),
        steps=(AnswerStep(_says(ORDERS[name], facts, own, done, times)),),
    )  # fmt: skip


def _declared(facts: Facts) -> tuple[Tool, ...]:
    """The tools that a request declares, each name once."""
    named = {tool.name: tool for tool in facts.functions if isinstance(tool.name, str)}
    return tuple(Tool(name, parameters=_schema(tool.schema)) for name, tool in named.items())


def _schema(schema: Json) -> Mapping[str, Json] | None:
    return schema if isinstance(schema, dict) else None


def _says(order: Sequence[AnswerShape], facts: Facts, own: OwnTools, done: int, times: int) -> ScriptTurn | ScriptError:
    if not own.tools:
        return ScriptTurn(_text(NO_TOOLS, facts, own))
    forced = facts.choice is not None and facts.choice.mode in ("required", "tool")
    if done >= len(order) and not forced:
        return ScriptTurn(_text(LAST_WORDS, facts, own))
    shape = order[done if done < len(order) else 0]
    if times < len(shape.errors):
        return _failing(shape, times, facts)
    calls = tuple(_call(own, call) for call in _calls(shape, own, facts))
    return ScriptTurn(shape.text, calls, reasoning=_reasoning(shape, facts, own))


def _text(words: str, facts: Facts, own: OwnTools) -> str:
    """What is said at the end: words and warnings; where the request asks for JSON, JSON of its schema."""
    forms = own.card.forms
    schemas = (_asked(facts, place) for place in forms.answer_schemas)
    schema = next((schema for schema in schemas if isinstance(schema, dict)), None)
    if schema is not None:
        try:
            made = (neutral_value_for if own.neutral else value_for)(schema, own_language=forms.own_schema_language)
            return json.dumps(made, ensure_ascii=False)
        except NoArgumentsError as problem:
            return f"{words} There is no JSON of the schema that is asked for: it {problem}."
    if forms.json_switch is not None and _asked(facts, forms.json_switch[0]) == forms.json_switch[1]:
        return json.dumps({"text": words}, ensure_ascii=False)
    return " ".join((words, *(own.warnings if not own.tools else ())))


def _asked(facts: Facts, place: str) -> Json:
    """What a request says at a place, if it says anything there."""
    try:
        return value_at(facts.document, place)
    except (LookupError, TypeError, ValueError):
        return None


def _failing(shape: AnswerShape, times: int, facts: Facts) -> ScriptTurn | ScriptError:
    """The first failure is an answer of its own; the others come in the middle of an answer, if that is a stream."""
    error = ScriptError(shape.errors[times], "This failure was asked for: try again.", ERROR_SECONDS)
    if times and facts.stream:
        return ScriptTurn("One moment", fails_with=replace(error, retry_after=None))
    return error


def _calls(shape: AnswerShape, own: OwnTools, facts: Facts) -> list[ShapedCall]:
    calls = list(shape.calls)
    if shape.each is not None:
        count = max(2, len(own.tools))
        calls += (ShapedCall(place, shape.each if place < len(own.tools) else "full") for place in range(count))
    return list(islice(calls, 1 if facts.parallel is False else MOST_AT_ONCE))


def _call(own: OwnTools, call: ShapedCall) -> ScriptCall:
    tool = own.tools[call.tool % len(own.tools)]
    name = str(tool.name)
    match call.fault:
        case "unknown name":
            return ScriptCall(f"no_{name}"[:60], own.arguments(tool, call.arguments))
        case "no JSON" if own.card.forms.arguments == "text":
            return ScriptCall(name, raw='{"half": "of an obj')
        case "invalid arguments" | "no JSON":
            return ScriptCall(name, own.invalid(tool))
    return ScriptCall(name, own.arguments(tool, call.arguments))


def _reasoning(shape: AnswerShape, facts: Facts, own: OwnTools) -> str | None:
    """What the model thinks aloud, where the shape has it and neither the provider nor the request is against it."""
    return thoughts(THOUGHTS, own.card, facts) if shape.thinks else None


def thoughts(words: str, own: Card, facts: Facts) -> str | None:
    """What is heard of a model's thinking: the words, their seal alone (an empty text), or nothing."""
    unasked = own.forms.thinks_unasked
    if "reasoning" not in own.capabilities or facts.settings.thinking is False:
        return None
    if facts.settings.thinking is True or unasked == "aloud":
        return words
    return "" if unasked == "silently" else None

