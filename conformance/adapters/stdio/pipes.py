"""Lines to and from a child, with a deadline and in bounded memory.

All three pipes are served at once, so neither end can block the other: a child may write its answer, or fill its
standard error, while we still write the question.
"""

from __future__ import annotations

import errno
import os
import select
import time
from collections.abc import Callable

from conformance.adapters.stdio.mishaps import Garbage, Silence, shown

MAX_LINE = 64_000_000
"""How many bytes a line of the child may have."""

STDERR_KEPT = 4_000
"""How many bytes of the end of standard error are kept for evidence."""

STDERR_PASSED_ON = 64_000
"""How many bytes of standard error are passed on to our own, where the pool finds them after a worker was killed."""

LOOK_SECONDS = 0.5
"""How often to look whether a silent child is still alive: its pipes stay open as long as a grandchild has them."""

_READ = 1 << 16


class Ended(Exception):
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
        self._passed_on = 0
        for pipe in (stdin, stdout, stderr):
            os.set_blocking(pipe, False)
        self._poll = select.poll()
        self._poll.register(stdout, select.POLLIN)
        self._poll.register(stderr, select.POLLIN)

    @property
    def said(self) -> str:
        """The end of what the child wrote to standard error."""
        return self._said.decode("utf-8", "replace").strip()

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Write ``line`` and read the line that comes back, without its line feed.

        Raises `Silence` when none comes in time, `Ended` when the child ends first, and `Garbage` when the line is too
        long or is not the only one.
        """
        deadline = time.monotonic() + seconds
        waiting = self._write(memoryview(line))
        if waiting:
            self._poll.register(self._stdin, select.POLLOUT)
        pieces: list[bytes] = []
        size = 0
        try:
            while True:
                ready = self._wait(deadline, pieces)
                if self._stdin in ready and waiting:
                    waiting = self._write(waiting)
                    if not waiting:
                        self._poll.unregister(self._stdin)
                if self._stderr in ready:
                    self._listen()
                if self._stdout not in ready:
                    continue
                piece = self._read()
                pieces.append(piece)
                size += len(piece)
                if b"\n" in piece:
                    return _only_line(pieces)
                if size > self._max_line:
                    raise Garbage(f"the child wrote a line of more than {self._max_line} bytes: {shown(pieces[0])}")
                if not piece:
                    raise Ended(b"".join(pieces))
        finally:
            if waiting:
                self._poll.unregister(self._stdin)

    def _wait(self, deadline: float, pieces: list[bytes]) -> set[int]:
        """The pipes that are ready, or closed at the other end."""
        while True:
            left = deadline - time.monotonic()
            ready = self._poll.poll(max(0.0, min(left, LOOK_SECONDS)) * 1000)
            if ready:
                return {pipe for pipe, _ in ready}
            if not self._alive():
                raise Ended(b"".join(pieces))
            if left <= 0:
                raise Silence("no answer")

    def _write(self, data: memoryview) -> memoryview:
        """What of ``data`` the pipe does not take yet. A child that does not read any more takes everything."""
        try:
            return data[os.write(self._stdin, data) :]
        except BlockingIOError:
            return data
        except BrokenPipeError:
            return data[:0]

    def _read(self) -> bytes:
        try:
            return os.read(self._stdout, _READ)
        except OSError as problem:
            if problem.errno == errno.EAGAIN:
                return b""
            raise

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
        if self._passed_on < STDERR_PASSED_ON:
            self._passed_on += len(piece)
            os.write(2, piece[:STDERR_PASSED_ON])
        return True

    def drain(self) -> None:
        """Take what is left on standard error, at the end of the child."""
        while self._stderr >= 0 and self._listen():
            pass


def _only_line(pieces: list[bytes]) -> bytes:
    line, _, rest = b"".join(pieces).partition(b"\n")
    if rest:
        raise Garbage(f"the child wrote more than one line: after its answer came {shown(rest)}")
    return line
