"""The gateway's API, client half: build a request; read a message or its stream.

Source: ``docs/unified.md``.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from conformance.http import Request, StreamEvent
from conformance.model import (
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    ImagePart,
    Json,
    Part,
    Profile,
    ProviderError,
    ResultsTurn,
    Stop,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
    part_text,
)
from conformance.wires.base import Assembly, parse_arguments
from conformance.wires.errors import provider_error
from conformance.wires.facts import items, obj, object_of
from conformance.wires.ids import unique_ids
from conformance.wires.naming import application_name, names_in

ENDPOINT = "https://gateway.example/v1/conversations"
AUTH = {"authorization": "Bearer test-key"}
NO_PARAMETERS: Mapping[str, Json] = {"type": "object", "properties": {}}


def build(conversation: Conversation, *, stream: bool) -> Request:
    """The request that continues ``conversation``. The whole conversation is sent, so it names no earlier one."""
    names = names_in(conversation)
    body: dict[str, Json] = {
        "model": conversation.model,
        "input": list(_input(conversation, names)),
        "max_tokens": conversation.max_tokens,
    }
    if conversation.tools:
        body["tools"] = [_tool(tool, names) for tool in conversation.tools]
        body |= _choice(conversation.choice, names)
    if conversation.reasoning:
        body["reasoning"] = True
    if stream:
        body["stream"] = True
    return Request.post_json(ENDPOINT, body, AUTH)


def _tool(tool: Tool, names: Mapping[str, str]) -> Json:
    parameters = tool.parameters if tool.parameters is not None else NO_PARAMETERS
    return {"name": names[tool.name], "description": tool.description, "parameters": parameters}


def _choice(choice: ToolChoice, names: Mapping[str, str]) -> dict[str, Json]:
    chosen: dict[str, Json] = {}
    if choice.mode == "tool":
        chosen["tool_choice"] = {"name": names.get(choice.name or "", choice.name)}
    elif choice.mode != "auto":
        chosen["tool_choice"] = choice.mode
    if choice.parallel is not None:
        chosen["parallel_tool_calls"] = choice.parallel
    return chosen


def _input(conversation: Conversation, names: Mapping[str, str]) -> Iterator[Json]:
    if conversation.system is not None:
        yield _message("system", [_text_block(conversation.system)])
    order: dict[str, int] = {}
    for turn in conversation.turns:
        if isinstance(turn, AssistantTurn):
            order = {call.id: position for position, call in enumerate(turn.calls)}
        yield from _turn(turn, names, order, conversation.profile)


def _turn(turn: Turn, names: Mapping[str, str], order: Mapping[str, int], profile: Profile) -> Iterator[Json]:
    match turn:
        case UserTurn(text):
            yield _message("user", [_text_block(text)])
        case AssistantTurn():
            yield _assistant(turn, names)
        case ResultsTurn(results):
            # Ids say which call a result answers; call order says the same to whoever only looks at the order.
            for result in sorted(results, key=lambda result: order.get(result.call_id, len(order))):
                yield _result(result, profile)
        case DecisionsTurn(decisions):
            for decision in decisions:
                word = "accept" if decision.accept else "reject"
                yield {"type": "tool_decision", "tool_call_id": decision.call_id, "decision": word}


def _message(role: str, content: list[Json]) -> dict[str, Json]:
    return {"type": "message", "role": role, "content": content}


def _text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def _assistant(turn: AssistantTurn, names: Mapping[str, str]) -> Json:
    content = _reasoning(obj(turn.opaque).get("reasoning"))
    if turn.text:
        content.append(_text_block(turn.text))
    if turn.refusal is not None:
        content.append({"type": "refusal", "text": turn.refusal})
    message = _message("assistant", content)
    if turn.calls:
        message["tool_calls"] = [_call(call, names) for call in turn.calls]
    return message


def _call(call: ToolCall, names: Mapping[str, str]) -> Json:
    # The format has no place for arguments that are not an object. They stay readable inside one.
    args = call.arguments if call.arguments is not None else {"invalid_arguments": call.raw or ""}
    return {"id": call.id, "name": names.get(call.name, call.name), "args": args, "type": "tool_call"}


def _result(result: ToolResult, profile: Profile) -> Json:
    content = [_block(part, profile) for part in result.content] or [_text_block("")]
    message = {**_message("tool", content), "tool_call_id": result.call_id}
    return {**message, "is_error": True} if result.is_error else message


def _block(part: Part, profile: Profile) -> Json:
    """A part of a result. The portable profile sends a summary instead of an image."""
    if isinstance(part, ImagePart) and profile == "native":
        return {"type": "image", "media_type": part.media_type, "data": base64.b64encode(part.data).decode()}
    return _text_block(part_text(part))


# --- reading ---------------------------------------------------------------------------------------------------------


def read(body: Json, conversation: Conversation | None = None) -> AssistantTurn:
    """The turn in a response. Calls count by their presence."""
    answer = obj(body)
    if answer.get("error"):
        return AssistantTurn(stop="error", error=provider_error(None, answer["error"]))
    blocks = [block for message in _messages(body) for block in _blocks(message.get("content"))]
    refusal = _joined(blocks, "refusal") or None
    sent = _sent(body)
    ids = unique_ids((call.get("id") for call in sent), conversation)
    reasoning = _reasoning(blocks)
    return AssistantTurn(
        text=_joined(blocks, "text"),
        calls=tuple(_read_call(call_id, call, conversation) for call_id, call in zip(ids, sent, strict=True)),
        stop=_stop(answer.get("stop_reason"), bool(sent), refusal),
        refusal=refusal,
        usage=read_usage(answer.get("usage")),
        opaque={"reasoning": reasoning} if reasoning else None,
    )


def answered_ids(body: Json) -> list[Json]:
    """The ids of the calls in a response, as they came."""
    return [call.get("id") for call in _sent(body)]


def _messages(body: Json) -> list[Mapping[str, Json]]:
    """The messages of a response. Output of another type is not for us."""
    output = [obj(item) for _, item in items(obj(body).get("output"))]
    return [item for item in output if item.get("type", "message") == "message"]


def _sent(body: Json) -> list[Mapping[str, Json]]:
    if obj(body).get("error"):
        return []
    calls = [obj(call) for message in _messages(body) for _, call in items(message.get("tool_calls"))]
    return [call for call in calls if call.get("type", "tool_call") == "tool_call" and "name" in call]


def _blocks(content: Json) -> list[Mapping[str, Json]]:
    """The blocks of a message. A string means one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [obj(block) for _, block in items(content)]


