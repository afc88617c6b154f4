"""What can go wrong in a conversation with a child, one exception for each outcome.

A conversation goes: start the child, ``initialize``, then one request and one answer at a time, then ``shutdown``. At
every step the child may say nothing (`SilenceError`), end (`CrashError`), say what is no answer (`GarbageError`), or
answer that it failed (`RefusalError`). After all but the last nobody knows what it will say next, so it is killed.
"""

from __future__ import annotations

from typing import ClassVar

from conformance.obstacles import Obstacle
from conformance.outcomes import Mishap


class OperationError(Exception):
    """An operation of an adapter that gave no result. ``kind`` is the outcome.

    ``detail`` is a traceback, and ``output`` the end of what the child printed, for evidence.
    """

    kind: ClassVar[Mishap] = "error"

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail
        self.output = ""
        self.obstacle: Obstacle | None = None


class SilenceError(OperationError):
    """No answer in time."""

    kind = "timeout"


class CrashError(OperationError):
    """The child ended before it answered."""

    kind = "crash"


class GarbageError(OperationError):
    """The child wrote something that is no answer to what it was asked."""

    kind = "protocol_error"


class RefusalError(OperationError):
    """The child answered with an error, or with a result of the wrong form."""


class ExitError(RefusalError):
    """The child answered that the adapter left the interpreter."""

    kind = "crash"


class UnusableError(RefusalError):
    """The child answered that it has no adapter, and why."""


MAX_WORDS = 500
"""How many characters of what a child wrote stand in an error."""


class WrongFormError(ValueError):
    """A value that is not what the protocol says. The message begins with a JSON pointer to it."""

    def __init__(self, at: str, words: str) -> None:
        super().__init__(f"{at[:MAX_WORDS] or '/'}: {words[:MAX_WORDS]}")


def shown(line: bytes | str, limit: int = 120) -> str:
    """What a child wrote, short and on one line."""
    text = line[: 4 * limit].decode("utf-8", "backslashreplace") if isinstance(line, bytes) else line
    return repr(text if len(text) <= limit else f"{text[:limit]}…")
