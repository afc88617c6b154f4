"""The worker's end of the pool: load the adapter, then run the groups that come, until the pipe closes.

Run as ``python -m conformance.engine.worker FD``, with the file descriptor of its end of the pipe.
"""

from __future__ import annotations

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


def work(pipe: Connection) -> None:
    """The life of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor decides what an interrupt means
    faulthandler.register(STACKS)
    address, selection, path = pipe.recv()
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
    _serve(pipe, found, selection)


def _serve(pipe: Connection, found: Found, selection: Selection) -> None:
    from conformance.engine.run import GroupRun, selected_rules
    from conformance.scenarios import load_scenarios

    scenarios, rules = load_scenarios(selection.root), selected_rules(selection)
    swept = _begin_to_sweep_ourselves()
    while True:
        try:
            group: Group = pipe.recv()
        except (EOFError, OSError):
            return
        run = GroupRun(found, group, scenarios[group.scenario], selection, rules)
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
    """From now on garbage is collected between scenarios only, and what is loaded already is never looked at again.

    What finalizers do to streams that a library left open may raise, or wait for a lock that the next model call holds
    (httpcore's pool: https://github.com/encode/httpcore/pull/1108), and a case would be blamed for what another left.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    return time.monotonic()


if __name__ == "__main__":
    work(Connection(int(sys.argv[1])))
