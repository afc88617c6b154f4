"""Signals in processes that tests start."""

from __future__ import annotations

import signal


def hear_signals() -> None:
    """In a new process: a shell may have told this one, run in its background, to ignore interrupts."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
