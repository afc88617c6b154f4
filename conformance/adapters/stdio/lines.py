"""JSON-RPC 2.0, one message a line: the lines that are written.

Standard library only, because the child of an adapter in Python uses it too. The ids of requests are 1, 2, 3, … An
answer repeats the id of its request, and holds either ``result`` or ``error``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from conformance.adapters.stdio.text import encode
from conformance.model import Json, to_json
from conformance.obstacles import Obstacle
from conformance.outcomes import InputChange

PROTOCOL_VERSION = 1

Method = Literal[
    "initialize", "build_request", "parse_response", "parse_stream", "open_stream", "feed", "end_stream", "stream_news",
    "complete", "run", "apply", "play", "rest", "shutdown",
]  # fmt: skip

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
"""JSON-RPC's own codes of errors. What an adapter raises has -32000."""

ADAPTER_FAILED = -32001
ADAPTER_EXITED = -32002
ADAPTER_UNUSABLE = -32003
"""Codes that only our own child writes, with a message that needs no word before it: an operation gave no result, or it
left the interpreter; or there is no adapter."""


def request_line(number: int, method: str, params: str) -> bytes:
    """A request. ``params`` is JSON text already."""
    return f'{{"jsonrpc":"2.0","id":{number},"method":"{method}","params":{params}}}\n'.encode("ascii")


def answer_line(number: Json, result: str, changes: Sequence[InputChange] = ()) -> bytes:
    """An answer. ``result`` is JSON text already; ``changes`` is what the adapter changed of what it was given."""
    more = f',"changes":{changes_text(changes)}' if changes else ""
    return f'{{"jsonrpc":"2.0","id":{encode(number)},"result":{result}{more}}}\n'.encode("ascii")


def error_line(
    number: Json,
    code: int,
    message: str,
    detail: str = "",
    changes: Sequence[InputChange] = (),
    obstacle: Obstacle | None = None,
) -> bytes:
    """An answer that says what failed. ``detail`` is evidence, such as a traceback."""
    data: Json = {"detail": detail} if detail else {}
    data |= {"obstacle": asdict(obstacle)} if obstacle else {}
    error: Json = {"code": code, "message": message, **({"data": data} if data else {})}
    more = f',"changes":{changes_text(changes)}' if changes else ""
    return f'{{"jsonrpc":"2.0","id":{encode(number)},"error":{encode(error)}{more}}}\n'.encode("ascii")


def changes_text(changes: Sequence[InputChange]) -> str:
    """What was changed."""
    return encode([
        {"at": change.at, "before": to_json(change.before), "after": to_json(change.after)} for change in changes
    ])
