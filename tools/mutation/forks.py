"""One fork for each piece of work: it answers with one document, or is killed when it takes too long."""

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
from typing import Any, TypeVar

T = TypeVar("T")

SECONDS = 10.0
"""Processor time that one call or one case may take."""
WALL = 900.0
"""Wall time after which a fork is killed, whatever it does."""
MEMORY = 6 << 30
"""Bytes that a fork may have."""


class TooLongError(BaseException):
    """What is raised inside a fork when it is too slow. Not an `Exception`: a mutant may catch those."""


@dataclass(slots=True)
class _Fork:
    item: Any
    pid: int
    ends: float
    answer: bytes = b""


def clock() -> None:
    """Give the fork its processor time anew."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)


def forked(items: list[T], work: Callable[[T], dict[str, Any]], jobs: int) -> Iterator[tuple[T, dict[str, Any]]]:
    """Each item with what ``work`` answers of it in a fork of its own. Without an answer, ``outcome`` says why."""
    selector, waiting, running = selectors.DefaultSelector(), items[::-1], 0
    while waiting or running:
        while waiting and running < jobs:
            _start(waiting.pop(), work, selector)
            running += 1
        for fork in _ended(selector):
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
    selector.register(reading, selectors.EVENT_READ, _Fork(item, pid, time.monotonic() + WALL))


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


def _ended(selector: selectors.BaseSelector) -> Iterator[_Fork]:
    ready = {key.fd for key, _ in selector.select(timeout=1.0)}
    for key in list(selector.get_map().values()):
        fork: _Fork = key.data
        data = os.read(key.fd, 65536) if key.fd in ready else None
        if data:
            fork.answer += data
        elif data is not None or time.monotonic() > fork.ends:
            if data is None:
                os.kill(fork.pid, signal.SIGKILL)
                fork.answer = b'{"outcome": "timeout"}'
            os.waitpid(fork.pid, 0)
            selector.unregister(key.fd)
            os.close(key.fd)
            yield fork


def _answer(fork: _Fork) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(fork.answer)
    except ValueError:  # it ended without a word: out of memory, or out of stack
        return {"outcome": "crash"}
    return found
