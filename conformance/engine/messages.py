"""What a worker may say to its supervisor, and reading it.

A worker is ours, but the adapter is near it: it may stop it, kill it in the middle of a message, or write into its
pipe. So nothing is made of a message but values of our own types, and what is no message is told apart from one.
"""

from __future__ import annotations

import io
import os
import pickle
import socket
import struct
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from types import NoneType
from typing import Any

from conformance.adapters.contract import AdapterInfo
from conformance.engine.report import CaseReport
from conformance.obstacles import Obstacle

MAX_MESSAGE = 256_000_000
"""How many bytes a message may have."""

BREAK_SECONDS = 30
"""How long a message that has begun may take to go on."""

FORMS: Mapping[str, tuple[tuple[type, ...], ...]] = {
    "refused": ((str,), (Obstacle, NoneType)),
    "loaded": ((AdapterInfo,), (str,)),
    "loads": (),
    "begins": ((str,),),
    "reports": ((CaseReport,),),
    "broke": ((str,), (str,)),
    "finished": (),
}
"""The messages by their first word: the types of what follows it."""


class GarbledError(Exception):
    """What came through the pipe is no message of a worker."""


class _Reader(pickle.Unpickler):
    """Makes values of our own classes, and calls nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        known = module.startswith("conformance.") and module in sys.modules
        found = super().find_class(module, name) if known else None
        if not isinstance(found, type):
            raise GarbledError(f"a worker does not send {module}.{name}")
        return found


def do_not_wait_long(pipe: Connection) -> None:
    """Have `received` raise `BlockingIOError` when a message stops in the middle, and sending when nobody reads it."""
    with socket.socket(fileno=os.dup(pipe.fileno())) as end:
        for way in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            end.setsockopt(socket.SOL_SOCKET, way, struct.pack("ll", BREAK_SECONDS, 0))


def received(pipe: Connection) -> tuple[Any, ...]:
    """The next message. Raises `EOFError` or `OSError` when there is no worker any more, and `GarbledError`."""
    return message_of(pipe.recv_bytes(MAX_MESSAGE))


def message_of(data: bytes) -> tuple[Any, ...]:
    """The message in the bytes of one. Raises `GarbledError`."""
    try:
        message = _Reader(io.BytesIO(data)).load()
    except Exception as problem:  # a pickle may fail with anything
        raise GarbledError(f"the worker sent what is no message ({type(problem).__name__})") from None
    if not _is_message(message):
        raise GarbledError("the worker sent what is no message")
    return tuple(message)


def _is_message(message: Any) -> bool:
    if type(message) is not tuple or not message or not isinstance(message[0], str):
        return False
    form = FORMS.get(message[0])
    return form is not None and len(form) == len(message) - 1 and all(map(isinstance, message[1:], form))
