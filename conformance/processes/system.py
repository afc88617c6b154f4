"""What Linux can do with processes and Python does not offer. Elsewhere everything here says that it cannot."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

NEW_USERS, NEW_PROCESSES, NEW_MOUNTS = 0x1000_0000, 0x2000_0000, 0x0002_0000
"""``CLONE_NEWUSER``, ``CLONE_NEWPID`` and ``CLONE_NEWNS``."""

_DEATH_SIGNAL, _SUBREAPER = 1, 36
_PRIVATE, _RECURSIVE, _NOTHING_ODD, _BIND = 1 << 18, 0x4000, 2 | 4 | 8, 0x1000


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _call(name: str, *words: Any) -> None:
    """Call a function of the C library. Raises `OSError`."""
    function = getattr(_libc(), name, None)
    if function is None:
        raise OSError(f"there is no {name} here")
    if function(*words) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def signal_at_parents_death(number: int) -> bool:
    """Have the kernel send us a signal when the thread that made us ends. Says whether it will."""
    return _control(_DEATH_SIGNAL, number)


def adopt_orphans() -> bool:
    """Become the parent of all whose parent ends, among our descendants. Says whether we are."""
    return _control(_SUBREAPER, 1)


def _control(what: int, value: int) -> bool:
    try:
        _call("prctl", what, value, 0, 0, 0)
    except OSError:
        return False
    return True


def unshare(namespaces: int) -> None:
    """Leave namespaces. As ourselves: who we are in a new one for users is who we were. Raises `OSError`."""
    user, group = os.geteuid(), os.getegid()
    _call("unshare", namespaces)
    if namespaces & NEW_USERS:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", name).write_text(text, "ascii")


def show_own_processes() -> None:
    """Have ``/proc`` show the processes of our namespace, for us and our descendants alone. Raises `OSError`."""
    unshare(NEW_MOUNTS)
    _call("mount", b"none", b"/", None, _RECURSIVE | _PRIVATE, None)
    _call("mount", b"proc", b"/proc", b"proc", _NOTHING_ODD, None)


def bind(file: Path, over: Path) -> None:
    """Show a file in the place of another one, for us and our descendants alone. Raises `OSError`."""
    unshare(NEW_MOUNTS)
    _call("mount", b"none", b"/", None, _RECURSIVE | _PRIVATE, None)
    _call("mount", os.fsencode(file), os.fsencode(over), None, _BIND, None)


def succeeds(work: Callable[[], None]) -> bool:
    """Whether ``work`` raises no `OSError`, in a process of its own. There must be no other threads."""
    pid = os.fork()
    if pid:
        return os.waitpid(pid, 0)[1] == 0
    code = 1
    try:
        with contextlib.suppress(OSError):
            work()
            code = 0
    finally:
        os._exit(code)
