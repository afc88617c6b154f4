"""From one format to another by our reference wires: what the reference gateway does with requests and answers."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.answers import script_of
from conformance.gateways.losses import lacks
from conformance.http import StreamEvent
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    Part,
    ProviderError,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
    compact_json,
)
from conformance.script import STATUS, ErrorKind, ScriptError, ScriptTurn, Voice
from conformance.wires import card, wire
from conformance.wires.facts import Facts, SentMessage, SentResult

MAX_TOKENS = 1024


class RefusedError(Exception):
    """A request that asks for what the provider's format cannot say."""


@dataclass
class TurnMemory:
    """What a format cannot carry through the client: the turns as the provider said them, by the ids of their calls or
    by their words."""

    turns: dict[object, AssistantTurn] = field(default_factory=dict)

    def keep(self, provider: str, turn: AssistantTurn) -> None:
        """Remember a turn that was passed on."""
        self.turns[provider, self._name(turn)] = turn

    def recalled(self, provider: str, turn: AssistantTurn) -> AssistantTurn:
        """The turn as it was said, where it is known."""
        known = self.turns.get((provider, self._name(turn)))
        return replace(turn, opaque=known.opaque) if known is not None else turn

    def _name(self, turn: AssistantTurn) -> object:
        return tuple(call.id for call in turn.calls) or turn.text


# --- requests --------------------------------------------------------------------------------------------------------


def conversation_of(facts: Facts, inbound: str, outbound: str, model: str, memory: TurnMemory) -> Conversation:
    """What a request says, as a conversation. Raises `RefusedError`."""
    choice = facts.choice
    mode = choice.mode if choice is not None and choice.mode is not None else "auto"
    if facts.parallel is False and lacks(outbound, "one-at-a-time"):
        raise RefusedError("This model cannot be asked to call one tool at a time.")
    if mode != "auto" and lacks(outbound, "tool-choice"):
        raise RefusedError("This model has no tool choice.")
    name = choice.name if choice is not None and isinstance(choice.name, str) else None
    turns = [memory.recalled(outbound, turn) if isinstance(turn, AssistantTurn) else turn for turn in _turns(facts)]
    return Conversation(
        turns=tuple(turns),
        tools=tuple(_tools(facts, inbound)),
        choice=ToolChoice(mode, name, facts.parallel),
        system="\n\n".join(str(text) for _, text in facts.system) or None,
        model=model,
        max_tokens=_limit(facts),
        reasoning=facts.settings.thinking is True,
    )


def _limit(facts: Facts) -> int:
    limits = [one.value for one in facts.settings.limits if isinstance(one.value, int)]
    budget = facts.settings.budget if isinstance(facts.settings.budget, int) else 0
    return limits[0] - budget if limits and limits[0] > budget else MAX_TOKENS


def _tools(facts: Facts, inbound: str) -> Iterator[Tool]:
    for tool in facts.functions:
        schema = _plain_schema(tool.schema) if card(inbound).forms.own_schema_language else tool.schema
        strict = tool.strict if isinstance(tool.strict, bool) else None
        yield Tool(str(tool.name), str(tool.description or ""), schema, strict)


def _plain_schema(schema: Json) -> Json:
    """A schema in JSON Schema's own words: its types in small letters."""
    if isinstance(schema, list):
        return [_plain_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: value.lower() if name == "type" and isinstance(value, str) else _plain_schema(value)
        for name, value in schema.items()
    }


def _turns(facts: Facts) -> list[Turn]:
    """The messages as turns. A turn that is spread over several messages is one."""
    turns: list[Turn] = []
    names: dict[str, str] = {}
    open_calls: list[ToolCall] = []
    for message in facts.messages:
        if message.role == "system":
            continue
        if message.results:
            results = tuple(_result(result, names, open_calls) for result in message.results)
            last = turns[-1] if turns else None
            if isinstance(last, ResultsTurn):
                turns[-1] = ResultsTurn((*last.results, *results))
            else:
                turns.append(ResultsTurn(results))
        if message.role == "assistant":
            _say(message, turns, names, open_calls)
        elif words := "\n".join(str(text) for _, text in message.texts):
            turns.append(UserTurn(words))
    return turns


