"""Calling work off from another thread: whoever waits for workers wakes up."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection


class CancelledError(Exception):
    """The work was called off before it came to anything."""


class Cancellation:
    """A request to stop. It may be made from any thread, and is never taken back."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._awake, self._wake = multiprocessing.Pipe(duplex=False)

    def request(self) -> None:
        """Have all who `wait` go on at once."""
        self._asked.set()
        self._wake.send_bytes(b".")

    @property
    def requested(self) -> bool:
        """Whether it was requested."""
        return self._asked.is_set()

    def wait(self, pipes: Sequence[Connection], seconds: float) -> list[Connection]:
        """The pipes that have something to read, as soon as one has, or none after ``seconds`` or once requested."""
        ready = multiprocessing.connection.wait([*pipes, self._awake], seconds)
        return [pipe for pipe in pipes if pipe in ready]
