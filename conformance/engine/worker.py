"""The worker's end of the pool: load the adapter, then run the groups that come, until the pipe closes.

Scenarios and rules come through the pipe too: the supervisor has read their files.

Run as ``python -m conformance.engine.worker FD``, with the file descriptor of its end of the pipe.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import signal
import sys
import time
from itertools import product
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from conformance.version import VERSION

STACKS = signal.SIGUSR2
"""Makes a worker print where its threads are, to standard error."""

SWEEP_SECONDS = 1.0
"""How long garbage is kept."""

if TYPE_CHECKING:
    from conformance.adapters.addresses import Found
    from conformance.engine.cases import Group, Selection
    from conformance.rules import Rule
    from conformance.scenarios import Scenario


def work(pipe: Connection) -> None:
    """The life of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor decides what an interrupt means
    faulthandler.register(STACKS)
    gc.disable()  # see _begin_to_sweep_ourselves; and what is being loaded is no garbage
    address, path = pipe.recv()
    if path is not None:
        sys.path[:] = path
    from conformance.adapters.addresses import find_adapter
    from conformance.adapters.contract import AdapterError

    try:
        found = find_adapter(address)
    except AdapterError as problem:
        pipe.send(("refused", str(problem)))
        return
    pipe.send(("loaded", found.info, found.kind, VERSION))
    with contextlib.suppress(EOFError, OSError):  # the supervisor is gone, or has seen enough
        _serve(pipe, found, *pipe.recv())


def _serve(pipe: Connection, found: Found, selection: Selection, rules: list[Rule]) -> None:
    from conformance.engine.run import GroupRun
    from conformance.rules import load_checks

    load_checks()
    swept = _begin_to_sweep_ourselves()
    while True:
        group: Group
        scenario: Scenario
        group, scenario = pipe.recv()
        run = GroupRun(found, group, scenario, selection, rules)
        times = selection.answering.repeat
        for delivery, attempt in product(group.deliveries, range(1, times + 1) if times > 1 else (0,)):
            pipe.send(("begins", delivery))
            try:
                pipe.send(("reports", run.case(delivery, attempt)))
            except Exception as problem:
                pipe.send(("broke", delivery, f"{type(problem).__name__}: {problem}"))
        if time.monotonic() - swept > SWEEP_SECONDS:
            gc.collect()
            swept = time.monotonic()
        pipe.send(("finished",))


def _begin_to_sweep_ourselves() -> float:
    """Garbage is collected between scenarios only, and what is loaded already is never looked at again.

    What finalizers do to streams that a library left open may raise, or wait for a lock that the next model call holds
    (httpcore's pool: https://github.com/encode/httpcore/pull/1108), and a case would be blamed for what another left.
    """
    gc.collect()
    gc.freeze()
    return time.monotonic()


if __name__ == "__main__":
    work(Connection(int(sys.argv[1])))
