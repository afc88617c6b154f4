"""The neutral model from JSON on the wire. What has the wrong form raises `WrongFormError`, with its place."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from conformance.adapters.stdio.text import decode_exact
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


class WrongFormError(ValueError):
    """A value that is not what the protocol says. The message begins with a JSON pointer to it."""

    def __init__(self, at: str, words: str) -> None:
        super().__init__(f"{at or '/'}: {words}")


class Fields:
    """The fields of one JSON object, each taken with its type. What is absent or null gets the default."""

    __slots__ = ("_get", "at")

    def __init__(self, value: Json, at: str, known: frozenset[str]) -> None:
        if not isinstance(value, dict):
            raise WrongFormError(at, f"must be an object, found {described(value)}")
        if not value.keys() <= known:
            unknown = next(key for key in value if key not in known)
            raise WrongFormError(at, f"unknown field {unknown!r}; fields: {', '.join(sorted(known))}")
        self._get = value.get
        self.at = at

    def any(self, name: str) -> Json:
        """Any value."""
        return self._get(name)

    def need(self, name: str, kind: type[T]) -> T:
        """A value that must be there."""
        value = self._get(name)
        if type(value) is kind:
            return value
        raise WrongFormError(f"{self.at}/{name}", f"must be {_NAMES[kind]}, found {described(value)}")

    def take(self, name: str, kind: type[T]) -> T | None:
        """A value that may be absent."""
        value = self._get(name)
        if value is None or type(value) is kind:
            return value
        raise WrongFormError(f"{self.at}/{name}", f"must be {_NAMES[kind]}, found {described(value)}")

    def items(self, name: str, read: Callable[[Json, str], T]) -> tuple[T, ...]:
        """The items of a list, which may be absent."""
        found = self.take(name, list)
        if not found:
            return ()
        return tuple([read(item, f"{self.at}/{name}/{place}") for place, item in enumerate(found)])

    def document(self, name: str) -> Json:
        """A document: of its exact text, if that is given, else of the value."""
        text = self.take(f"{name}_json", str)
        if text is None:
            return self._get(name)
        try:
            return decode_exact(text)
        except ValueError as problem:
            raise WrongFormError(f"{self.at}/{name}_json", f"is not JSON text: {problem}") from None


_NAMES: Mapping[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
}


def described(value: Json) -> str:
    """What kind of JSON value ``value`` is."""
    return "nothing" if value is None else _NAMES.get(type(value), type(value).__name__)


# --- what an adapter answers -----------------------------------------------------------------------------------------


_REQUEST = frozenset({"method", "url", "headers", "body"})
_ASSISTANT = frozenset({"type", "text", "calls", "stop", "refusal", "usage", "error", "opaque"})
_CALL = frozenset({"id", "name", "arguments", "arguments_json", "raw", "invalid"})
_USAGE = frozenset({"input_tokens", "output_tokens"})
_ERROR = frozenset({"message", "status", "type", "retryable", "retry_after"})
_BYTES = frozenset({"base64"})
_RESPONSE = frozenset({"status", "headers", "body"})


def request(value: Json) -> Request:
    """An HTTP request."""
    fields = Fields(value, "", _REQUEST)
    headers = fields.take("headers", dict) or {}
    for name, header in headers.items():
        if not isinstance(header, str):
            raise WrongFormError(f"/headers/{name}", f"must be a string, found {described(header)}")
    body = fields.any("body")
    content = b"" if body is None else data(body, "/body")
    return Request(fields.need("method", str), fields.need("url", str), headers, content)


def assistant(value: Json, at: str = "") -> AssistantTurn:
    """What the model said, of a turn's own fields or of an assistant turn in a conversation."""
    fields = Fields(value, at, _ASSISTANT)
    stop: Any = fields.take("stop", str) or "end"
    return AssistantTurn(
        fields.take("text", str) or "",
        fields.items("calls", call),
        stop,
        fields.take("refusal", str),
        _usage(fields.any("usage"), at),
        _error(fields.any("error"), at),
        fields.any("opaque"),
    )


def call(value: Json, at: str) -> ToolCall:
    """A call. Its ``arguments_json`` counts before its ``arguments``."""
    fields = Fields(value, at, _CALL)
    return ToolCall(
        fields.need("id", str),
        fields.need("name", str),
        fields.document("arguments"),
        fields.take("raw", str),
        fields.take("invalid", bool) or False,
    )


