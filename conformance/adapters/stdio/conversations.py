"""What the harness sends to a child: the neutral model from JSON. It writes all fields, so they are taken as they are.

Standard library only, because the child of an adapter in Python uses it. What has the wrong form raises
`WrongFormError`.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, TypeVar

from conformance.adapters.served import HttpAnswer
from conformance.adapters.stdio.mishaps import WrongFormError
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
    Parsed,
    Part,
    ProviderError,
    ResourcePart,
    ResultsTurn,
    TextInput,
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


def _taken(read: Callable[[Any], T], value: Json, at: str) -> T:
    try:
        return read(value)
    except WrongFormError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise WrongFormError(at, f"is not complete: {problem!r}") from None


def conversation(value: Json, released: Callable[[int], Json] | None = None) -> Conversation:
    """A whole conversation. ``released`` gives the ``opaque`` that is held under a number."""
    return _taken(lambda value: _conversation(value, released), value, "/conversation")


def _conversation(value: Mapping[str, Json], released: Callable[[int], Json] | None) -> Conversation:
    return Conversation(
        turns=tuple([_turn(item, released) for item in value["turns"]]),
        tools=tuple([_tool(item) for item in value["tools"]]),
        choice=ToolChoice(**value["choice"]),
        system=value["system"],
        model=value["model"],
        max_tokens=value["max_tokens"],
        reasoning=value["reasoning"],
        caching=value["caching"],
        output=_document(value, "output"),
        profile=value["profile"],
    )


def _turn(value: Mapping[str, Json], released: Callable[[int], Json] | None) -> Turn:
    match value["type"]:
        case "user":
            return UserTurn(value["text"])
        case "assistant":
            return _assistant(value, released)
        case "results":
            return ResultsTurn(tuple([_result(item) for item in value["results"]]))
        case "decisions":
            return DecisionsTurn(tuple([Decision(**item) for item in value["decisions"]]))
    raise WrongFormError("/conversation/turns", f"unknown type {value['type']!r}")


HELD = frozenset({"held", "shown"})
"""The members of what stands for an opaque. Runners of others send it back as it came, with its look."""


def _assistant(value: Mapping[str, Json], released: Callable[[int], Json] | None) -> AssistantTurn:
    opaque, usage, error = value["opaque"], value["usage"], value["error"]
    if released is not None and isinstance(opaque, dict) and {"held"} <= opaque.keys() <= HELD:
        opaque = released(opaque["held"])
    return AssistantTurn(
        value["text"],
        tuple([_call(item) for item in value["calls"]]),
        value["stop"],
        value["refusal"],
        Usage(**usage) if usage else None,
        ProviderError(**error) if error else None,
        opaque,
        _parsed(value.get("parsed")),
    )


def _parsed(value: Mapping[str, Json] | None) -> Parsed | None:
    return None if value is None else Parsed(_document(value, "value"))


def _call(value: Mapping[str, Json]) -> ToolCall:
    arguments = _document(value, "arguments")
    return ToolCall(value["id"], value["name"], arguments, value["raw"], value["invalid"], value.get("sent"))


def _document(value: Mapping[str, Json], name: str) -> Json:
    """A document of the application, from its exact text."""
    text = value[f"{name}_json"]
    return None if text is None else decode_exact(text)


def tools(values: Json) -> tuple[Tool, ...]:
    """Declared tools."""
    return _taken(lambda values: tuple([_tool(item) for item in values or ()]), values, "/tools")


def _tool(value: Mapping[str, Json]) -> Tool:
    mcp, text = value["mcp"], value["parameters_json"]
    return Tool(
        value["name"],
        value["description"],
        None if text is None else _schema(text),
        value["strict"],
        (mcp["server"], mcp["tool"]) if mcp else None,
        value["builtin"],
        None if value["text"] is None else TextInput(value["text"]["syntax"], value["text"]["definition"]),
        value["kind"],
        value["server"],
    )


@lru_cache(maxsize=256)
def _schema(text: str) -> Json:
    """A schema from its exact text. Schemas come again with every request; `forget` when one was changed."""
    return decode_exact(text)


def forget() -> None:
    """Make what was made from text anew, because somebody changed it."""
    _schema.cache_clear()


def _result(value: Mapping[str, Json]) -> ToolResult:
    content = tuple([_part(part) for part in value["content"]])
    return ToolResult(value["call_id"], value["name"], content, value["is_error"])


def result(value: Json) -> ToolResult:
    """What a tool returned."""
    return _taken(_result, value, "")


def _part(value: Mapping[str, Json]) -> Part:
    match value["type"]:
        case "text":
            return TextPart(value["text"])
        case "json":
            return JsonPart(_document(value, "value"))
        case "image":
            return ImagePart(value["media_type"], _bytes(value["data"]))
        case "resource":
            told = [value[name] for name in ("uri", "name", "description", "media_type", "text")]
            return ResourcePart(*told)
    raise WrongFormError("/content", f"unknown type {value['type']!r}")


# --- HTTP ------------------------------------------------------------------------------------------------------------


def _bytes(value: Mapping[str, str]) -> bytes:
    return a2b_base64(value["base64"])


def response(value: Json) -> Response:
    """An HTTP response."""
    return _taken(lambda value: Response(value["status"], value["headers"], _bytes(value["body"])), value, "/response")


def chunks(value: Json) -> list[bytes]:
    """The chunks of a stream: a list of texts, or all bytes and the size of every chunk."""
    return _taken(_cut if isinstance(value, dict) else _chunks, value, "/chunks")


def _chunks(values: Sequence[str]) -> list[bytes]:
    return [a2b_base64(text) for text in values]


def _cut(value: Mapping[str, Json]) -> list[bytes]:
    data, ends = _bytes(value), [0, *accumulate(value["sizes"])]
    return [data[start:end] for start, end in pairwise(ends)]


def request(value: Mapping[str, Json]) -> Request:
    """An HTTP request that came to the harness."""
    return Request(value["method"], value["url"], value["headers"], _bytes(value["body"]))


def answer_in(value: Mapping[str, Json]) -> HttpAnswer:
    """What the harness answers to an HTTP request."""
    return HttpAnswer(value["status"], value["headers"], tuple(chunks(value["chunks"])), lost=bool(value["lost"]))
