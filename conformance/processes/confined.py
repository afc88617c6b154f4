"""Running what may do anything, for a while: its time, output, memory and files have limits. It sees nothing of our
environment, and no terminal."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.processes.running import Sizes, kept_process

LOOK_SECONDS = 0.2
"""How often to look whether the program has ended though its output has not."""

_READ = 1 << 16


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use: seconds, bytes of output, and of what is said in `Sizes`."""

    seconds: float
    output: int
    sizes: Sizes


@dataclass(frozen=True, slots=True)
class ConfinedResult:
    """What came of a program: ``late`` when it took too long, ``cut`` when it said too much. Then it was killed."""

    output: bytes
    code: int
    late: bool = False
    cut: bool = False


@dataclass(slots=True)
class Interruption:
    """A signal in the middle of a run, as a terminal sends it: to the program and to what it started in its group.

    ``due`` is asked now and then. Who has not ended ``seconds`` after the signal is killed. ``SIGKILL`` ends all at
    once. ``happened`` says afterwards whether it came to that.
    """

    number: signal.Signals
    due: Callable[[], bool]
    seconds: float = 15.0
    happened: bool = False

    def comes(self, process: subprocess.Popen[bytes]) -> bool:
        """Send the signal, if it is time. Says whether it was."""
        if self.happened or not self.due():
            return False
        self.happened = True
        if self.number != signal.SIGKILL:
            os.killpg(process.pid, self.number)
        return True


def run_confined(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    limits: Limits,
    said: bytes = b"",
    interruption: Interruption | None = None,
) -> ConfinedResult:
    """Run ``command`` in ``folder`` with ``said`` as its input. Output and errors come as one. Raises `OSError`."""
    until = time.monotonic() + limits.seconds
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with kept_process(command, folder=folder, environment=environment, sizes=limits.sizes, **streams) as process:
        output, late, cut = _talk(process, said, limits.output, until, interruption)
    return ConfinedResult(output, process.returncode, late, cut)


def _talk(
    process: subprocess.Popen[bytes], said: bytes, most: int, until: float, interruption: Interruption | None
) -> tuple[bytes, bool, bool]:
    """What it says, whether it takes too long, and whether it says too much."""
    assert process.stdin is not None
    assert process.stdout is not None
    poll, came, left = select.poll(), bytearray(), memoryview(said)
    for end in (process.stdin, process.stdout):
        os.set_blocking(end.fileno(), False)
    poll.register(process.stdout, select.POLLIN)
    if left:
        poll.register(process.stdin, select.POLLOUT)
    else:
        process.stdin.close()
    while True:
        if interruption is not None and interruption.comes(process):
            until = min(until, time.monotonic() + interruption.seconds)
            if interruption.number == signal.SIGKILL:
                return bytes(came), False, False
        seconds = until - time.monotonic()
        if seconds <= 0:
            return bytes(came), True, False
        ready = poll.poll(min(seconds, LOOK_SECONDS) * 1000)
        if not ready and process.poll() is not None:
            return bytes(came), False, False  # somebody who escaped has the pipe
        for number, _ in ready:
            if number == process.stdout.fileno():
                piece = os.read(number, _READ)
                came += piece
                if not piece:
                    return bytes(came), not _ends(process, until), False
                if len(came) > most:
                    return bytes(came[:most]), False, True
                continue
            left = _written(number, left)
            if not left:
                poll.unregister(number)
                process.stdin.close()


def _written(end: int, data: memoryview) -> memoryview:
    """What is left to write. Who does not read any more takes everything."""
    try:
        return data[os.write(end, data[:_READ]) :]
    except BlockingIOError:
        return data
    except OSError:
        return data[:0]


def _ends(process: subprocess.Popen[bytes], until: float) -> bool:
    """Whether it ends in time, now that it says nothing more."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, until - time.monotonic()))
        return True
    return False
