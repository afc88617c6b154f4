"""Ollama, client half: build a request; read a message or its stream.

Sources: ollama/ollama ``api/types.go`` (``ChatRequest``, ``Message``, ``ToolCall``), ``docs/api.md``,
``docs/capabilities/tool-calling.mdx``, ``docs/api/streaming.mdx``; recorded traffic.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping

from conformance.http import Request, StreamEvent
from conformance.model import (
    REJECTED,
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    ImagePart,
    Json,
    Profile,
    ProviderError,
    ResultsTurn,
    Stop,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
    compact_json,
    part_text,
)
from conformance.wires.base import Assembly, parse_arguments
from conformance.wires.errors import provider_error
from conformance.wires.facts import items, obj
from conformance.wires.ids import unique_ids
from conformance.wires.naming import application_name, names_in

ENDPOINT = "http://localhost:11434/api/chat"
OPAQUE = "ollama_thinking"
"""The key under which a turn's ``opaque`` holds what the model thought."""
NO_PARAMETERS: Mapping[str, Json] = {"type": "object", "properties": {}}


def build(conversation: Conversation, *, stream: bool) -> Request:
    """The request that continues ``conversation``.

    The format has no tool choice and no parallel switch. ``none`` is kept by offering no tools; the others are dropped.
    """
    body: dict[str, Json] = {
        "model": conversation.model,
        "messages": list(OllamaMessages(conversation).messages()),
        "stream": stream,  # always said: the server's default is to stream
        "options": {"num_predict": conversation.max_tokens},
    }
    if conversation.tools and conversation.choice.mode != "none":
        names = names_in(conversation)
        body["tools"] = [_tool(tool, names) for tool in conversation.tools]
    if conversation.reasoning:
        body["think"] = True
    return Request.post_json(ENDPOINT, body)