def _usage(value: Json, at: str) -> Usage | None:
    if value is None:
        return None
    fields = Fields(value, f"{at}/usage", _USAGE)
    return Usage(fields.need("input_tokens", int), fields.need("output_tokens", int))


def _error(value: Json, at: str) -> ProviderError | None:
    if value is None:
        return None
    fields = Fields(value, f"{at}/error", _ERROR)
    wait = fields.any("retry_after")
    return ProviderError(
        fields.need("message", str),
        fields.take("status", int),
        fields.take("type", str),
        fields.take("retryable", bool),
        wait if type(wait) is int else fields.take("retry_after", float),
    )


def data(value: Json, at: str) -> bytes:
    """Bytes."""
    return of_base64(Fields(value, at, _BYTES).need("base64", str), f"{at}/base64")


def of_base64(text: str, at: str) -> bytes:
    """The bytes in base64 text, padding included."""
    try:
        return a2b_base64(text, strict_mode=True)
    except ValueError as problem:
        raise WrongFormError(at, f"is not base64: {problem}") from None


# --- what the harness sends ------------------------------------------------------------------------------------------


def response(value: Json) -> Response:
    """An HTTP response."""
    fields = Fields(value, "/response", _RESPONSE)
    return Response(fields.need("status", int), fields.take("headers", dict) or {}, data(fields.any("body"), "/body"))


_ONE_BYTE = {b2a_base64(bytes((value,)), newline=False).decode(): bytes((value,)) for value in range(256)}


def chunks(values: Json) -> list[bytes]:
    """The chunks of a stream."""
    known = _ONE_BYTE.get
    return [known(text) or of_base64(text, "/chunks") for text in values]


def conversation(value: Json) -> Conversation:
    """A whole conversation. It is the harness that wrote it, so all fields are there, and are taken as they are."""
    try:
        return Conversation(
            turns=tuple([turn(item) for item in value["turns"]]),
            tools=tuple([tool(item) for item in value["tools"]]),
            choice=ToolChoice(**value["choice"]),
            system=value["system"],
            model=value["model"],
            max_tokens=value["max_tokens"],
            reasoning=value["reasoning"],
            profile=value["profile"],
        )
    except (KeyError, TypeError) as problem:
        raise WrongFormError("/conversation", f"is not complete: {problem!r}") from None


def turn(value: Mapping[str, Json]) -> Turn:
    """A turn of any type."""
    match value["type"]:
        case "user":
            return UserTurn(value["text"])
        case "assistant":
            return assistant(value)
        case "results":
            return ResultsTurn(tuple([_result(item) for item in value["results"]]))
        case "decisions":
            return DecisionsTurn(tuple([Decision(**item) for item in value["decisions"]]))
    raise WrongFormError("/conversation/turns", f"unknown type {value['type']!r}")


def tool(value: Mapping[str, Json]) -> Tool:
    """A declared tool."""
    mcp = value["mcp"]
    return Tool(
        value["name"],
        value["description"],
        _exact(value["parameters_json"]),
        value["strict"],
        (mcp["server"], mcp["tool"]) if mcp else None,
        value["builtin"],
    )


@lru_cache(maxsize=256)
def _exact(text: str | None) -> Json:
    """A schema from its exact text. Schemas come again with every request, and nobody changes them."""
    return None if text is None else decode_exact(text)


def _result(value: Mapping[str, Json]) -> ToolResult:
    content = tuple([_part(part) for part in value["content"]])
    return ToolResult(value["call_id"], value["name"], content, value["is_error"])


def result(value: Json) -> ToolResult:
    """What a tool returned."""
    try:
        return _result(value)
    except (KeyError, TypeError) as problem:
        raise WrongFormError("", f"is no result: {problem!r}") from None


def _part(value: Mapping[str, Json]) -> Part:
    match value["type"]:
        case "text":
            return TextPart(value["text"])
        case "json":
            return JsonPart(decode_exact(value["value_json"]))
        case "image":
            return ImagePart(value["media_type"], data(value["data"], "/data"))
    raise WrongFormError("/content", f"unknown type {value['type']!r}")
