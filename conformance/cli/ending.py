"""What a signal that ends a command means: stop, put everything away, write what was seen until then.

SIGINT, SIGTERM and SIGHUP alike raise `TerminatedError`, a `KeyboardInterrupt`, once. Those that come after it change
nothing: the command is ending already. Signals that were ignored when the command began stay ignored, as nohup and
shells want it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from conformance.files import through

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EXIT_CODE = 130

READER_SECONDS = 1.0
"""How long a FIFO may have no reader, once the command is to end."""

LAST_SECONDS = 10.0
"""How long putting away may take. It takes less than two, unless something is wrong."""

TICK_SECONDS = 0.1
"""How often to look whether the end was heard, and is still to come."""


class TerminatedError(KeyboardInterrupt):
    """A signal wants the command to end."""


class _Ending:
    """Whether the command is to end, and what was done about it."""

    def __init__(self) -> None:
        self.wanted: float | None = None
        self.unheard = False
        self.shelters = 0

    def hear(self, number: int, frame: FrameType | None) -> None:
        """A signal has come."""
        if self.wanted is not None:
            return
        self.wanted = time.monotonic()
        self.unheard = True
        through.READER_SECONDS = min(through.READER_SECONDS, READER_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS, TICK_SECONDS)
        self.tell()

    def tell(self) -> None:
        """Raise it, unless it must wait or was heard."""
        if self.unheard and not self.shelters:
            self.unheard = False
            raise TerminatedError

    def tick(self, number: int, frame: FrameType | None) -> None:
        """Raise it again where nobody could hear it; end the hard way where that takes too long."""
        if self.wanted is not None and time.monotonic() - self.wanted > LAST_SECONDS:
            os._exit(EXIT_CODE)
        self.tell()

    def lost(self, what: Any) -> bool:
        """Whether what nobody could raise was the end: in a finalizer, exceptions are only printed."""
        if not isinstance(what.exc_value, TerminatedError):
            return False
        self.unheard = True
        return True


_current: list[_Ending] = []


@contextlib.contextmanager
def ends_by_signals() -> Iterator[None]:
    """Signals end what happens in the block. In other threads than the first there are none."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ending, hook, patience = _Ending(), sys.unraisablehook, through.READER_SECONDS
    wanted = [number for number in ENDS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, ending.hear) for number in wanted}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, ending.tick)
    sys.unraisablehook = lambda what: None if ending.lost(what) else hook(what)
    _current.append(ending)
    try:
        yield
    finally:
        _current.remove(ending)
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook, through.READER_SECONDS = hook, patience
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextlib.contextmanager
def until_a_signal() -> Iterator[Callable[[], bool]]:
    """For a command that goes on until a signal: the block asks whether one has come, ends by itself, and is finished
    whatever comes. That is no interruption."""
    for ending in _current:
        ending.shelters += 1
    try:
        yield lambda: any(ending.wanted is not None for ending in _current)
    finally:
        for ending in _current:
            ending.shelters -= 1
            ending.unheard = False


@contextlib.contextmanager
def finishing() -> Iterator[None]:
    """The block is finished before a signal ends the command: it writes what the command was for."""
    for ending in _current:
        ending.shelters += 1
    try:
        yield
    finally:
        for ending in _current:
            ending.shelters -= 1
    for ending in _current:
        ending.tell()
