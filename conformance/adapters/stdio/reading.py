"""The neutral model from JSON on the wire. What has the wrong form raises `WrongForm`, with its place."""

from __future__ import annotations

import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

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
    ToolChoice,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
)

T = TypeVar("T")


class WrongForm(ValueError):
    """A value that is not what the protocol says. The message begins with a JSON pointer to it."""

    def __init__(self, at: str, words: str) -> None:
        super().__init__(f"{at or '/'}: {words}")


class Fields:
    """The fields of one JSON object, each taken with its type. What is absent or null gets the default."""

    def __init__(self, value: Json, at: str, *known: str) -> None:
        if not isinstance(value, dict):
            raise WrongForm(at, f"must be an object, found {described(value)}")
        self._value: dict[str, Json] = value
        self.at = at
        unknown = next((key for key in value if key not in known), None)
        if unknown is not None:
            raise WrongForm(at, f"unknown field {unknown!r}; fields: {', '.join(known)}")

    def any(self, name: str, default: Json = None) -> Json:
        """Any value."""
        value = self._value.get(name)
        return default if value is None else value

    def need(self, name: str, *kinds: type) -> Any:
        """A value that must be there."""
        value = self._value.get(name)
        if value is None or not _is(value, kinds):
            raise WrongForm(f"{self.at}/{name}", f"must be {_words(kinds)}, found {described(value)}")
        return value

    def take(self, name: str, kind: type, default: Any) -> Any:
        """A value that may be absent."""
        return default if self._value.get(name) is None else self.need(name, kind)

    def items(self, name: str, read: Callable[[Json, str], T]) -> tuple[T, ...]:
        """The items of a list, which may be absent."""
        found: list[Json] = self.take(name, list, [])
        return tuple([read(item, f"{self.at}/{name}/{place}") for place, item in enumerate(found)])

    def document(self, name: str) -> Json:
        """A document: of its exact text, if that is given, else of the value."""
        text = self.take(f"{name}_json", str, None)
        if text is None:
            return self._value.get(name)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise WrongForm(f"{self.at}/{name}_json", f"is not JSON text: {problem}") from None


def _is(value: Json, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds)


_NAMES = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "an integer", float: "a number"}


def _words(kinds: tuple[type, ...]) -> str:
    return "a number" if float in kinds else _NAMES[kinds[0]]


def described(value: Json) -> str:
    """What kind of JSON value ``value`` is."""
    return "nothing" if value is None else _NAMES.get(type(value), type(value).__name__)


# --- what an adapter answers -----------------------------------------------------------------------------------------


def request(value: Json) -> Request:
    """An HTTP request."""
    fields = Fields(value, "", "method", "url", "headers", "body")
    headers = fields.take("headers", dict, {})
    for name, header in headers.items():
        if not isinstance(header, str):
            raise WrongForm(f"/headers/{name}", f"must be a string, found {described(header)}")
    body = fields.any("body")
    return Request(fields.need("method", str), fields.need("url", str), headers, data(body, "/body") if body else b"")


def assistant(value: Json, at: str = "") -> AssistantTurn:
    """What the model said, of a turn's own fields or of an assistant turn in a conversation."""
    fields = Fields(value, at, "type", "text", "calls", "stop", "refusal", "usage", "error", "opaque")
    return AssistantTurn(
        text=fields.take("text", str, ""),
        calls=fields.items("calls", call),
        stop=fields.take("stop", str, "end"),
        refusal=fields.take("refusal", str, None),
        usage=_usage(fields.any("usage"), f"{at}/usage"),
        error=_error(fields.any("error"), f"{at}/error"),
        opaque=fields.any("opaque"),
    )


def call(value: Json, at: str) -> ToolCall:
    """A call. Its ``arguments_json`` counts before its ``arguments``."""
    fields = Fields(value, at, "id", "name", "arguments", "arguments_json", "raw", "invalid")
    return ToolCall(
        fields.need("id", str),
        fields.need("name", str),
        fields.document("arguments"),
        fields.take("raw", str, None),
        fields.take("invalid", bool, False),
    )


def _usage(value: Json, at: str) -> Usage | None:
    if value is None:
        return None
    fields = Fields(value, at, "input_tokens", "output_tokens")
    return Usage(fields.need("input_tokens", int), fields.need("output_tokens", int))


