"""A process that keeps another one: when it ends, or nobody wants it any more, nothing that it started is left.

    namespace   keeper ── init (1) ── kept ── whatever it starts      the kernel ends all when init ends
    group       keeper ─────────────── kept ── whatever it starts      the keeper adopts orphans, and kills them

The keeper waits for two things: the end of the kept process, which becomes its own, and the end of a *lifeline*, a
socket whose other end belongs to whoever wanted the process. That one may end in any way: the kernel closes its files.

A namespace of processes is tried where the system has them and lets us (`conformance.processes.system`). From inside
nobody sees the keeper, and nobody can leave.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, ClassVar, Literal, NoReturn

from conformance.processes import system
from conformance.processes.descendants import end_children

HoldWay = Literal["namespace", "group"]
WAY_VARIABLE = "CONFORMANCE_PROCESSES"
"""The environment variable that chooses a way: ``group`` makes no namespace."""

GRACE_SECONDS = 2.0
"""How long a kept process may take to end when signals are passed on to it."""

LOOK_SECONDS = 0.05
"""How often to look after the kept process, where the system does not tell of its end."""

_FOR_THE_KEPT = (signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2)
"""What is sent to the whole group, and nothing to the keeper."""
_ENDS = (signal.SIGTERM, signal.SIGHUP)

_kept: list[HoldWay] = []


def way() -> HoldWay | None:
    """The way in which this process is kept; ``None`` where it is not."""
    return _kept[0] if _kept else None


def keep(lifeline: int | None = None, at_end: Callable[[], object] | None = None) -> None:
    """Go on in a new process, which is kept. The one that calls this is its keeper from now on, and does not return.

    ``lifeline`` is the file descriptor of a socket. Without one, signals are passed on to the kept process, which ends
    by itself then, or is ended. ``at_end`` is called by the keeper when all have ended. There must be no other threads.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _FOR_THE_KEPT}
    keeper = _InNamespace(lifeline is None) if _namespaces() else _InGroup(lifeline is None)
    if keeper.starts():
        _kept[:] = [keeper.way]
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        return
    status = keeper.watch(lifeline)
    if at_end is not None:
        at_end()
    _end_likewise(status)


class _Keeper:
    way: ClassVar[HoldWay]

    def __init__(self, passes_on: bool) -> None:
        self.pid = 0
        self._passes_on = passes_on

    def starts(self) -> bool:
        """Fork. True in the process that is kept."""
        raise NotImplementedError

    def ended(self, status: int) -> int:
        """What the kept process ended with, now that ``pid`` has ended with ``status``."""
        return status

    def watch(self, lifeline: int | None) -> int:
        """Wait for the end, or make it. Returns what the kept process ended with."""
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        if self._passes_on:
            _pass_on(self.pid, woken)
        else:
            for number in _ENDS:
                signal.signal(number, lambda *_: _wake(woken))
        ended = _await_end(self.pid, lifeline, wake)
        if not ended and self._passes_on:
            ended = _await_end(self.pid, lifeline, None, GRACE_SECONDS)
        if not ended:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        return self.ended(os.waitpid(self.pid, 0)[1])


class _InNamespace(_Keeper):
    """The kernel does it: when the first process of a namespace ends, all others are killed."""

    way = "namespace"

    def starts(self) -> bool:
        self._told, tell = os.pipe()
        system.unshare(_namespaces())
        self.pid = os.fork()
        if self.pid:
            os.close(tell)
            return False
        os.close(self._told)
        system.signal_at_parents_death(signal.SIGKILL)
        if _is_broken(tell):  # our keeper died before that
            os._exit(0)
        system.show_own_processes()
        kept = os.fork()
        if kept:
            if self._passes_on:
                _pass_on(kept, None)
            _be_init(kept, tell)
        os.close(tell)
        return True

    def ended(self, status: int) -> int:
        said = os.read(self._told, 16)
        return int(said) if said else status


def _be_init(kept: int, tell: int) -> NoReturn:
    """The life of the first process: wait for all who lost their parents, until the kept one ends."""
    while True:
        pid, status = os.wait()
        if pid == kept:
            os.write(tell, b"%d" % status)
            os._exit(0)


class _InGroup(_Keeper):
    """We do it, where the system lets us adopt orphans. Elsewhere only the kept process itself is ended."""

    way = "group"

    def starts(self) -> bool:
        system.adopt_orphans()
        keeper = os.getpid()
        self.pid = os.fork()
        if self.pid:
            return False
        system.signal_at_parents_death(signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(0)
        return True

    def ended(self, status: int) -> int:
        end_children()
        return status


# --- waiting ---------------------------------------------------------------------------------------------------------


def _await_end(pid: int, lifeline: int | None, wake: int | None, seconds: float | None = None) -> bool:
    """Wait for the end of a child. False when that of the lifeline came first, or a wake, or no time was left."""
    poll = select.poll()
    for end, events in ((lifeline, 0), (wake, select.POLLIN)):  # what is said on the lifeline is not for us
        if end is not None:
            poll.register(end, events)
    child = _watched(pid)
    if child is not None:
        poll.register(child, select.POLLIN)
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        look = [LOOK_SECONDS] if child is None else []
        look += [] if until is None else [max(0.0, until - time.monotonic())]
        ready = poll.poll(min(look) * 1000 if look else None)
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return True
        if ready or (until is not None and time.monotonic() >= until):
            return False


def _watched(pid: int) -> int | None:
    """A file descriptor that can be read when a process has ended, where there are such."""
    with contextlib.suppress(AttributeError, OSError):
        return os.pidfd_open(pid)
    return None


def _is_broken(end: int) -> bool:
    """Whether nobody has the other end of a pipe."""
    poll = select.poll()
    poll.register(end, 0)
    return bool(poll.poll(0))


def _pass_on(pid: int, wake: int | None) -> None:
    """Send all signals that end a process to ``pid`` instead."""

    def send(number: int, frame: Any) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        if wake is not None:
            _wake(wake)

    for number in (*_ENDS, signal.SIGINT):
        signal.signal(number, send)


def _wake(end: int) -> None:
    with contextlib.suppress(BlockingIOError):
        os.write(end, b".")


def _end_likewise(status: int) -> NoReturn:
    """End as the kept process did."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


# --- whether there can be a namespace --------------------------------------------------------------------------------


def _namespaces() -> int:
    """The namespaces to make; 0 where there can be none. It is tried: only that tells."""
    if not _found:
        _found.append(0)
        if sys.platform == "linux" and os.environ.get(WAY_VARIABLE) != "group":
            wanted = (system.NEW_PROCESSES, system.NEW_PROCESSES | system.NEW_USERS)
            _found[0] = next((kinds for kinds in wanted if _can_be_made(kinds)), 0)
    return _found[0]


_found: list[int] = []


def _can_be_made(kinds: int) -> bool:
    def inside() -> None:
        system.unshare(kinds)
        if not system.succeeds(system.show_own_processes):
            raise OSError("a namespace without a /proc of its own")

    return system.succeeds(inside)
