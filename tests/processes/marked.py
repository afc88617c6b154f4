"""Processes that carry a mark in their environment, so that all that a command started is found, wherever it went."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

from hearing import hear_signals

MARK = "CONFORMANCE_TEST_MARK"
WAYS = ("namespace", "group")
PATIENCE = 60.0
"""How long is waited for what must come, on a machine that does other work too."""

POLLED = 0.05
"""Seconds between two looks. A look reads the environment of every process of the machine."""


class Marked:
    """A command that runs, in a folder for temporary files of its own."""

    def __init__(
        self,
        words: Sequence[str],
        folder: Path,
        *,
        way: str = "namespace",
        program: Sequence[str] = ("-m", "conformance"),
        **variables: str,
    ) -> None:
        self.mark = uuid4().hex
        self.before = frozenset(Path("/proc").iterdir())
        self.temporary = folder / "temporary"
        self.temporary.mkdir(exist_ok=True)
        self.printed = folder / "printed"
        here = Path(__file__).parent
        path = os.pathsep.join([str(here), str(here.parent), os.environ.get("PYTHONPATH", "")])
        self._environment = {
            **os.environ, MARK: self.mark, "TMPDIR": str(self.temporary), "CONFORMANCE_PROCESSES": way,
            "PYTHONPATH": path, **variables,
        }  # fmt: skip
        with self.printed.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, *program, *words], env=self._environment, cwd=folder, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True, preexec_fn=hear_signals,
            )  # fmt: skip

    def __enter__(self) -> Marked:
        return self

    def __exit__(self, *raised: object) -> None:
        for pid in self.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(PATIENCE)

    def alive(self) -> list[int]:
        """The processes with the mark. Those that were there before it was made have none."""
        found, mark = [], f"{MARK}={self.mark}".encode()
        for path in Path("/proc").iterdir():
            if path.name.isdigit() and path not in self.before:
                with contextlib.suppress(OSError):
                    if mark in (path / "environ").read_bytes():
                        found.append(int(path.name))
        return found

    def named(self, words: str) -> list[int]:
        """Those of the processes whose command line has ``words``."""
        found = []
        for pid in self.alive():
            with contextlib.suppress(OSError):
                command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                if words in command:
                    found.append(pid)
        return found

    def until(self, true: Callable[[], object]) -> None:
        """Wait until something is true, while the command runs."""
        wait_until(lambda: true() or self.process.poll() is not None)
        assert true(), f"the command ended with {self.process.returncode}: {self.said()}"

    def send(self, *numbers: int) -> None:
        """Send it signals."""
        for number in numbers:
            self.process.send_signal(number)

    def ends(self) -> int:
        """Wait for its end, and for that of all that it started. Returns its exit code."""
        code = self.process.wait(PATIENCE)
        wait_until(lambda: not self.alive())
        return code

    def said(self) -> str:
        """What it printed."""
        return self.printed.read_text("utf-8", "replace")

    def left(self) -> list[str]:
        """The temporary files that are there."""
        return sorted(path.relative_to(self.temporary).as_posix() for path in self.temporary.rglob("*"))


def wait_until(true: Callable[[], object]) -> None:
    """Wait until something is true. Raises `AssertionError` when that takes too long."""
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, "nothing came"
        time.sleep(POLLED)
