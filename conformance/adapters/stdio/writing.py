"""The neutral model as JSON on the wire.

A JSON document that belongs to the application (a call's arguments, a tool's schema, a structured result) is said
twice: as a value, and as exact text in a field whose name ends in ``_json``, because many languages read numbers as
doubles. Bytes are ``{"base64": "..."}``.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

from conformance.adapters.stdio.text import encode, exact
from conformance.http import Request, Response
from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    ImagePart,
    Json,
    JsonPart,
    Part,
    ProviderError,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
)

T = TypeVar("T")

REMEMBERED = 512
"""How many texts a `Writer` keeps."""


class Writer:
    """Writes conversations. Turns and tools are values that come again and again, so their texts are kept."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[object, str]] = {}
        self._last: tuple[Conversation | None, str] = None, ""

    def conversation(self, conversation: Conversation) -> str:
        """A conversation as JSON text. It mostly comes twice: to build the request, and to read the answer."""
        last, text = self._last
        if conversation is not last:
            turns = ",".join([self._text(turn, turn_json) for turn in conversation.turns])
            text = f'{{"turns":[{turns}],"tools":{self.tools(conversation.tools)},{_settings(conversation)}'
            self._last = conversation, text
        return text

    def tools(self, tools: tuple[Tool, ...]) -> str:
        """Declared tools as JSON text."""
        return self._text(tools, lambda tools: [tool_json(tool) for tool in tools])

    def _text(self, value: T, form: Callable[[T], Json]) -> str:
        known = self._texts.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        if len(self._texts) >= REMEMBERED:
            self._texts.clear()
        text = encode(form(value))
        self._texts[id(value)] = (value, text)
        return text


def _settings(conversation: Conversation) -> str:
    """What a conversation holds beside turns and tools, up to its closing brace."""
    choice = conversation.choice
    return _settings_text(
        (choice.mode, choice.name, choice.parallel),
        conversation.system,
        conversation.model,
        conversation.max_tokens,
        conversation.reasoning,
        conversation.profile,
    )


@lru_cache(maxsize=256)
def _settings_text(
    choice: tuple[str, str | None, bool | None],
    system: str | None,
    model: str,
    max_tokens: int,
    reasoning: bool,
    profile: str,
) -> str:
    return encode({
        "choice": dict(zip(("mode", "name", "parallel"), choice, strict=True)),
        "system": system,
        "model": model,
        "max_tokens": max_tokens,
        "reasoning": reasoning,
        "profile": profile,
    })[1:]  # fmt: skip


def tool_json(tool: Tool) -> Json:
    """A declared tool."""
    return {
        "name": tool.name,
        "description": tool.description,
        **_document("parameters", tool.parameters),
        "strict": tool.strict,
        "mcp": {"server": tool.mcp[0], "tool": tool.mcp[1]} if tool.mcp else None,
        "builtin": tool.builtin,
    }


def turn_json(turn: Turn) -> Json:
    """A turn, told apart by its ``type``."""
    match turn:
        case UserTurn(text):
            return {"type": "user", "text": text}
        case AssistantTurn():
            return {"type": "assistant", **assistant_json(turn)}
        case ResultsTurn(results):
            return {"type": "results", "results": [result_json(result) for result in results]}
        case DecisionsTurn(decisions):
            return {"type": "decisions", "decisions": [_decision(decision) for decision in decisions]}


def assistant_json(turn: AssistantTurn) -> dict[str, Json]:
    """What the model said. The adapter's own ``opaque`` must be JSON data: `encode` says so when it is not."""
    return {
        "text": turn.text,
        "calls": [call_json(call) for call in turn.calls],
        "stop": turn.stop,
        "refusal": turn.refusal,
        "usage": _usage(turn.usage),
        "error": _error(turn.error),
        "opaque": turn.opaque,
    }


def call_json(call: ToolCall) -> Json:
    """A call, with its arguments as value and as text."""
    return {
        "id": call.id,
        "name": call.name,
        **_document("arguments", call.arguments),
        "raw": call.raw,
        "invalid": call.invalid,
    }


def _document(name: str, value: Json) -> dict[str, Json]:
    return {name: value, f"{name}_json": None if value is None else exact(value)}


def _usage(usage: Usage | None) -> Json:
    return None if usage is None else {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}


def _error(error: ProviderError | None) -> Json:
    if error is None:
        return None
    return {
        "message": error.message,
        "status": error.status,
        "type": error.type,
        "retryable": error.retryable,
        "retry_after": error.retry_after,
    }


def result_json(result: ToolResult) -> Json:
    """What a tool returned."""
    return {
        "call_id": result.call_id,
        "name": result.name,
        "content": [_part(part) for part in result.content],
        "is_error": result.is_error,
    }


def _part(part: Part) -> Json:
    match part:
        case TextPart(text):
            return {"type": "text", "text": text}
        case JsonPart(value):
            return {"type": "json", "value": value, "value_json": exact(value)}
        case ImagePart(media_type, data):
            return {"type": "image", "media_type": media_type, "data": bytes_json(data)}


def _decision(decision: Decision) -> Json:
    return {"call_id": decision.call_id, "name": decision.name, "accept": decision.accept}


# --- HTTP ------------------------------------------------------------------------------------------------------------


def request_text(request: Request) -> str:
    """An HTTP request as JSON text."""
    head = encode({"method": request.method, "url": request.url, "headers": dict(request.headers)})
    return f'{head[:-1]},"body":{{"base64":"{base64_text(request.body)}"}}}}'


def response_text(response: Response) -> str:
    """An HTTP response as JSON text. Base64 needs no escapes."""
    headers, body = _headers_text(*response.headers.items()), base64_text(response.body)
    return f'{{"status":{response.status},"headers":{headers},"body":{{"base64":"{body}"}}}}'


@lru_cache(maxsize=64)
def _headers_text(*headers: tuple[str, str]) -> str:
    return encode(dict(headers))


def bytes_json(data: bytes) -> Mapping[str, str]:
    """Bytes of any kind."""
    return {"base64": base64_text(data)}


def base64_text(data: bytes) -> str:
    """``data`` in base64, with padding and without line ends."""
    return b2a_base64(data, newline=False).decode("ascii")


_ONE_BYTE = {bytes((value,)): base64_text(bytes((value,))) for value in range(256)}


def chunks_text(chunks: Iterable[bytes]) -> str:
    """The chunks of a stream as the JSON text of a list. Base64 needs no escapes, and single bytes are common."""
    known = _ONE_BYTE.get
    pieces = [known(chunk) or base64_text(chunk) for chunk in chunks]
    return '["' + '","'.join(pieces) + '"]' if pieces else "[]"
