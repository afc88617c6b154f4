"""The shards of an audit on the cores of this machine: a process for each, which ends with us.

What a process says is a part, as `conformance audit --shard` writes it. One that is killed is started again after the
last stretch that it told.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from queue import SimpleQueue

import msgspec

from conformance.processes import running
from conformance.traffic.parts import PartError, part_lines, part_stretches
from conformance.traffic.shards import (
    BEFORE_ALL,
    AuditOrder,
    JudgedStretch,
    StretchPlace,
    judged_stretches,
    merged,
)

STARTS = 3
"""How often a shard is begun before it is given up: what kills it may be its traffic."""

COLLECTED_EVERY = (1_000_000, 20, 100)
"""After how many new objects Python looks for garbage, and how often it looks at those that stayed."""

ShardNews = JudgedStretch | Exception | None


def pooled_stretches(order: AuditOrder, jobs: int, after: StretchPlace = BEFORE_ALL) -> Iterator[JudgedStretch]:
    """Do the work of an order in so many processes. Raises `PartError` when one of them is killed again and again."""
    if jobs == 1:
        collect_less()
        yield from judged_stretches(order, after)
        return
    with contextlib.ExitStack() as stack:
        yield from merged([_told_beside(stack, shard, after) for shard in order.shards(jobs)])


def collect_less() -> None:
    """Look for circles of garbage less often: exchanges are trees, and the rules that are loaded stay."""
    gc.freeze()
    gc.set_threshold(*COLLECTED_EVERY)


@contextlib.contextmanager
def collecting_less() -> Iterator[None]:
    """Look for circles of garbage less often, in a process that does other things later."""
    before = gc.get_threshold()
    collect_less()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _told_beside(stack: contextlib.ExitStack, order: AuditOrder, after: StretchPlace) -> Iterator[JudgedStretch]:
    """What a shard tells. It is heard as it comes, so that no process waits for another one."""
    shard = _Shard(order, after)
    stack.callback(shard.stop)
    shard.start()
    return shard.stretches()


class _Shard(threading.Thread):
    """Listens to a process that does the work of a shard."""

    def __init__(self, order: AuditOrder, after: StretchPlace) -> None:
        super().__init__(daemon=True)
        self._order, self._after = order, after
        self._told: SimpleQueue[ShardNews] = SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def stretches(self) -> Iterator[JudgedStretch]:
        """What it tells. Raises what went wrong."""
        while (heard := self._told.get()) is not None:
            if isinstance(heard, Exception):
                raise heard
            yield heard

    def stop(self) -> None:
        """End the process, if there is one still."""
        self._stopped = True
        if self._process is not None and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self.join()

    def run(self) -> None:
        """Start the process, again where it is killed."""
        try:
            for start in range(1, STARTS + 1):
                if self._stopped or self._is_done(last=start == STARTS):
                    break
        except Exception as problem:
            self._told.put(problem)
        self._told.put(None)

    def _is_done(self, *, last: bool) -> bool:
        try:
            for stretch in self._in_a_process():
                self._told.put(stretch)
                self._after = stretch.place
        except PartError as problem:
            if last and not self._stopped:
                raise PartError(f"a worker was killed {STARTS} times at one place: {problem}") from None
            return False
        return True

    def _in_a_process(self) -> Iterator[JudgedStretch]:
        pipe = subprocess.PIPE
        with running.kept_process([running.MODULE, __name__], stdin=pipe, stdout=pipe) as self._process:
            asked, said = self._process.stdin, self._process.stdout
            assert asked is not None
            assert said is not None
            with contextlib.suppress(BrokenPipeError), asked:
                asked.write(msgspec.json.encode((self._order, self._after)))
            with io.BufferedReader(said) as lines:  # type: ignore[type-var]
                yield from part_stretches(iter(lines), f"shard {self._order.shard}/{self._order.of}")


def main() -> None:
    """In the process: do the work that standard input orders, and say on standard output what came of it."""
    order, after = msgspec.json.decode(sys.stdin.buffer.read(), type=tuple[AuditOrder, StretchPlace])
    collect_less()
    for line in part_lines(order, judged_stretches(order, after)):
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