def _error(value: Json, at: str) -> ProviderError | None:
    if value is None:
        return None
    fields = Fields(value, at, "message", "status", "type", "retryable", "retry_after")
    wait = None if fields.any("retry_after") is None else fields.need("retry_after", int, float)
    return ProviderError(
        fields.need("message", str),
        fields.take("status", int, None),
        fields.take("type", str, None),
        fields.take("retryable", bool, None),
        wait,
    )


def data(value: Json, at: str) -> bytes:
    """Bytes."""
    return of_base64(Fields(value, at, "base64").need("base64", str), f"{at}/base64")


def of_base64(text: str, at: str) -> bytes:
    """The bytes in base64 text, padding included."""
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except ValueError as problem:
        raise WrongForm(at, f"is not base64: {problem}") from None


# --- what the harness sends ------------------------------------------------------------------------------------------


def response(value: Json) -> Response:
    """An HTTP response."""
    fields = Fields(value, "/response", "status", "headers", "body")
    headers = fields.take("headers", dict, {})
    return Response(fields.need("status", int), headers, data(fields.any("body"), "/response/body"))


_ONE_BYTE = {binascii.b2a_base64(bytes((value,)), newline=False).decode(): bytes((value,)) for value in range(256)}


def chunks(values: Json) -> list[bytes]:
    """The chunks of a stream."""
    known = _ONE_BYTE.get
    return [known(text) or of_base64(text, "/chunks") for text in values]


def conversation(value: Json) -> Conversation:
    """A whole conversation."""
    fields = Fields(
        value, "", "turns", "tools", "choice", "system", "model", "max_tokens", "reasoning", "profile"
    )  # fmt: skip
    return Conversation(
        turns=fields.items("turns", turn),
        tools=fields.items("tools", tool),
        choice=_choice(fields.any("choice", {}), "/choice"),
        system=fields.take("system", str, None),
        model=fields.need("model", str),
        max_tokens=fields.need("max_tokens", int),
        reasoning=fields.take("reasoning", bool, False),
        profile=fields.take("profile", str, "portable"),
    )


def turn(value: Json, at: str) -> Turn:
    """A turn of any type."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    match kind:
        case "user":
            return UserTurn(Fields(value, at, "type", "text").need("text", str))
        case "assistant":
            return assistant(value, at)
        case "results":
            return ResultsTurn(Fields(value, at, "type", "results").items("results", result))
        case "decisions":
            return DecisionsTurn(Fields(value, at, "type", "decisions").items("decisions", _decision))
    raise WrongForm(f"{at}/type", "must be user, assistant, results or decisions")


def tool(value: Json, at: str) -> Tool:
    """A declared tool."""
    fields = Fields(value, at, "name", "description", "parameters", "parameters_json", "strict", "mcp", "builtin")
    mcp = fields.any("mcp")
    return Tool(
        fields.need("name", str),
        fields.take("description", str, ""),
        fields.document("parameters"),
        fields.take("strict", bool, None),
        (mcp["server"], mcp["tool"]) if mcp else None,
        fields.take("builtin", str, None),
    )


def _choice(value: Json, at: str) -> ToolChoice:
    fields = Fields(value, at, "mode", "name", "parallel")
    return ToolChoice(
        fields.take("mode", str, "auto"), fields.take("name", str, None), fields.take("parallel", bool, None)
    )


def result(value: Json, at: str) -> ToolResult:
    """What a tool returned."""
    fields = Fields(value, at, "call_id", "name", "content", "is_error")
    return ToolResult(
        fields.need("call_id", str),
        fields.need("name", str),
        fields.items("content", _part),
        fields.take("is_error", bool, False),
    )


def _part(value: Json, at: str) -> Part:
    fields = Fields(value, at, "type", "text", "value", "value_json", "media_type", "data")
    match fields.any("type"):
        case "text":
            return TextPart(fields.need("text", str))
        case "json":
            return JsonPart(fields.document("value"))
        case "image":
            return ImagePart(fields.need("media_type", str), data(fields.any("data"), f"{at}/data"))
    raise WrongForm(f"{at}/type", "must be text, json or image")


def _decision(value: Json, at: str) -> Decision:
    fields = Fields(value, at, "call_id", "name", "accept")
    return Decision(fields.need("call_id", str), fields.need("name", str), fields.take("accept", bool, False))
