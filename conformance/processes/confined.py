"""Running what may do anything, for a while: its time, output, memory and files have limits, and when it ends, all that
it started ends too (`conformance.processes.keeper`). It sees nothing of our environment, and no terminal.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from conformance.processes.keeper import WAY_VARIABLE, keep

END_SECONDS = 2.0
"""How long the keeper may take to end all. It takes milliseconds."""

LOOK_SECONDS = 0.2
"""How often to look whether the program has ended though its output has not."""

MODULE = "-m"
"""As the first word of a command: the second is a module of ours, whose ``main`` is called."""

_READ = 1 << 16
_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from conformance.processes.confined import main
main(*sys.argv[2:])
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use: seconds, bytes of output, of memory for each process, and of each file."""

    seconds: float
    output: int
    memory: int
    file: int


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of a program: ``late`` when it took too long, ``cut`` when it said too much. Then it was killed."""

    output: bytes
    code: int
    late: bool = False
    cut: bool = False


def run_confined(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], limits: Limits, said: bytes = b""
) -> Ended:
    """Run ``command`` in ``folder`` with ``said`` as its input. Output and errors come as one. Raises `OSError`."""
    until = time.monotonic() + limits.seconds
    lifeline, theirs = socket.socketpair()
    with lifeline, theirs:
        way = os.environ.get(WAY_VARIABLE, "")
        words = [json.dumps(sys.path), str(theirs.fileno()), way, str(limits.memory), str(limits.file), *command]
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, *words],
            cwd=folder, env=dict(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            pass_fds=(theirs.fileno(),), start_new_session=True, bufsize=0,
        )  # fmt: skip
        theirs.close()
        with process:
            try:
                output, late, cut = _talk(process, said, limits.output, until)
            finally:
                lifeline.close()
                _end(process)
    return Ended(output, process.returncode, late, cut)


def _talk(process: subprocess.Popen[bytes], said: bytes, most: int, until: float) -> tuple[bytes, bool, bool]:
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
        seconds = until - time.monotonic()
        if seconds <= 0:
            return bytes(came), True, False
        ready = poll.poll(min(seconds, LOOK_SECONDS) * 1000)
        if not ready and process.poll() is not None:
            return bytes(came), False, False  # somebody who escaped has the pipe
        for end, _ in ready:
            if end == process.stdout.fileno():
                piece = os.read(end, _READ)
                came += piece
                if not piece:
                    return bytes(came), not _ends(process, until), False
                if len(came) > most:
                    return bytes(came[:most]), False, True
                continue
            try:
                left = left[os.write(end, left[:_READ]) :]
            except BlockingIOError:
                continue
            except OSError:
                left = left[:0]
            if not left:
                poll.unregister(end)
                process.stdin.close()


def _ends(process: subprocess.Popen[bytes], until: float) -> bool:
    """Whether it ends in time, now that it says nothing more."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, until - time.monotonic()))
        return True
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Its keeper ends, because nobody wants it any more."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main(lifeline: str, way: str, memory: str, file: str, *command: str) -> None:
    """In the new process: be the keeper, and go on as the program."""
    os.environ[WAY_VARIABLE] = way
    keep(int(lifeline))
    del os.environ[WAY_VARIABLE]
    os.close(int(lifeline))
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, file), (resource.RLIMIT_CORE, 0)):
        _limit(what, int(most))
    if command[0] == MODULE:
        import_module(command[1]).main()
    else:
        os.execv(command[0], command)


def _limit(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(ValueError, OSError):  # not every system has every limit
        resource.setrlimit(what, (most, most))