def _tool(tool: Tool, names: Mapping[str, str]) -> Json:
    parameters = tool.parameters if tool.parameters is not None else NO_PARAMETERS
    function = {"name": names[tool.name], "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


class OllamaMessages:
    """The turns of a conversation as messages.

    Order and name tie results to calls: ids are optional, and nobody looks whether they are the server's or made here.
    So the answers to one assistant turn, results and rejections alike, are gathered first and then sent in the order of
    its calls.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._names = names_in(conversation)
        self._order: dict[str, int] = {}
        self._answers: list[tuple[str, Json]] = []

    def messages(self) -> Iterator[Json]:
        """All messages, the system message first."""
        if self._conversation.system is not None:
            yield {"role": "system", "content": self._conversation.system}
        for turn in self._conversation.turns:
            yield from self._turn(turn)
        yield from self._answered()

    def _turn(self, turn: Turn) -> Iterator[Json]:
        match turn:
            case UserTurn(text):
                yield from self._answered()
                yield {"role": "user", "content": text}
            case AssistantTurn():
                yield from self._answered()
                self._order = {call.id: position for position, call in enumerate(turn.calls)}
                yield self._assistant(turn)
            case ResultsTurn(results):
                self._answers += [(result.call_id, self._result(result)) for result in results]
            case DecisionsTurn(decisions):
                self._answers += [
                    (item.call_id, self._tool_message(item.call_id, item.name, compact_json({"error": REJECTED})))
                    for item in decisions
                    if not item.accept
                ]

    def _answered(self) -> Iterator[Json]:
        last = len(self._order)
        for _, message in sorted(self._answers, key=lambda answer: self._order.get(answer[0], last)):
            yield message
        self._answers = []

    def _assistant(self, turn: AssistantTurn) -> Json:
        message: dict[str, Json] = {"role": "assistant", "content": turn.text or turn.refusal or ""}
        if thinking := obj(turn.opaque).get(OPAQUE):
            message["thinking"] = thinking
        if turn.calls:
            message["tool_calls"] = [self._call(call) for call in turn.calls]
        return message

    def _call(self, call: ToolCall) -> Json:
        # The server decodes arguments into a map: anything but an object is a 400. What was none stays readable in one.
        arguments = call.arguments if call.arguments is not None else {"invalid_arguments": call.raw or ""}
        function = {"name": self._names.get(call.name, call.name), "arguments": arguments}
        return {"id": call.id, "function": function}

    def _result(self, result: ToolResult) -> Json:
        text, images = _content(result, self._conversation.profile)
        message = self._tool_message(
            result.call_id, result.name, compact_json({"error": text}) if result.is_error else text
        )
        return {**message, "images": images} if images else message

    def _tool_message(self, call_id: str, name: str, content: str) -> dict[str, Json]:
        tool_name = self._names.get(name, name)
        return {"role": "tool", "content": content, "tool_name": tool_name, "tool_call_id": call_id}


def _content(result: ToolResult, profile: Profile) -> tuple[str, list[str]]:
    """A result's text and its images in base64. The portable profile sends a summary instead of an image."""
    images = [part for part in result.content if isinstance(part, ImagePart) and profile == "native"]
    texts = [part_text(part) for part in result.content if profile != "native" or not isinstance(part, ImagePart)]
    return "\n".join(texts), [base64.b64encode(image.data).decode() for image in images]


# --- reading ---------------------------------------------------------------------------------------------------------


def read(body: Json, conversation: Conversation | None = None) -> AssistantTurn:
    """The turn in a chat response. Calls count by their presence: the done reason beside them is ``stop``."""
    answer = obj(body)
    if answer.get("error"):
        return AssistantTurn(stop="error", error=provider_error(None, answer["error"]))
    message, sent = obj(answer.get("message")), _sent(body)
    ids = unique_ids((call.get("id") for call in sent), conversation)
    calls = tuple(_call(call_id, call["function"], conversation) for call_id, call in zip(ids, sent, strict=True))
    thinking = _text(message, "thinking")
    return AssistantTurn(
        text=_text(message, "content"),
        calls=calls,
        stop=_stop(answer.get("done_reason"), bool(calls)),
        usage=read_usage(answer),
        opaque={OPAQUE: thinking} if thinking else None,
    )


def answered_ids(body: Json) -> list[Json]:
    """The ids of the calls in a chat response, as they came."""
    return [call.get("id") for call in _sent(body)]


def _sent(body: Json) -> list[Mapping[str, Json]]:
    if obj(body).get("error"):
        return []
    calls = items(obj(obj(body).get("message")).get("tool_calls"))
    return [obj(call) for _, call in calls if isinstance(obj(call).get("function"), dict)]


def _call(call_id: str, function: Mapping[str, Json], conversation: Conversation | None) -> ToolCall:
    arguments, raw, invalid = parse_arguments(function.get("arguments"))
    return ToolCall(call_id, application_name(str(function.get("name") or ""), conversation), arguments, raw, invalid)


def _text(message: Mapping[str, Json], field: str) -> str:
    value = message.get(field)
    return value if isinstance(value, str) else ""


def _stop(done_reason: Json, calls: bool) -> Stop:
    if done_reason == "length":
        return "length"
    return "tool_calls" if calls else "end"


def read_usage(answer: Mapping[str, Json]) -> Usage | None:
    """Token counts. The server leaves out a count of 0, such as the prompt's when all of it was cached."""
    sent, received = answer.get("prompt_eval_count"), answer.get("eval_count")
    if not isinstance(sent, int) and not isinstance(received, int):
        return None
    return Usage(sent if isinstance(sent, int) else 0, received if isinstance(received, int) else 0)


# --- streams ---------------------------------------------------------------------------------------------------------


class OllamaAssembler:
    """Puts lines together into the message that they amount to.

    Content and thinking come in pieces, calls come whole, on any line and on several. The line with ``done: true`` is
    the last; its counts and its reason are the answer's.
    """

    def __init__(self) -> None:
        self.content: list[str] = []
        self.thinking: list[str] = []
        self.calls: list[Json] = []
        self.envelope: dict[str, Json] = {}
        self.error: ProviderError | None = None
        self.done = False

    def feed(self, event: StreamEvent) -> None:
        """Take one line. What is no JSON says nothing; who asks for damage finds it in the events."""
        if self.done:
            return
        line = obj(event.document)
        if line.get("error"):
            self.error = provider_error(None, line["error"])
            return
        self.envelope |= line
        message = obj(line.get("message"))
        self.content.append(_text(message, "content"))
        self.thinking.append(_text(message, "thinking"))
        self.calls += [call for _, call in items(message.get("tool_calls"))]
        self.done = line.get("done") is True

    def assembly(self) -> Assembly:
        """The message so far. It is whole once its last line came."""
        message: dict[str, Json] = {"role": "assistant", "content": "".join(self.content)}
        if thinking := "".join(self.thinking):
            message["thinking"] = thinking
        if self.calls:
            message["tool_calls"] = self.calls
        body = {**self.envelope, "message": message}
        return Assembly(body, self.done, error=self.error, thinking=thinking)


def assemble(events: Iterable[StreamEvent]) -> Assembly:
    """The blocking body that a stream of lines amounts to."""
    assembler = OllamaAssembler()
    for event in events:
        assembler.feed(event)
    return assembler.assembly()
