"""The child's end of the pipes: lines in, lines out, out of reach of the adapter.

The adapter lives in the same process and may print, patch, close and fork. So the pipes are moved away from the
standard streams to high file descriptors, what they need is looked up once, and a forked copy of the process is mute:
two processes that answer the same request would be heard as one that answers twice.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading

from conformance.adapters.stdio.text import decode_line
from conformance.model import Json

OUT_OF_THE_WAY = 200
"""The file descriptors from which ours are taken where there may be so many: who closes all that he knows closes low
ones."""

_READ = 1 << 16
_read, _write, _exit, _own_pid = os.read, os.write, os._exit, os.getpid


class Channel:
    """Lines to and from the harness. Takes over standard input and output: the adapter gets an empty input instead, and
    prints to standard error."""

    def __init__(self) -> None:
        self._pid = _own_pid()
        self._in, self._out = _moved(0), _moved(1)
        self._rest = b""
        self._asked = 0
        self._lock = threading.RLock()
        self.answering = False
        """Whether a request of the harness is being answered: only then may we ask."""
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    def read(self) -> bytes:
        """The next line; empty at the end."""
        pieces = [self._rest]
        while b"\n" not in pieces[-1]:
            piece = _read(self._in, _READ)
            if not piece:
                return b""
            pieces.append(piece)
        line, _, self._rest = b"".join(pieces).partition(b"\n")
        return line

    def write(self, line: bytes) -> None:
        """Write a line. A forked copy of this process ends here: it is the other one that was asked."""
        if _own_pid() != self._pid:
            _exit(0)
        view = memoryview(line)
        while view:
            view = view[_write(self._out, view) :]

    def ask(self, method: str, params: str) -> Json:
        """Ask the harness while it waits for our answer. Any thread may. Raises `OSError` when nobody listens."""
        with self._lock:
            if not self.answering or _own_pid() != self._pid:
                raise OSError(errno.ENOTCONN, "the harness waits for nothing now")
            self._asked += 1
            line = f'{{"jsonrpc":"2.0","id":"{self._asked}","method":"{method}","params":{params}}}\n'
            self.write(line.encode("ascii"))
            message = decode_line(self.read())
            if "error" in message:
                raise RuntimeError(message["error"]["message"])
            return message["result"]

    def answer(self, line: bytes) -> None:
        """Write the answer to the request that is being answered. Who asks afterwards is not heard any more."""
        with self._lock:
            self.answering = False
            self.write(line)


def _moved(end: int) -> int:
    """A copy of a file descriptor where few will touch it. Programs that are started do not inherit it."""
    try:
        return fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, OUT_OF_THE_WAY)
    except OSError:  # so many are not allowed
        return fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3)
