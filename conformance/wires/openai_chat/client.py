"""Chat Completions, client half: build a request, read a message. Streams are put together in `assemble`.

Sources: openai/openai-openapi ``CreateChatCompletionRequest`` and ``CreateChatCompletionResponse``; openai SDK types
``openai.types.chat``.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from conformance.http import Request
from conformance.model import (
    REJECTED,
    TEXT_INPUT,
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    ImagePart,
    Json,
    ProviderError,
    ResultsTurn,
    Stop,
    TextInput,
    TextPart,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
    compact_json,
    result_text,
)
from conformance.wires.base import parse_arguments, text_sent
from conformance.wires.errors import provider_error
from conformance.wires.facts import items, obj
from conformance.wires.ids import fitting_id, unique_ids
from conformance.wires.naming import application_name, names_in
from conformance.wires.openai_chat.assemble import content_text
from conformance.wires.openai_chat.deviations import Deviations
from conformance.wires.openai_chat.failures import failure

OUTPUT_NAME = "answer"
"""What the schema of the answer is called. The format wants a name for it."""
NO_PARAMETERS: Mapping[str, Json] = {"type": "object", "properties": {}}


def build(deviations: Deviations, conversation: Conversation, *, stream: bool) -> Request:
    """The request that continues ``conversation``."""
    names = names_in(conversation)
    body: dict[str, Json] = {"model": conversation.model} if deviations.model_in_body else {}
    body["messages"] = list(ChatMessages(deviations, conversation).messages())
    body[deviations.max_tokens_field] = conversation.max_tokens
    if conversation.tools:
        body["tools"] = [_tool(deviations, tool, names) for tool in conversation.tools]
        body |= _choice(conversation, names)
    if conversation.output is not None:
        form = {"name": OUTPUT_NAME, "schema": conversation.output, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    body |= deviations.more_fields(conversation)
    if stream:
        body["stream"] = True
        if deviations.stream_options:
            body["stream_options"] = {"include_usage": True}
    url = deviations.endpoint.replace("{model}", quote(conversation.model, safe=""))
    return Request.post_json(url, body, deviations.card.key.placeholder)


def _tool(deviations: Deviations, tool: Tool, names: Mapping[str, str]) -> Json:
    if tool.text is not None:
        return {"type": "custom", "custom": _custom(tool, tool.text, names)}
    function: dict[str, Json] = {"name": names[tool.name], "description": tool.description}
    if tool.parameters is not None:
        function["parameters"] = tool.parameters if "type" in tool.parameters else {"type": "object", **tool.parameters}
    elif deviations.parameters_required:
        function["parameters"] = NO_PARAMETERS
    if tool.strict is not None:
        function["strict"] = tool.strict
    return {"type": "function", "function": function}


def _custom(tool: Tool, text: TextInput, names: Mapping[str, str]) -> Json:
    custom = {"name": names[tool.name], "description": tool.description}
    if text.syntax is None:
        return custom
    grammar = {"syntax": text.syntax, "definition": text.definition}
    return {**custom, "format": {"type": "grammar", "grammar": grammar}}


def _choice(conversation: Conversation, names: Mapping[str, str]) -> dict[str, Json]:
    choice = conversation.choice
    chosen: dict[str, Json] = {}
    if choice.mode == "tool":
        kind = "custom" if conversation.takes_text(choice.name) else "function"
        chosen["tool_choice"] = {"type": kind, kind: {"name": names.get(choice.name or "", choice.name)}}
    elif choice.mode in ("required", "none"):
        chosen["tool_choice"] = choice.mode
    if choice.parallel is not None:
        chosen["parallel_tool_calls"] = choice.parallel
    return chosen


class ChatMessages:
    """The turns of a conversation as messages.

    All answers to one assistant turn, results and rejections alike, must follow it directly, before anybody else
    speaks. So they are gathered first and sent together, in the order of the calls.
    """

    def __init__(self, deviations: Deviations, conversation: Conversation) -> None:
        self._deviations = deviations
        self._conversation = conversation
        self._names = names_in(conversation)
        self._order: dict[str, int] = {}
        self._results: list[ToolResult] = []

    def messages(self) -> Iterator[Json]:
        """All messages, the system message first."""
        bridge, previous = self._deviations.after_results, None
        for message in self._messages():
            if bridge is not None and previous == "tool" and message["role"] == "user":
                yield {"role": "assistant", "content": bridge}
            yield message
            previous = message["role"]

    def _messages(self) -> Iterator[Json]:
        if self._conversation.system is not None:
            yield {"role": "system", "content": self._conversation.system}
        for turn in self._conversation.turns:
            yield from self._turn(turn)
        yield from self._answers()

    def _turn(self, turn: Turn) -> Iterator[Json]:
        match turn:
            case UserTurn(text):
                yield from self._answers()
                yield {"role": "user", "content": text}
            case AssistantTurn():
                yield from self._answers()
                self._order = {call.id: position for position, call in enumerate(turn.calls)}
                yield self._assistant(turn)
            case ResultsTurn(results):
                self._results += results
            case DecisionsTurn(decisions):
                self._results += [_rejection(decision) for decision in decisions if not decision.accept]

    def _assistant(self, turn: AssistantTurn) -> Json:
        deviations = self._deviations
        refusal, text = turn.refusal, turn.text
        if not deviations.refusal_field:
            refusal, text = None, text or refusal or ""
        message: dict[str, Json] = {"role": "assistant", "content": text}
        if turn.calls and not text:
            message["content"] = deviations.no_content
        if refusal is not None:
            message["refusal"] = refusal
        if deviations.reasoning_replayed and self._conversation.reasoning:
            message |= self._reasoning(turn)
        if turn.calls:
            extra = obj(obj(turn.opaque).get("extra_content"))
            message["tool_calls"] = [{**self._call(call), **obj(extra.get(call.id))} for call in turn.calls]
        return message

    def _reasoning(self, turn: AssistantTurn) -> dict[str, Json]:
        kept = self._deviations.reasoning_items
        if kept is not None:
            return {kept: obj(turn.opaque)[kept]} if obj(turn.opaque).get(kept) else {}
        field = self._deviations.reasoning_field or ""
        if thought := obj(turn.opaque).get(field):
            return {field: thought}
        return {field: ""} if turn.calls else {}

    def _call(self, call: ToolCall) -> Json:
        if self._conversation.takes_text(call.name):
            custom = {"name": self._names.get(call.name, call.name), "input": call.text_input}
            return {"id": self._wire_id(call.id), "type": "custom", "custom": custom}
        # The format asks for JSON text, and hosts parse it: text that is no object stays readable inside of one.
        arguments = call.arguments if call.arguments is not None else {"invalid_arguments": call.raw or ""}
        function = {"name": self._names.get(call.name, call.name), "arguments": compact_json(arguments)}
        return {"id": self._wire_id(call.id), "type": "function", "function": function}

    def _answers(self) -> Iterator[Json]:
        last = len(self._order)
        results = sorted(self._results, key=lambda result: self._order.get(result.call_id, last))
        self._results = []
        for result in results:
            text = result_text(result)
            content = compact_json({"error": text}) if result.is_error else text
            yield {"role": "tool", "tool_call_id": self._wire_id(result.call_id), "content": content}
        if self._conversation.profile == "native" and self._deviations.images:
            yield from self._images(results)

    def _images(self, results: list[ToolResult]) -> Iterator[Json]:
        """The images of all results in one user message: tool messages hold text only."""
        parts = [part for result in results for part in self._image_parts(result)]
        if parts:
            yield {"role": "user", "content": parts}

    def _image_parts(self, result: ToolResult) -> Iterator[Json]:
        images = [part for part in result.content if isinstance(part, ImagePart)]
        if images:
            name, call_id = self._names.get(result.name, result.name), self._wire_id(result.call_id)
            yield {"type": "text", "text": f"What {name} returned for {call_id}:"}
        for image in images:
            data = base64.b64encode(image.data).decode()
            yield {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}}

    def _wire_id(self, call_id: str) -> str:
        deviations = self._deviations
        return fitting_id(call_id, deviations.id_pattern, deviations.id_length, deviations.id_prefix)


def _rejection(decision: Decision) -> ToolResult:
    return ToolResult(decision.call_id, decision.name, (TextPart(REJECTED),), is_error=True)


# --- reading ---------------------------------------------------------------------------------------------------------

STOPS: Mapping[Json, Stop] = {
    "length": "length",
    "model_length": "length",
    "content_filter": "refusal",
    "error": "error",
    "insufficient_system_resource": "error",
}
"""Finish reasons that say something of their own. ``model_length`` and ``error`` are Mistral's, ``error`` is
OpenRouter's too, ``insufficient_system_resource`` is DeepSeek's."""


def read(deviations: Deviations, body: Json, conversation: Conversation | None = None) -> AssistantTurn:
    """The turn in a chat completion. Calls count by their presence: finish reasons may lie."""
    choice = _first_choice(body)
    error = failure(body)
    if error is None and not choice:
        error = {"message": "the response has no choices"}
    if error is not None:
        return AssistantTurn(stop="error", error=provider_error(None, error))
    message = obj(choice.get("message"))
    calls = _calls(message, conversation)
    refusal = content_text(message.get("refusal")) or None
    stop, reported = _stop(choice.get("finish_reason"), bool(calls), refusal)
    return AssistantTurn(
        text=content_text(message.get("content")),
        calls=calls,
        stop=stop,
        refusal=refusal,
        usage=_usage(obj(body).get("usage")),
        error=reported,
        opaque=_opaque(deviations, message, calls),
    )


def answered_ids(body: Json) -> list[Json]:
    """The ids of the calls in a completion, as they came."""
    return [call.get("id") for call in _sent(obj(_first_choice(body).get("message")))]


def _first_choice(body: Json) -> Mapping[str, Json]:
    choices = [obj(choice) for _, choice in items(obj(body).get("choices"))]
    return next((choice for choice in choices if choice.get("index") in (0, None)), {})


def _sent(message: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """The calls of functions and of custom tools, or the one call of the form before ``tool_calls``.

    A ``function_call`` without a name is none: Snowflake sends one beside every text.
    """
    every = [obj(call) for _, call in items(message.get("tool_calls"))]
    sent = [call for call in every if isinstance(call.get("function"), dict) or isinstance(call.get("custom"), dict)]
    legacy = message.get("function_call")
    return sent or ([{"function": legacy}] if obj(legacy).get("name") else [])


def _calls(message: Mapping[str, Json], conversation: Conversation | None) -> tuple[ToolCall, ...]:
    sent = _sent(message)
    ids = unique_ids((call.get("id") for call in sent), conversation)
    return tuple(
        _call(call_id, call["function"], conversation) if isinstance(call.get("function"), dict)
        else _custom_call(call_id, call["custom"], conversation)
        for call_id, call in zip(ids, sent, strict=True)
    )  # fmt: skip


def _custom_call(call_id: str, custom: Mapping[str, Json], conversation: Conversation | None) -> ToolCall:
    name, text = application_name(str(custom.get("name") or ""), conversation), custom.get("input")
    return ToolCall(call_id, name, {TEXT_INPUT: text if isinstance(text, str) else ""})


def _call(call_id: str, function: Mapping[str, Json], conversation: Conversation | None) -> ToolCall:
    arguments, raw, invalid = parse_arguments(function.get("arguments"))
    name, sent = application_name(str(function.get("name") or ""), conversation), text_sent(function.get("arguments"))
    return ToolCall(call_id, name, arguments, raw, invalid, sent)


def _stop(finish: Json, calls: bool, refusal: str | None) -> tuple[Stop, ProviderError | None]:
    stop = STOPS.get(finish) if isinstance(finish, str) else None
    if stop == "error":
        return "error", ProviderError(f"the provider stopped: {finish}", type=str(finish), retryable=True)
    if stop is not None:
        return stop, None
    if refusal is not None:
        return "refusal", None
    return ("tool_calls" if calls else "end"), None


def _usage(usage: Json) -> Usage | None:
    """Token counts, when both are there."""
    counts = obj(usage)
    sent, received = counts.get("prompt_tokens"), counts.get("completion_tokens")
    return Usage(sent, received) if isinstance(sent, int) and isinstance(received, int) else None


def _opaque(deviations: Deviations, message: Mapping[str, Json], calls: tuple[ToolCall, ...]) -> Json:
    """What must come back: thinking, and what a host adds to calls (Gemini's compatible endpoint signs them)."""
    fields = (deviations.reasoning_field, deviations.reasoning_items)
    kept: dict[str, Json] = {field: message[field] for field in fields if field and message.get(field)}
    added = {
        call.id: {"extra_content": sent["extra_content"]}
        for call, sent in zip(calls, _sent(message), strict=True)
        if "extra_content" in sent
    }
    return kept | ({"extra_content": added} if added else {}) or None
