"""One fork for each piece of work: it answers with one document, or is killed when it takes too long.

What is too long is told by processor time alone, so that other work on the machine changes no answer. A fork that takes
none of it is looked at: one that sleeps waits for what never comes, one that could run or was stopped is let be.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

SECONDS = 10.0
"""Processor time that one call or one case may take."""
GRACE = 5
"""Further seconds of it, for a call that hears no signal: it does not come back to Python."""
LOOKS = 60
"""How often in a row, once a second, a fork is found asleep before it is killed."""
MEMORY = 6 << 30
"""Bytes that a fork may have."""


class TooLongError(BaseException):
    """What is raised inside a fork when it is too slow. Not an `Exception`: a mutant may catch those."""


@dataclass(slots=True)
class _Fork:
    item: Any
    pid: int
    answer: bytes = b""
    slept: int = 0
    ticks: int = -1

    def sleeps(self) -> bool:
        """Look at it. Whether it was found asleep so often, with no processor time between, that it waits for ever."""
        state, ticks = _looked_at(self.pid)
        self.slept = self.slept + 1 if state == "S" and ticks == self.ticks else 0
        self.ticks = ticks
        return self.slept >= LOOKS


def _looked_at(pid: int) -> tuple[str, int]:
    """The state of a process, and the ticks of processor time that it took. Nothing is known without /proc."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return "", -1
    return told[0], int(told[11]) + int(told[12])


def clock() -> None:
    """Give the fork its processor time anew."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    ends = int(time.process_time() + SECONDS) + GRACE
    resource.setrlimit(resource.RLIMIT_CPU, (ends, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def forked(items: list[T], work: Callable[[T], dict[str, Any]], jobs: int) -> Iterator[tuple[T, dict[str, Any]]]:
    """Each item with what ``work`` answers of it in a fork of its own. Without an answer, ``outcome`` says why."""
    selector, waiting, running, looked = selectors.DefaultSelector(), items[::-1], 0, time.monotonic()
    while waiting or running:
        while waiting and running < jobs:
            _start(waiting.pop(), work, selector)
            running += 1
        if look := time.monotonic() - looked >= 1.0:
            looked = time.monotonic()
        for fork in _ended(selector, look=look):
            running -= 1
            yield fork.item, _answer(fork)


def _start(item: T, work: Callable[[T], dict[str, Any]], selector: selectors.BaseSelector) -> None:
    reading, writing = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _child(item, work, writing)
    os.close(writing)
    selector.register(reading, selectors.EVENT_READ, _Fork(item, pid))


def _child(item: T, work: Callable[[T], dict[str, Any]], writing: int) -> None:
    def slow(*_: object) -> None:
        os.write(writing, b'{"outcome": "timeout"}')
        os._exit(0)

    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.signal(signal.SIGPROF, slow)
        clock()
        with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):  # a mutant may print
            answer = work(item)
        signal.setitimer(signal.ITIMER_PROF, 0)
        data = json.dumps(answer).encode()
        while data:
            data = data[os.write(writing, data) :]
    except BaseException:
        os.write(writing, json.dumps({"outcome": "broken", "why": traceback.format_exc()[-1500:]}).encode())
    finally:
        os._exit(0)


def _ended(selector: selectors.BaseSelector, *, look: bool) -> Iterator[_Fork]:
    ready = {key.fd for key, _ in selector.select(timeout=1.0)}
    for key in list(selector.get_map().values()):
        fork: _Fork = key.data
        data = os.read(key.fd, 65536) if key.fd in ready else None
        if data:
            fork.answer += data
        elif data is not None or (look and fork.sleeps()):
            if data is None:
                os.kill(fork.pid, signal.SIGKILL)
            _, status = os.waitpid(fork.pid, 0)
            if data is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
                fork.answer = b'{"outcome": "timeout"}'
            selector.unregister(key.fd)
            os.close(key.fd)
            yield fork


def _answer(fork: _Fork) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(fork.answer)
    except ValueError:  # it ended without a word: out of memory, or out of stack
        return {"outcome": "crash"}
    return found
