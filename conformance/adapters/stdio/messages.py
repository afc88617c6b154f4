"""The answers of a child, read.

An answer repeats the id of its request, and holds either ``result`` or ``error``. The adapter writes nothing else: no
notifications, and no requests of its own, but for ``call_tool`` while it runs (see
`conformance.adapters.stdio.caller`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import Any, Generic, Literal, TypeVar, cast, get_args

import msgspec

from conformance.adapters.stdio.lines import ADAPTER_EXITED, ADAPTER_FAILED, ADAPTER_UNUSABLE, METHOD_NOT_FOUND
from conformance.adapters.stdio.mishaps import (
    ExitError,
    GarbageError,
    RefusalError,
    UnusableError,
    WrongFormError,
    shown,
)
from conformance.adapters.stdio.reading import InputChangeForm, MessageForm, described, formed
from conformance.adapters.stdio.text import decode_line, encode
from conformance.model import Json
from conformance.obstacles import Obstacle, ObstacleKind

F = TypeVar("F")


class ResultMessage(MessageForm, Generic[F]):
    """An answer with a result. ``changes`` is what our own child says that the adapter changed."""

    jsonrpc: Literal["2.0"]
    id: int
    result: F
    changes: list[InputChangeForm] | None = None


@cache
def _reader(form: Hashable) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(ResultMessage[form]).decode  # type: ignore[valid-type]


def plain_answer_of(line: bytes, number: int, form: type[F]) -> ResultMessage[F] | None:
    """The answer in ``line``, if it is no more than the answer to request ``number``, with a result in its form.

    Most lines are. What is wrong with another is found out with `message_of` and `result_of`.
    """
    try:
        answer: ResultMessage[F] = _reader(cast(Hashable, form))(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return answer if answer.id == number else None


def message_of(line: bytes) -> dict[str, Json]:
    """The message in a line. Raises `GarbageError` when it is none."""
    try:
        message = decode_line(line)
    except UnicodeDecodeError:
        raise GarbageError(f"the child wrote a line that is not UTF-8: {shown(line)}") from None
    except ValueError:
        raise GarbageError(f"the child wrote a line that is not JSON: {shown(line)}") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise GarbageError(f"the child wrote a line that is no JSON-RPC 2.0 message: {shown(line)}")
    return message


def result_of(message: dict[str, Json], number: int, operation: str, form: type[F]) -> F:
    """The result in the answer to request ``number``.

    Raises `GarbageError`, or `RefusalError` when the answer is an error or its result has another form.
    """
    if "method" in message:
        raise GarbageError(f"the child sent {shown(str(message['method']))} instead of an answer to {operation}")
    found = message.get("id")
    if type(found) is not int or found != number:
        raise GarbageError(_wrong_id(found, number, operation))
    if ("result" in message) == ("error" in message):
        raise GarbageError(f"the answer to {operation} must hold either result or error")
    if "result" in message:
        try:
            return formed(message["result"], form)
        except WrongFormError as problem:
            raise wrong_result(operation, problem) from None
    raise _refusal(message["error"], operation)


def wrong_result(operation: str, problem: WrongFormError) -> RefusalError:
    """An answer whose result is not what the protocol says."""
    return RefusalError(f"{operation} answered with a wrong result: {problem}")


def _wrong_id(found: Json, number: int, operation: str) -> str:
    if type(found) is int and 0 < found < number:
        return f"the child answered request {found} twice, instead of {operation}, which has id {number}"
    return f"the answer to {operation} has id {shown(encode(found))}, not {number}"


def _refusal(error: Json, operation: str) -> Exception:
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        return GarbageError(f"the error that answers {operation} must have a message, found {described(error)}")
    data = error.get("data")
    detail = data.get("detail") if isinstance(data, dict) else None
    words = " ".join(error["message"].split())[:500]
    evidence = detail[-4000:] if isinstance(detail, str) else ""
    code = error.get("code")
    whole = _WHOLE.get(code) if isinstance(code, int) else None
    if whole is not None:
        refusal = whole(words, evidence)
        refusal.obstacle = _obstacle(data)
        return refusal
    if code == METHOD_NOT_FOUND:
        return RefusalError(f"the child has no {operation}: {words}")
    return RefusalError(f"{operation} raised {words}", evidence)


def _obstacle(data: Json) -> Obstacle | None:
    """What our own child says that it met."""
    said = data.get("obstacle") if isinstance(data, dict) else None
    if not isinstance(said, dict) or said.get("kind") not in get_args(ObstacleKind):
        return None
    return Obstacle(said["kind"], *(str(said.get(name) or "") for name in ("error", "library", "version", "asked")))


_WHOLE: Mapping[int, type[RefusalError]] = {
    ADAPTER_FAILED: RefusalError,
    ADAPTER_EXITED: ExitError,
    ADAPTER_UNUSABLE: UnusableError,
}
"""What errors mean whose message says it all."""


def changes_of(message: dict[str, Json]) -> list[InputChangeForm]:
    """What an answer says that the adapter changed."""
    try:
        return formed(message.get("changes") or [], list[InputChangeForm])
    except WrongFormError as problem:
        raise GarbageError(f"the child told changes in a wrong form: {problem}") from None
