"""What a child answers: the neutral model from JSON. Where the form is wrong, `WrongFormError` says the place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar, get_args

import msgspec

from conformance.adapters.stdio.mishaps import WrongFormError
from conformance.adapters.stdio.text import decode_exact
from conformance.http import Request
from conformance.model import AssistantTurn, Held, Json, Parsed, ProviderError, ToolCall, Usage

F = TypeVar("F")


# --- forms -----------------------------------------------------------------------------------------------------------


class MessageForm(msgspec.Struct, forbid_unknown_fields=True):
    """The fields of a JSON object and their types. What is absent or null gets the default."""


def formed(value: Json, form: type[F], at: str = "") -> F:
    """``value``, found at ``at``, in its form. Bytes are strings in base64, with padding. Raises `WrongFormError`."""
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as problem:
        raise _wrong_form(str(problem), form, at) from None
    except UnicodeEncodeError as problem:  # JSON can say half a character, but no name and no base64 has one
        raise WrongFormError(at, f"{problem.object[problem.start]!r} is half a character") from None


_PROBLEM = re.compile(
    r"Expected `(?P<wanted>.+?)`, got `(?P<found>.+?)`"
    r"|Object missing required field `(?P<missing>.+?)`"
    r"|Object contains unknown field `(?P<unknown>.*?)`",
    re.DOTALL,
)
_PLACE = re.compile(r" - at `\$([^`]+)`$")
_TYPES = {
    "object": "an object", "array": "a list", "str": "a string", "bool": "a boolean", "int": "an integer",
    "float": "a number", "int | float": "a number", "null": "nothing", "bytes": "base64",
    "dict": "an object", "list": "a list", "NoneType": "nothing",
}  # fmt: skip
"""Types in our words: as msgspec names them, and as Python does."""


def _wrong_form(problem: str, form: type[Any], at: str) -> WrongFormError:
    """What msgspec says, with a JSON pointer."""
    place = _PLACE.search(problem)
    at += re.sub(r"\[\.\.\.\]|\]", "", place[1]).replace(".", "/").replace("[", "/") if place else ""
    found = _PROBLEM.match(problem)
    if found is None:
        return WrongFormError(at, problem.partition(" - at ")[0])
    if found["missing"]:
        return WrongFormError(f"{at}/{found['missing']}", "is missing")
    if found["unknown"] is not None:
        return WrongFormError(at, f"unknown field {found['unknown']!r}; fields: {_fields(form, place)}")
    wanted = found["wanted"].removesuffix(" | null")
    wanted, got = (_TYPES.get(word, word) for word in (wanted, found["found"]))
    return WrongFormError(at, f"must be {wanted}, found {got}")


def _fields(form: type[Any], place: re.Match[str] | None) -> str:
    """The fields that the object at the place may have. What is asked for may be a list of objects."""
    form = next(part for part in _parts(form) if isinstance(part, type) and issubclass(part, msgspec.Struct))
    for name in re.findall(r"[a-z_]+", place[1] if place else ""):
        types = [part for field in msgspec.structs.fields(form) if field.name == name for part in _parts(field.type)]
        form = next((part for part in types if isinstance(part, type) and issubclass(part, MessageForm)), form)
    return ", ".join(sorted(field.name for field in msgspec.structs.fields(form)))


def _parts(kind: Any) -> Iterator[Any]:
    yield kind
    for inner in get_args(kind):
        yield from _parts(inner)


def described(value: Json) -> str:
    """What kind of JSON value ``value`` is."""
    name = type(value).__name__
    return _TYPES.get(name, name)


# --- what an adapter answers -----------------------------------------------------------------------------------------


class _Bytes(MessageForm):
    base64: bytes


class RequestForm(MessageForm):
    method: str
    url: str
    headers: dict[str, str] | None = None
    body: _Bytes | None = None


class _Call(MessageForm):
    id: str
    name: str
    arguments: Any = None
    arguments_json: str | None = None
    raw: str | None = None
    invalid: bool | None = None
    sent: str | None = None


class _Usage(MessageForm):
    input_tokens: int
    output_tokens: int


class _Error(MessageForm):
    message: str
    status: int | None = None
    type: str | None = None
    retryable: bool | None = None
    retry_after: int | float | None = None


class _Parsed(MessageForm):
    value: Any = None
    value_json: str | None = None


class TurnForm(MessageForm):
    type: str | None = None
    text: str | None = None
    calls: list[_Call] | None = None
    stop: str | None = None
    refusal: str | None = None
    usage: _Usage | None = None
    error: _Error | None = None
    opaque: Any = None
    parsed: _Parsed | None = None
    message: Any = None
    message_json: str | None = None


class InputChangeForm(MessageForm):
    """A place in what an operation was given that is not as it was."""

    at: str
    before: Any = None
    after: Any = None


class HeldForm(MessageForm):
    """What our own child says of an ``opaque`` that it holds."""

    held: int
    shown: Any = None


def held(turn: AssistantTurn) -> AssistantTurn:
    """A turn of our own child, whose ``opaque`` stays there. Raises `WrongFormError`."""
    if turn.opaque is None:
        return turn
    form = formed(turn.opaque, HeldForm, "/opaque")
    return replace(turn, opaque=Held(form.held, form.shown))


def request(form: RequestForm) -> Request:
    """An HTTP request. Raises `WrongFormError` for one that is too large."""
    sent = Request(form.method, form.url, form.headers or {}, form.body.base64 if form.body else b"")
    if sent.excess:
        raise WrongFormError("", f"its {sent.excess}")
    return sent


def assistant(form: TurnForm) -> AssistantTurn:
    """What the model said. Raises `WrongFormError` where the arguments of a call are no JSON text."""
    stop: Any = form.stop or "end"
    usage, error = form.usage, form.error
    return AssistantTurn(
        form.text or "",
        tuple([_called(call, f"/calls/{place}") for place, call in enumerate(form.calls)]) if form.calls else (),
        stop,
        form.refusal,
        Usage(usage.input_tokens, usage.output_tokens) if usage else None,
        ProviderError(error.message, error.status, error.type, error.retryable, error.retry_after) if error else None,
        form.opaque,
        Parsed(_exact(form.parsed.value, form.parsed.value_json, "/parsed/value_json")) if form.parsed else None,
        _exact(form.message, form.message_json, "/message_json"),
    )


def call(value: Json, at: str) -> ToolCall:
    """A call."""
    return _called(formed(value, _Call, at), at)


def _called(form: _Call, at: str) -> ToolCall:
    """Its ``arguments_json`` counts before its ``arguments``."""
    arguments = _exact(form.arguments, form.arguments_json, f"{at}/arguments_json")
    return ToolCall(form.id, form.name, arguments, form.raw, form.invalid or False, form.sent)


def _exact(value: Json, text: str | None, at: str) -> Json:
    """A value, or the one in its exact text, if there is one."""
    if text is None:
        return value
    try:
        return decode_exact(text)
    except ValueError as problem:
        raise WrongFormError(at, f"is not JSON text: {problem}") from None
