"""Ending all that a process started, also what moved to another group or session, or lost its parent.

A process that adopts orphans (`conformance.processes.system.adopt_orphans`) is in the end the parent of all its
descendants that are left: who kills its children until there are none has killed them all.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path

SECONDS = 2.0
"""How long to go on killing. Nothing survives, but who forks all the time may be faster."""


def children() -> set[int]:
    """Our children, ended ones that nobody waited for included. Empty where the system does not tell."""
    found: set[int] = set()
    for path in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found.update(map(int, path.read_text("ascii").split()))
    return found


def end_children(spared: Collection[int] = ()) -> bool:
    """Kill our children but for those that are spared, and theirs. Says whether none is left.

    To be called by a process that adopts orphans and that lets nobody else wait for children meanwhile.
    """
    until = time.monotonic() + SECONDS
    while left := children() - set(spared):
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            reap(pid)
        if time.monotonic() > until:
            return False
    return True


def reap(pid: int) -> int | None:
    """Wait for a child that was killed. What it ended with; ``None`` for one that is no child, or not our business."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, 0)[1]
    return None


def reap_ended(spared: Collection[int] = ()) -> None:
    """Let go of the children that have ended and that nobody else waits for: orphans that we adopted."""
    for pid in children() - set(spared):
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
