"""The neutral model as JSON text on the wire. It is put together here: building documents only to write them is slower.

A JSON document that belongs to the application (a call's arguments, a tool's schema, a structured result) is said
twice: as a value, and as exact text in a field whose name ends in ``_json``, because many languages read numbers as
doubles. Bytes are ``{"base64": "..."}``.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

from conformance.adapters.served import HttpAnswer
from conformance.adapters.stdio.text import encode, exact, quote
from conformance.http import Request, Response
from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    Held,
    ImagePart,
    Json,
    JsonPart,
    Parsed,
    Part,
    ProviderError,
    ResourcePart,
    ResultsTurn,
    TextInput,
    TextPart,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
)

T = TypeVar("T")


def base64_text(data: bytes, write: Callable[..., bytes] = b2a_base64) -> str:
    """Bytes as a string in base64, with padding. That needs no escapes."""
    return f'"{write(data, newline=False).decode()}"'


FLAGS: Mapping[bool | None, str] = {None: "null", False: "false", True: "true"}
"""Flags as JSON text."""

REMEMBERED = 512
"""How many texts a `ConversationWriter` keeps, of tools and of turns."""


class ConversationWriter:
    """Writes conversations. Turns and tools are values that come again and again, so their texts are kept."""

    def __init__(self) -> None:
        self._turns, self._tools = _Texts(turn_text), _Texts(tool_text)
        self._last: tuple[Conversation | None, str] = None, ""

    def conversation(self, conversation: Conversation) -> str:
        """A conversation as JSON text. It mostly comes twice: to build the request, and to read the answer."""
        last, text = self._last
        if conversation is not last:
            turns = ",".join([self._turns.of(turn) for turn in conversation.turns])
            text = f'{{"turns":[{turns}],"tools":{self.tools(conversation.tools)},{_settings(conversation)}'
            self._last = conversation, text
        return text

    def tools(self, tools: tuple[Tool, ...]) -> str:
        """Declared tools as JSON text."""
        return f"[{','.join([self._tools.of(tool) for tool in tools])}]"


class _Texts(Generic[T]):
    """The texts of values that nobody changes, by identity: comparing a schema takes longer than writing it."""

    def __init__(self, form: Callable[[T], str]) -> None:
        self._form = form
        self._known: dict[int, tuple[T, str]] = {}

    def of(self, value: T) -> str:
        known = self._known.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        text = self._form(value)
        self._known[id(value)] = value, text
        return text

    def __len__(self) -> int:
        return len(self._known)


def _settings(conversation: Conversation) -> str:
    """What a conversation holds beside turns and tools, up to its closing brace."""
    choice = conversation.choice
    return f"{_optional('output', conversation.output)}," + _settings_text(
        (choice.mode, choice.name, choice.parallel),
        conversation.system,
        conversation.model,
        conversation.max_tokens,
        conversation.reasoning,
        conversation.caching,
        conversation.profile,
    )


@lru_cache(maxsize=256)
def _settings_text(
    choice: tuple[str, str | None, bool | None],
    system: str | None,
    model: str,
    max_tokens: int,
    reasoning: bool,
    caching: bool,
    profile: str,
) -> str:
    return encode({
        "choice": dict(zip(("mode", "name", "parallel"), choice, strict=True)),
        "system": system,
        "model": model,
        "max_tokens": max_tokens,
        "reasoning": reasoning,
        "caching": caching,
        "profile": profile,
    })[1:]  # fmt: skip


def tool_text(tool: Tool) -> str:
    """A declared tool."""
    mcp = encode({"server": tool.mcp[0], "tool": tool.mcp[1]} if tool.mcp else None)
    return (
        f'{{"name":{quote(tool.name)},"description":{_string(tool.description)},'
        f'{_optional("parameters", tool.parameters)},"strict":{FLAGS[tool.strict]},"mcp":{mcp},'
        f'"builtin":{encode(tool.builtin)},"text":{encode(_text_input(tool.text))},'
        f'"kind":{encode(tool.kind)},"server":{encode(tool.server)}}}'
    )


def _text_input(text: TextInput | None) -> Json:
    return None if text is None else {"syntax": text.syntax, "definition": text.definition}


def turn_text(turn: Turn) -> str:
    """A turn, told apart by its ``type``."""
    match turn:
        case UserTurn(text):
            return f'{{"type":"user","text":{quote(text)}}}'
        case AssistantTurn():
            return f'{{"type":"assistant",{assistant_text(turn)[1:]}'
        case ResultsTurn(results):
            return f'{{"type":"results","results":[{",".join([result_json(result) for result in results])}]}}'
        case DecisionsTurn(decisions):
            return f'{{"type":"decisions","decisions":{encode([_decision(decision) for decision in decisions])}}}'


def assistant_text(turn: AssistantTurn, opaque: Callable[[Json], str] | None = None) -> str:
    """What the model said. Raises `TypeError` when something is no JSON data.

    ``opaque`` writes the adapter's own; without it that must be JSON data too.
    """
    own = (opaque or _own)(turn.opaque)
    calls = ",".join([call_text(call) for call in turn.calls])
    return (
        f'{{"text":{_string(turn.text)},"calls":[{calls}],"stop":{_string(turn.stop)},"refusal":{_string(turn.refusal)},'
        f'"usage":{_usage(turn.usage)},"error":{_error(turn.error)},"opaque":{own}{_parsed(turn.parsed)}'
        f'{_message(turn.message)}}}'
    )


def _parsed(parsed: Parsed | None) -> str:
    """What the text means, as value and as exact text, where that is told."""
    return "" if parsed is None else f',"parsed":{{{_optional("value", parsed.value)}}}'


def _message(message: Json) -> str:
    """The whole answer in the provider's form, as value and as exact text, where that is told."""
    return "" if message is None else f',{_document("message", message)}'


