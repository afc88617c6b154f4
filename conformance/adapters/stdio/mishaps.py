"""What can go wrong in a conversation with a child, one exception for each outcome.

A conversation goes: start the child, ``initialize``, then one request and one answer at a time, then ``shutdown``. At
every step the child may say nothing (`Silence`), end (`Crash`), say what is no answer (`Garbage`), or answer that it
failed (`Refusal`). After all but the last nobody knows what the child will say next, so it is killed.
"""

from __future__ import annotations

from typing import ClassVar

from conformance.transcript import Mishap


class OperationFailed(Exception):
    """An operation of an adapter that gave no result. ``kind`` is the outcome, ``detail`` the evidence."""

    kind: ClassVar[Mishap] = "error"
    fatal: ClassVar[bool] = True
    """Whether the child cannot be talked to any more."""

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class Silence(OperationFailed):
    """No answer in time."""

    kind = "timeout"


class Crash(OperationFailed):
    """The child ended before it answered."""

    kind = "crash"


class Garbage(OperationFailed):
    """The child wrote something that is no answer to what it was asked."""

    kind = "protocol_error"


class Refusal(OperationFailed):
    """The child answered with an error, or with a result of the wrong form."""

    fatal = False


def shown(line: bytes | str, limit: int = 120) -> str:
    """What a child wrote, short and on one line."""
    text = line.decode("utf-8", "backslashreplace") if isinstance(line, bytes) else line
    return repr(text if len(text) <= limit else f"{text[:limit]}…")