def _say(message: SentMessage, turns: list[Turn], names: dict[str, str], open_calls: list[ToolCall]) -> None:
    number = len(names)
    calls = [
        ToolCall(str(call.id) if call.id else f"call_{number + place}", str(call.name), call.arguments or {})
        for place, call in enumerate(message.calls)
    ]
    names |= {call.id: call.name for call in calls}
    text = "\n".join(str(text) for _, text in message.texts)
    last = turns[-1] if turns else None
    if isinstance(last, AssistantTurn):
        turns[-1] = replace(last, text=last.text + text, calls=(*last.calls, *calls))
    else:
        open_calls.clear()
        turns.append(AssistantTurn(text, tuple(calls)))
    open_calls += calls


def _result(result: SentResult, names: Mapping[str, str], open_calls: list[ToolCall]) -> ToolResult:
    ref = str(result.ref) if result.ref else None
    call = next((one for one in open_calls if one.id == ref or (ref is None and one.name == result.name)), None)
    if call is not None:
        open_calls.remove(call)
        ref = call.id
    parts: list[Part] = [TextPart(result.text)] if result.text else []
    parts += [ImagePart(str(kind), _bytes(data)) for _, kind, data in result.images]
    return ToolResult(ref or "", names.get(ref or "", str(result.name or "")), tuple(parts), bool(result.error))


def _bytes(data: Json) -> bytes:
    try:
        return base64.b64decode(str(data).replace("-", "+").replace("_", "/") + "==")
    except (ValueError, binascii.Error):
        return b""


# --- answers ---------------------------------------------------------------------------------------------------------


def error_of(error: ProviderError, status: int) -> ScriptError:
    """A provider's failure, as one to report."""
    kinds: dict[int, ErrorKind] = {code: kind for kind, code in STATUS.items()}
    kind = kinds.get(status) or ("overloaded" if status == 529 else "server" if status >= 500 else "invalid_request")
    return ScriptError(kind, error.message, int(error.retry_after) if error.retry_after else None)


@dataclass
class StreamTranslator:
    """Says a turn in a format, as it comes: words at once, calls when the turn is known."""

    provider: str
    voice: Voice
    told: str = ""
    number: int = 0

    def words(self, more: str, thinking: str) -> Iterator[StreamEvent]:
        """Events for more words. The first brings what comes before all words."""
        one, other = self._rendered("A", thinking), self._rendered("B", thinking)
        place = next(at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0].data != pair[1].data)
        if not self.told:
            yield from self._numbered(one[:place])
        self.told += more
        put = _put(one[place].document, other[place].document, more)
        yield from self._numbered([replace_data(one[place], put)])

    def rest(self, turn: AssistantTurn, thinking: str) -> Iterator[StreamEvent]:
        """What is left once the turn is known."""
        says = script_of(turn, thinking)
        events = wire(self.provider).render_stream(says, self.voice)
        if self.told:
            short = wire(self.provider).render_stream(replace(says, text="A"), self.voice)
            other = wire(self.provider).render_stream(replace(says, text="B"), self.voice)
            place = next(at for at, pair in enumerate(zip(short, other, strict=True)) if pair[0].data != pair[1].data)
            events = events[place + 1 + len(events) - len(short) :]
        yield from self._numbered(events)

    def _rendered(self, text: str, thinking: str) -> list[StreamEvent]:
        says = ScriptTurn(text, reasoning=thinking or None, usage=Usage(0, 0))
        return wire(self.provider).render_stream(says, self.voice)

    def _numbered(self, events: Sequence[StreamEvent]) -> Iterator[StreamEvent]:
        """Events with numbers that go on, where the format numbers them."""
        for event in events:
            if isinstance(event.document, dict) and "sequence_number" in event.document:
                event = replace_data(event, {**event.document, "sequence_number": self.number})
            self.number += 1
            yield event


def replace_data(event: StreamEvent, document: Json) -> StreamEvent:
    """The event with other data."""
    return StreamEvent(compact_json(document), event.event)


def _put(one: Json, other: Json, words: str) -> Any:
    """``one`` with words where the two differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: _put(value, other.get(name), words) for name, value in one.items()}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_put(value, its, words) for value, its in zip(one, other, strict=True)]
    return words if one == "A" and other == "B" else json.loads(json.dumps(one))