def call_text(call: ToolCall) -> str:
    """A call, with its arguments as value and as text."""
    sent = "" if call.sent is None else f',"sent":{quote(call.sent)}'
    return (
        f'{{"id":{_string(call.id)},"name":{_string(call.name)},{_optional("arguments", call.arguments)},'
        f'"raw":{_string(call.raw)},"invalid":{FLAGS[call.invalid]}{sent}}}'
    )


def _own(opaque: Json) -> str:
    """An adapter's own data: itself, or the number under which its process holds it."""
    if isinstance(opaque, Held):
        return f'{{"held":{opaque.number}}}'
    return "null" if opaque is None else encode(opaque)


def _string(text: str | None) -> str:
    return "null" if text is None else quote(text)


def _optional(name: str, value: Json) -> str:
    return f'"{name}":null,"{name}_json":null' if value is None else _document(name, value)


def _document(name: str, value: Json) -> str:
    """A document as value and as exact text. Mostly that text will do for both."""
    text = exact(value)
    plain = text.isascii() and "Infinity" not in text and "NaN" not in text
    return f'"{name}":{text if plain else encode(value)},"{name}_json":{quote(text)}'


def _usage(usage: Usage | None) -> str:
    if usage is None:
        return "null"
    return encode({"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens})


def _error(error: ProviderError | None) -> str:
    if error is None:
        return "null"
    return encode({
        "message": error.message,
        "status": error.status,
        "type": error.type,
        "retryable": error.retryable,
        "retry_after": error.retry_after,
    })  # fmt: skip


def result_json(result: ToolResult) -> str:
    """What a tool returned."""
    content = ",".join([_part(part) for part in result.content])
    return (
        f'{{"call_id":{quote(result.call_id)},"name":{quote(result.name)},"content":[{content}],'
        f'"is_error":{FLAGS[result.is_error]}}}'
    )


def _part(part: Part) -> str:
    match part:
        case TextPart(text):
            return f'{{"type":"text","text":{quote(text)}}}'
        case JsonPart(value):
            return f'{{"type":"json",{_document("value", value)}}}'
        case ImagePart(media_type, data):
            return f'{{"type":"image","media_type":{quote(media_type)},"data":{_bytes(data)}}}'
        case ResourcePart(uri, name, description, media_type, text):
            told = {"uri": uri, "name": name, "description": description, "media_type": media_type, "text": text}
            return encode({"type": "resource", **told})


def _decision(decision: Decision) -> Json:
    return {"call_id": decision.call_id, "name": decision.name, "accept": decision.accept}


# --- HTTP ------------------------------------------------------------------------------------------------------------


def request_text(request: Request) -> str:
    """An HTTP request as JSON text."""
    headers = _headers_text(*request.headers.items())
    return (
        f'{{"method":{quote(request.method)},"url":{quote(request.url)},"headers":{headers},'
        f'"body":{_bytes(request.body)}}}'
    )


def response_text(response: Response) -> str:
    """An HTTP response as JSON text."""
    headers = _headers_text(*response.headers.items())
    return f'{{"status":{response.status},"headers":{headers},"body":{_bytes(response.body)}}}'


def served_text(served: HttpAnswer) -> str:
    """What an endpoint answers, as JSON text: status, headers, the chunks that arrive one by one, and whether the
    connection is lost then."""
    headers, lost = _headers_text(*served.headers.items()), FLAGS[served.lost]
    return f'{{"status":{served.status},"headers":{headers},"chunks":{cut_text(served.chunks)},"lost":{lost}}}'


@lru_cache(maxsize=64)
def _headers_text(*headers: tuple[str, str]) -> str:
    return encode(dict(headers))


def _bytes(data: bytes) -> str:
    """Bytes of any kind."""
    return f'{{"base64":{base64_text(data)}}}'


def cut_text(chunks: Sequence[bytes]) -> str:
    """The chunks of a stream for our own child: all bytes as one text, and the size of every chunk."""
    return f'{{"base64":{base64_text(b"".join(chunks))},"sizes":{encode([*map(len, chunks)])}}}'


def chunks_text(chunks: Iterable[bytes]) -> str:
    """The chunks of a stream as the JSON text of a list."""
    return f"[{','.join([base64_text(chunk) for chunk in chunks])}]"
