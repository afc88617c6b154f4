"""Nobody is left behind: when this process dies, however it dies, its child's process group is killed.

A child gets a process group of its own, so that it can be killed with all that it started. But then whoever kills
*our* group does not reach it, and a hanging child does not notice that its standard input ended. So a few lines of
shell wait, in a session of their own, for the end of a pipe that only this process holds open. In a namespace of
processes (`conformance.processes.keeper`) the kernel does all that.
"""

from __future__ import annotations

import contextlib
import os
import subprocess

from conformance.processes.keeper import way

_SCRIPT = """
while read -r line; do group=$line; done
if [ "${group:-0}" != 0 ]; then kill -9 "-$group"; fi
"""
"""Remembers the last group that it was told, and kills it at the end of the pipe."""


class Guard:
    """Watches over one process group at a time."""

    def __init__(self) -> None:
        self._shell = _shell() if way() != "namespace" else None

    @property
    def pids(self) -> set[int]:
        """The processes that watch."""
        return {self._shell.pid} if self._shell is not None else set()

    def watch(self, group: int) -> None:
        """Watch over ``group``, or over nothing (0)."""
        if self._shell is not None and self._shell.stdin is not None:
            with contextlib.suppress(OSError):
                os.write(self._shell.stdin.fileno(), b"%d\n" % group)

    def close(self) -> None:
        """End the watch."""
        self.watch(0)
        if self._shell is not None and self._shell.stdin is not None:
            self._shell.stdin.close()
            self._shell.wait()


def _shell() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", _SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        bufsize=0,
    )