def _joined(blocks: Iterable[Mapping[str, Json]], kind: str) -> str:
    return "".join(str(block.get("text") or "") for block in blocks if block.get("type") == kind)


def _reasoning(blocks: Json) -> list[Json]:
    """The reasoning blocks among ``blocks``, untouched: the gateway checks their signatures."""
    return [block for _, block in items(blocks) if obj(block).get("type") == "reasoning"]


def _read_call(call_id: str, call: Mapping[str, Json], conversation: Conversation | None) -> ToolCall:
    arguments, raw, invalid = parse_arguments(call.get("args"))
    return ToolCall(call_id, application_name(str(call.get("name") or ""), conversation), arguments, raw, invalid)


def _stop(reason: Json, calls: bool, refusal: str | None) -> Stop:
    if reason == "length":
        return "length"
    if refusal is not None or reason == "refusal":
        return "refusal"
    if calls:
        return "tool_calls"
    return "pause" if reason == "pause" else "end"


def read_usage(usage: Json) -> Usage | None:
    """Token counts, when both are there."""
    counts = obj(usage)
    sent, received = counts.get("input_tokens"), counts.get("output_tokens")
    return Usage(sent, received) if isinstance(sent, int) and isinstance(received, int) else None


# --- streams ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _StreamedCall:
    """A call as far as it has come."""

    head: dict[str, Json]
    args: list[str] = field(default_factory=list)
    ended: bool = False

    def document(self) -> Json:
        """The call as a response has it. Text that is not an object yet stays text."""
        text = "".join(self.args)
        args = object_of(text)
        return {**self.head, "args": args if args is not None else text, "type": "tool_call"}


class UnifiedAssembler:
    """Puts events together into the response that they amount to. Calls are kept apart by ``index``."""

    def __init__(self) -> None:
        self.envelope: dict[str, Json] = {}
        self.ending: dict[str, Json] = {}
        self.reasoning: list[Json] = []
        self.thought: list[str] = []
        self.text: list[str] = []
        self.refusal: list[str] = []
        self.calls: dict[int, _StreamedCall] = {}
        self.error: ProviderError | None = None
        self.complete = False

    def feed(self, event: StreamEvent) -> None:
        """Take one event."""
        if not event.is_json:
            return  # cut off: the missing terminal marker says so
        data = obj(event.document)
        match data.get("type") or event.event:
            case "message.start":
                self.envelope = {key: data.get(key) for key in ("id", "model")}
            case "reasoning.delta":
                self.thought.append(_fragment(data, "text"))
            case "reasoning.end":
                # Only now is it a block: without its signature it could not be sent back.
                signed = {"text": "".join(self.thought), "signature": data.get("signature")}
                self.reasoning.append({"type": "reasoning", **signed})
                self.thought = []
            case "text.delta":
                self.text.append(_fragment(data, "text"))
            case "refusal.delta":
                self.refusal.append(_fragment(data, "text"))
            case "message.end":
                self.ending = {key: data.get(key) for key in ("stop_reason", "usage")}
                self.complete = True
            case "error":
                self.error = provider_error(None, data.get("error"))
            case str(kind) if kind.startswith("tool_call.") and isinstance(data.get("index"), int):
                self._call(kind, data["index"], data)

    def _call(self, kind: str, index: int, data: Mapping[str, Json]) -> None:
        if kind == "tool_call.start":
            self.calls[index] = _StreamedCall({key: data[key] for key in ("id", "name") if key in data})
        elif index in self.calls and kind == "tool_call.delta":
            self.calls[index].args.append(_fragment(data, "args"))
        elif index in self.calls and kind == "tool_call.end":
            self.calls[index].ended = True

    def assembly(self) -> Assembly:
        """The response so far. A call is whole once its end was seen."""
        content = [*self.reasoning]
        content += [_text_block(text)] if (text := "".join(self.text)) else []
        content += [{"type": "refusal", "text": refusal}] if (refusal := "".join(self.refusal)) else []
        message = _message("assistant", content)
        calls = [call for _, call in sorted(self.calls.items())]
        if calls:
            message["tool_calls"] = [call.document() for call in calls]
        open_calls = frozenset(place for place, call in enumerate(calls) if not call.ended)
        body = {**self.envelope, "output": [message], **self.ending}
        thinking = "".join([*(block["text"] for block in self.reasoning), *self.thought])
        return Assembly(body, self.complete, open_calls, self.error, thinking=thinking)


def _fragment(data: Mapping[str, Json], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def assemble(events: Iterable[StreamEvent]) -> Assembly:
    """The blocking body that a stream of events amounts to."""
    assembler = UnifiedAssembler()
    for event in events:
        assembler.feed(event)
    return assembler.assembly()
