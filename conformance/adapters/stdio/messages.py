"""JSON-RPC 2.0, one message a line: the requests that the harness writes, and the answers that it reads.

The ids of requests are 1, 2, 3, … An answer repeats the id of its request, and holds either ``result`` or ``error``.
The adapter writes nothing else: no notifications, and no requests of its own, but for ``call_tool`` while it runs
(see `conformance.adapters.stdio.caller`).
"""

from __future__ import annotations

from typing import Literal

from conformance.adapters.stdio.mishaps import GarbageError, RefusalError, shown
from conformance.adapters.stdio.reading import described
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


def result_of(message: dict[str, Json], number: int, operation: str) -> Json:
    """The result in the answer to request ``number``.

    Raises `GarbageError`, or `RefusalError` when the answer is an error.
    """
    if "method" in message:
        raise GarbageError(f"the child sent {shown(str(message['method']))} instead of an answer to {operation}")
    found = message.get("id")
    if type(found) is not int or found != number:
        raise GarbageError(_wrong_id(found, number, operation))
    if ("result" in message) == ("error" in message):
        raise GarbageError(f"the answer to {operation} must hold either result or error")
    if "result" in message:
        return message["result"]
    raise _refusal(message["error"], operation)


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
