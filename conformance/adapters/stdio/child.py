"""One child process: started, asked, ended."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Sequence

from conformance.adapters.problems import AdapterError
from conformance.adapters.stdio.guard import Guard
from conformance.adapters.stdio.mishaps import CrashError, GarbageError, OperationError, SilenceError, shown
from conformance.adapters.stdio.pipes import MAX_LINE, OutputEndedError, Pipes
from conformance.masking.environment import without_keys
from conformance.processes.descendants import end_children, reap_ended
from conformance.processes.keeper import way

END_SECONDS = 2.0
"""How long a child may take to end when it was asked to."""

PIPE_BYTES = 1 << 18
"""How much a pipe should hold."""

STACKS_SECONDS = 0.5
"""How long a child that hangs has to print where."""


class ChildProcess:
    """A child with its own process group. ``guard`` kills that group when our own process dies.

    Raises `AdapterError` when the program cannot be started.
    """

    def __init__(self, command: Sequence[str], guard: Guard, *, max_line: int = MAX_LINE) -> None:
        self._guard = guard
        self.prints_stacks = False
        """Whether it prints where its threads are when it gets SIGUSR2: then it is our own."""
        self._process = _started(command)
        guard.watch(self._process.pid)
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None and stdout is not None and stderr is not None
        self._files = (stdin, stdout, stderr)
        ends = stdin.fileno(), stdout.fileno(), stderr.fileno()
        for end in ends[:2]:
            with contextlib.suppress(OSError, AttributeError):  # fewer turns for long lines, where the system has it
                fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._pipes = Pipes(*ends, lambda: self._process.poll() is None, max_line=max_line)

    @property
    def pid(self) -> int:
        """The number of the process, and of its group."""
        return self._process.pid

    @property
    def said(self) -> str:
        """The end of what it wrote to standard error, for evidence."""
        return self._pipes.said

    def said_since(self) -> str:
        """The end of what it wrote to standard error since this was asked last."""
        return self._pipes.said_since()

    def ask(self, operation: str, line: bytes, until: float, seconds: float) -> bytes:
        """The line that answers ``line``. Raises `SilenceError`, `CrashError` or `GarbageError`: kill it then.

        It must come before ``until``, of the monotonic clock, which is ``seconds`` after the beginning.
        """
        try:
            return self._pipes.ask(line, until)
        except SilenceError:
            self._ask_where()
            raise SilenceError(f"no answer to {operation} within {seconds:g} s") from None
        except OutputEndedError as ended:
            raise self._end(operation, ended.rest) from None

    def _ask_where(self) -> None:
        """Have a child that prints its stacks print where it hangs, which is the evidence of a timeout."""
        if self.prints_stacks:
            with contextlib.suppress(OSError):
                self._process.send_signal(signal.SIGUSR2)
            self._pipes.listen(STACKS_SECONDS)

    def _end(self, operation: str, rest: bytes) -> OperationError:
        """What it means that no more lines come."""
        half = f", in the middle of a line: {shown(rest)}" if rest else ""
        try:
            code = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return GarbageError(f"the child closed its standard output before it answered {operation}{half}")
        return CrashError(f"the child {_ending(code)} before it answered {operation}{half}")

    def shut_down(self, goodbye: bytes) -> None:
        """Say ``goodbye`` and close its standard input, which a child should take as the end. Then make sure."""
        with contextlib.suppress(OperationError):
            self.ask("shutdown", goodbye, time.monotonic() + END_SECONDS, END_SECONDS)
        self._files[0].close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self.kill()

    def let_go_of_orphans(self) -> None:
        """What it started may have ended, and be ours now."""
        if way() is not None:
            reap_ended({self._process.pid, *self._guard.pids})

    def kill(self) -> None:
        """End it, and all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if way() is not None:  # what left its group has come to us
            end_children(self._guard.pids)
        self._guard.watch(0)
        self._pipes.drain()
        for file in self._files:
            file.close()


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """The program, started. It is given a placeholder for each key, so it needs none from the environment."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True, env=without_keys()
        )
    except FileNotFoundError:
        raise AdapterError(f"there is no program {command[0]!r}") from None
    except OSError as problem:
        raise AdapterError(f"{command[0]!r} cannot be started: {problem.strerror}") from None


def _ending(code: int) -> str:
    if code >= 0:
        return f"exited with {code}"
    name = next((known.name for known in signal.Signals if known == -code), f"signal {-code}")
    return f"was killed by {name}"
