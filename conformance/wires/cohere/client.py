"""Cohere, client half: build a request, read a message. Streams are put together in `assemble`.

Sources: cohere-ai/cohere-developer-experience ``cohere-openapi.yaml`` (``/v2/chat``, ``ChatMessageV2``, ``ToolV2``,
``AssistantMessageResponse``, ``ChatFinishReason``, ``Usage``); cohere 7.3.1 ``cohere.types``; docs.cohere.com "Usage
patterns for tool use". Text beside calls is refused, and belongs into ``tool_plan``: vercel/ai#5794.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import Request
from conformance.model import (
    REJECTED,
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    Json,
    ProviderError,
    ResultsTurn,
    Stop,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
    compact_json,
    result_text,
)
from conformance.wires.base import parse_arguments, text_sent
from conformance.wires.cohere.card import CARD
from conformance.wires.errors import provider_error
from conformance.wires.facts import items, obj
from conformance.wires.ids import unique_ids
from conformance.wires.naming import application_name, names_in

ENDPOINT = f"{CARD.base_url}/v2/chat"
NO_PARAMETERS: Mapping[str, Json] = {"type": "object", "properties": {}}


def build(conversation: Conversation, *, stream: bool) -> Request:
    """The request that continues ``conversation``.

    The format cannot name a forced tool: the model then has to call some tool. Strictness holds for all tools or none.
    """
    body: dict[str, Json] = {
        "model": conversation.model,
        "messages": list(Replay(conversation).messages()),
        "max_tokens": conversation.max_tokens,
        "stream": stream,
    }
    if conversation.tools:
        names = names_in(conversation)
        body["tools"] = [_tool(tool, names) for tool in conversation.tools]
        body |= _choice(conversation.choice)
        if any(tool.strict for tool in conversation.tools):
            body["strict_tools"] = True
    if conversation.reasoning:
        body["thinking"] = {"type": "enabled"}
    return Request.post_json(ENDPOINT, body, CARD.key.placeholder)


def _tool(tool: Tool, names: Mapping[str, str]) -> Json:
    parameters = NO_PARAMETERS if tool.parameters is None else tool.parameters
    typed = parameters if "type" in parameters else {"type": "object", **parameters}
    function = {"name": names[tool.name], "description": tool.description, "parameters": typed}
    return {"type": "function", "function": function}


def _choice(choice: ToolChoice) -> dict[str, Json]:
    if choice.mode == "auto":
        return {}
    return {"tool_choice": "NONE" if choice.mode == "none" else "REQUIRED"}


class Replay:
    """The turns of a conversation as messages.

    The answers to one assistant turn, results and rejections alike, are gathered and sent together, in the order of its
    calls.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._names = names_in(conversation)
        self._order: dict[str, int] = {}
        self._results: list[ToolResult] = []

    def messages(self) -> Iterator[Json]:
        """All messages, the system message first."""
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
                self._results += [
                    ToolResult(item.call_id, item.name, (TextPart(REJECTED),), is_error=True)
                    for item in decisions
                    if not item.accept
                ]

    def _assistant(self, turn: AssistantTurn) -> Json:
        text, thoughts = turn.text or turn.refusal or "", self._thoughts(turn)
        if not turn.calls:
            return {"role": "assistant", "content": [*thoughts, {"type": "text", "text": text}] if thoughts else text}
        message: dict[str, Json] = {"role": "assistant"}
        if thoughts:
            message["content"] = thoughts
        if text:
            message["tool_plan"] = text
        return {**message, "tool_calls": [self._call(call) for call in turn.calls]}

    def _thoughts(self, turn: AssistantTurn) -> list[Json]:
        """The blocks of thinking that `read` left in the turn."""
        if not self._conversation.reasoning:
            return []
        return [block for _, block in items(obj(turn.opaque).get("thinking"))]

    def _call(self, call: ToolCall) -> Json:
        # The format asks for JSON text: text that is no object stays readable inside of one.
        arguments = call.arguments if call.arguments is not None else {"invalid_arguments": call.raw or ""}
        function = {"name": self._names.get(call.name, call.name), "arguments": compact_json(arguments)}
        return {"id": call.id, "type": "function", "function": function}

    def _answers(self) -> Iterator[Json]:
        last = len(self._order)
        for result in sorted(self._results, key=lambda result: self._order.get(result.call_id, last)):
            text = result_text(result)
            content = compact_json({"error": text}) if result.is_error else text
            yield {"role": "tool", "tool_call_id": result.call_id, "content": content}
        self._results = []


# --- reading ---------------------------------------------------------------------------------------------------------

STOPS: Mapping[Json, Stop] = {"MAX_TOKENS": "length", "ERROR": "error", "TIMEOUT": "error"}
"""Finish reasons that say something of their own."""


def read(body: Json, conversation: Conversation | None = None) -> AssistantTurn:
    """The turn in a chat response. Calls count by their presence. A plan is what the model says beside its calls."""
    answer = obj(body)
    message, sent = obj(answer.get("message")), _sent(body)
    if not message:
        return AssistantTurn(stop="error", error=provider_error(None, {"message": "the response has no message"}))
    ids = unique_ids((call.get("id") for call in sent), conversation)
    calls = tuple(_call(call_id, call["function"], conversation) for call_id, call in zip(ids, sent, strict=True))
    stop, error = _stop(answer.get("finish_reason"), bool(calls))
    text, plan = _said(message.get("content")), message.get("tool_plan")
    if isinstance(plan, str) and (calls or not text):
        text = plan + text
    return AssistantTurn(
        text=text, calls=calls, stop=stop, usage=_usage(answer.get("usage")), error=error, opaque=_opaque(message)
    )


def answered_ids(body: Json) -> list[Json]:
    """The ids of the calls in a chat response, as they came."""
    return [call.get("id") for call in _sent(body)]


def _sent(body: Json) -> list[Mapping[str, Json]]:
    calls = items(obj(obj(body).get("message")).get("tool_calls"))
    return [obj(call) for _, call in calls if isinstance(obj(call).get("function"), dict)]


def _call(call_id: str, function: Mapping[str, Json], conversation: Conversation | None) -> ToolCall:
    arguments, raw, invalid = parse_arguments(function.get("arguments"))
    name, sent = application_name(str(function.get("name") or ""), conversation), text_sent(function.get("arguments"))
    return ToolCall(call_id, name, arguments, raw, invalid, sent)


def _said(content: Json) -> str:
    if isinstance(content, str):
        return content
    texts = (obj(block).get("text") for _, block in items(content) if obj(block).get("type") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def _stop(finish: Json, calls: bool) -> tuple[Stop, ProviderError | None]:
    stop = STOPS.get(finish) if isinstance(finish, str) else None
    if stop == "error":
        return "error", ProviderError(f"the provider stopped: {finish}", type=str(finish), retryable=True)
    return stop or ("tool_calls" if calls else "end"), None


def _usage(usage: Json) -> Usage | None:
    """Token counts, which come as numbers with a fraction. Those that are billed are fewer, and come second."""
    for counts in (obj(obj(usage).get("tokens")), obj(obj(usage).get("billed_units"))):
        sent, received = counts.get("input_tokens"), counts.get("output_tokens")
        if isinstance(sent, int | float) and isinstance(received, int | float):
            return Usage(int(sent), int(received))
    return None


def _opaque(message: Mapping[str, Json]) -> Json:
    """What the next request needs: the thinking."""
    blocks = [block for _, block in items(message.get("content")) if obj(block).get("type") == "thinking"]
    return {"thinking": blocks} if blocks else None
