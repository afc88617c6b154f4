"""JSON-RPC 2.0, one message a line: the requests that the harness writes, and the answers that it reads.

The ids of requests are 1, 2, 3, … An answer repeats the id of its request, and holds either ``result`` or ``error``.
The adapter writes nothing else: no notifications, and no requests of its own, but for ``call_tool`` while it runs
(see `conformance.adapters.stdio.caller`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, Generic, Literal, TypeVar, cast

import msgspec

from conformance.adapters.stdio.mishaps import GarbageError, RefusalError, shown
from conformance.adapters.stdio.reading import Form, WrongFormError, described, formed
from conformance.adapters.stdio.text import decode, encode
from conformance.model import Json

PROTOCOL_VERSION = 1

Method = Literal["initialize", "build_request", "parse_response", "parse_stream", "complete", "run", "shutdown"]

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
ADAPTER_RAISED = -32000
"""Codes of errors. The first two are JSON-RPC's own, the third is for whatever an adapter raises."""


def request_line(number: int, method: str, params: str) -> bytes:
    """A request. ``params`` is JSON text already."""
    return f'{{"jsonrpc":"2.0","id":{number},"method":"{method}","params":{params}}}\n'.encode("ascii")


def answer_line(number: Json, result: str) -> bytes:
    """An answer. ``result`` is JSON text already."""
    return f'{{"jsonrpc":"2.0","id":{encode(number)},"result":{result}}}\n'.encode("ascii")


def error_line(number: Json, code: int, message: str, detail: str = "") -> bytes:
    """An answer that says what failed. ``detail`` is evidence, such as a traceback."""
    error: Json = {"code": code, "message": message, **({"data": {"detail": detail}} if detail else {})}
    return (encode({"jsonrpc": "2.0", "id": number, "error": error}) + "\n").encode("ascii")


F = TypeVar("F")


class _Answer(Form, Generic[F]):
    jsonrpc: Literal["2.0"]
    id: int
    result: F


@cache
def _reader(form: Hashable) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(_Answer[form]).decode  # type: ignore[valid-type]


def plain_result_of(line: bytes, number: int, form: type[F]) -> F | None:
    """The result in ``line``, if it is no more than the answer to request ``number``, with a result in its form.

    Most lines are. What is wrong with another is found out with `message_of` and `result_of`.
    """
    try:
        answer = _reader(cast(Hashable, form))(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    result: F | None = answer.result if answer.id == number else None
    return result


def message_of(line: bytes) -> dict[str, Json]:
    """The message in a line. Raises `GarbageError` when it is none."""
    try:
        message = decode(line)
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
    if error.get("code") == METHOD_NOT_FOUND:
        return RefusalError(f"the child has no {operation}: {words}")
    return RefusalError(f"{operation} raised {words}", detail[-4000:] if isinstance(detail, str) else "")
