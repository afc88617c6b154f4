"""Lines to and from a child, with a deadline and in bounded memory.

All three pipes are served at once, so neither end can block the other: a child may write its answer, or fill its
standard error, while we still write the question.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable

from conformance.adapters.stdio.mishaps import GarbageError, SilenceError, shown
from conformance.http import MAX_VALUES, has_too_many_values
from conformance.masking.words import whole_words

MAX_LINE = 16_000_000
"""How many bytes a line of the child may have: a body of `conformance.http.MAX_BODY` in base64, and as much again."""

STDERR_KEPT = 4_000
"""How many bytes of the end of standard error are kept for evidence."""

STDERR_PASSED_ON = 64_000
"""How many bytes of standard error are passed on to our own, where the pool finds them after a worker was killed."""

LOOK_SECONDS = 0.5
"""How often to look whether a silent child is still alive: its pipes stay open as long as a grandchild has them."""

_READ = 1 << 16
_PIPE_HOLDS = 1 << 20


class OutputEndedError(Exception):
    """The child ended, or closed its standard output, before a whole line came. ``rest`` is what came of one."""

    def __init__(self, rest: bytes) -> None:
        super().__init__()
        self.rest = rest


class Pipes:
    """Our ends of a child's standard streams. ``alive`` says whether the child still runs."""

    def __init__(
        self, stdin: int, stdout: int, stderr: int, alive: Callable[[], bool], *, max_line: int = MAX_LINE
    ) -> None:
        self._stdin, self._stdout, self._stderr = stdin, stdout, stderr
        self._alive = alive
        self._max_line = max_line
        self._said = bytearray()
        self._since = bytearray()
        self._passed_on = 0
        for pipe in (stdin, stdout, stderr):
            os.set_blocking(pipe, False)
        self._poll = select.poll()
        self._poll.register(stdout, select.POLLIN)
        self._poll.register(stderr, select.POLLIN)

    @property
    def said(self) -> str:
        """The end of what the child wrote to standard error."""
        text = self._said.decode("utf-8", "replace")
        return (whole_words(text) if len(self._said) >= STDERR_KEPT else text).strip()

    def said_since(self) -> str:
        """The end of what it wrote to standard error since this was asked last."""
        while self._stderr >= 0 and select.select([self._stderr], [], [], 0)[0] and self._listen():
            pass
        text = self._since.decode("utf-8", "replace")
        cut = len(self._since) >= STDERR_KEPT
        self._since.clear()
        return (whole_words(text) if cut else text).strip()

    def ask(self, line: bytes, deadline: float) -> bytes:
        """Write ``line`` and read the line that comes back, without its line feed.

        Raises `SilenceError` when none comes in time, `OutputEndedError` when the child ends first, and `GarbageError`
        when the line is too long or is not the only one.
        """
        waiting = self._write(line)
        if waiting:
            self._poll.register(self._stdin, select.POLLOUT)
        pieces: list[bytes] = []
        size = 0
        try:
            while True:
                for pipe, _ in self._wait(deadline, pieces):
                    if pipe == self._stdout:
                        piece = os.read(pipe, _READ)
                        pieces.append(piece)
                        if b"\n" in piece:
                            return _only_line(pieces)
                        size += len(piece)
                        self._check(piece, pieces, size)
                    elif pipe == self._stderr:
                        self._listen()
                    else:
                        waiting = self._write(waiting or b"")
                        if not waiting:
                            self._poll.unregister(pipe)
        finally:
            if waiting:
                self._poll.unregister(self._stdin)

    def _check(self, piece: bytes, pieces: list[bytes], size: int) -> None:
        """Whether there is hope for the end of a line."""
        if size > self._max_line:
            most = f"{self._max_line} bytes: {shown(pieces[0])}"
            raise GarbageError(f"the child wrote a line of more than {most}")
        if not piece:
            raise OutputEndedError(b"".join(pieces))

    def _wait(self, deadline: float, pieces: list[bytes]) -> list[tuple[int, int]]:
        """The pipes that are ready, or closed at the other end."""
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise SilenceError("no answer")
            ready = self._poll.poll(min(left, LOOK_SECONDS) * 1000)
            if not ready and not self._alive():
                ready = self._poll.poll(0)  # its last words
                if not ready:
                    raise OutputEndedError(b"".join(pieces))
            if ready:
                return ready

    def _write(self, data: bytes | memoryview) -> memoryview | None:
        """What of ``data`` the pipe does not take yet. A child that does not read any more takes everything."""
        try:
            written = os.write(self._stdin, data)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            return None
        return None if written == len(data) else memoryview(data)[written:]

    def _listen(self) -> bool:
        """Take what there is on standard error. Says whether there was anything."""
        try:
            piece = os.read(self._stderr, _READ)
        except OSError:
            return False
        if not piece:
            self._poll.unregister(self._stderr)
            self._stderr = -1
            return False
        self._said += piece
        del self._said[:-STDERR_KEPT]
        self._since += piece
        del self._since[:-STDERR_KEPT]
        if self._passed_on < STDERR_PASSED_ON:
            self._passed_on += len(piece)
            with contextlib.suppress(OSError):
                os.write(2, piece)
        return True

    def listen(self, seconds: float) -> None:
        """Take what comes on standard error for a while, until it stops coming."""
        deadline = time.monotonic() + seconds
        while self._stderr >= 0 and select.select([self._stderr], [], [], max(0.0, deadline - time.monotonic()))[0]:
            deadline = min(deadline, time.monotonic() + seconds / 5)
            self._listen()

    def drain(self) -> None:
        """Take what is left on standard error, at the end of the child. More than a pipe holds is not its own."""
        for _ in range(_PIPE_HOLDS // _READ):
            if self._stderr < 0 or not self._listen():
                return


def _only_line(pieces: list[bytes]) -> bytes:
    line, _, rest = (pieces[0] if len(pieces) == 1 else b"".join(pieces)).partition(b"\n")
    if rest:
        raise GarbageError(f"the child wrote more than one line: after its answer came {shown(rest)}")
    if has_too_many_values(line):
        raise GarbageError(f"the child wrote a line of more than {MAX_VALUES} values: {shown(line)}")
    return line
