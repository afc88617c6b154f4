"""Running other programs, kept (`conformance.processes.keeper`): when they end, or we do, nothing that they started is
left.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from conformance.processes.keeper import WAY_VARIABLE, keep

END_SECONDS = 2.0
"""How long a keeper may take to end all. It takes milliseconds."""

MODULE = "-m"
"""As the first word of a command: the second is a module of ours, whose ``main`` is called."""

_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from conformance.processes.running import main
main(*sys.argv[2:])
"""
_CANNOT = 127


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many bytes of memory a process may have, and how many a file. 0 is no limit."""

    memory: int = 0
    file: int = 0


UNLIMITED = Sizes()


@contextlib.contextmanager
def kept_process(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    sizes: Sizes = UNLIMITED,
    **streams: Any,
) -> Iterator[subprocess.Popen[bytes]]:
    """A program that runs at most as long as the block. ``streams`` are those of `subprocess.Popen`.

    Raises `OSError`.
    """
    if command[0] != MODULE and shutil.which(command[0]) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])
    lifeline, theirs = socket.socketpair()
    with lifeline, theirs:
        words = [json.dumps(sys.path), str(theirs.fileno()), os.environ.get(WAY_VARIABLE, "")]
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, *words, str(sizes.memory), str(sizes.file), *command],
            cwd=folder, env=None if environment is None else dict(environment), pass_fds=(theirs.fileno(),),
            start_new_session=True, bufsize=0, **streams,
        )  # fmt: skip
        theirs.close()
        with process:
            try:
                yield process
            finally:
                lifeline.close()
                _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Its keeper ends, because nobody wants it any more."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_kept(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None, seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and take what it says. Raises `OSError` and `subprocess.TimeoutExpired`."""
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with kept_process(command, environment=environment, stdin=nothing, stdout=pipe, stderr=pipe) as process:
        said, complaints = process.communicate(timeout=seconds)
        code = process.wait()
    text = [data.decode("utf-8", "replace") for data in (said, complaints)]
    return subprocess.CompletedProcess(list(command), code, *text)


def main(lifeline: str, way: str, memory: str, file: str, *command: str) -> None:
    """In the new process: be the keeper, and go on as the program."""
    before = os.environ.get(WAY_VARIABLE)
    os.environ[WAY_VARIABLE] = way
    keep(int(lifeline))
    del os.environ[WAY_VARIABLE]
    os.environ |= {} if before is None else {WAY_VARIABLE: before}
    os.close(int(lifeline))
    limits = {resource.RLIMIT_AS: int(memory), resource.RLIMIT_FSIZE: int(file)}
    for what, most in limits.items():
        if most:
            _limit(what, most)
    if command[0] == MODULE:
        import_module(command[1]).main()
        return
    try:
        os.execvp(command[0], command)
    except OSError as problem:
        sys.stderr.write(f"cannot run {command[0]}: {problem.strerror}\n")
        sys.stderr.flush()
        os._exit(_CANNOT)


def _limit(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(ValueError, OSError):  # not every system has every limit
        resource.setrlimit(what, (most, most))
