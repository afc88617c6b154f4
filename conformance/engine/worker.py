"""The worker's end of the pool: start the adapter's child, then play and judge the groups that come.

Nothing of the adapter is in this process: it is asked in its child (`conformance.engine.children`), and judged here.
Scenarios and rules come through the pipe too: the supervisor has read their files.

It is started by its keeper (`conformance.engine.kept`), with the file descriptor of its end of the pipe.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from conformance.processes.system import adopt_orphans

if TYPE_CHECKING:
    from conformance.engine.cases import Group, Selection
    from conformance.engine.children import AdapterChild
    from conformance.rules import Rule
    from conformance.scenarios import Scenario

STACKS = signal.SIGUSR2
"""Makes a worker print where its threads are, to standard error."""

REST_SECONDS = 1.0
"""How long garbage is kept, here and in the child."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """What holds for all groups: the rules to judge by, and how many seconds a case may take."""

    selection: Selection
    rules: list[Rule]
    timeout: float
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The variables that a live run needs. A worker is started without any that holds a key, and so is its child."""


def work(pipe: Connection) -> None:
    """The life of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor decides what an interrupt means
    faulthandler.register(STACKS)
    gc.disable()  # what is swept is swept between scenarios
    known: tuple[str, ...]
    address, sys.path[:], known = pipe.recv()
    from conformance.adapters.contract import AdapterError
    from conformance.engine.children import open_child
    from conformance.masking.environment import tell_keys

    tell_keys(known)
    try:
        child = open_child(address)
    except AdapterError as problem:
        pipe.send(("refused", str(problem), problem.obstacle))
        return
    pipe.send(("loaded", child.found.info, child.found.kind))
    child.caller.starts = lambda: pipe.send(("loads",))
    with contextlib.suppress(EOFError, OSError):  # the supervisor is gone, or has seen enough
        _serve(pipe, child, pipe.recv())


def _serve(pipe: Connection, child: AdapterChild, briefing: Briefing) -> None:
    from conformance.engine.group_play import GroupPlay
    from conformance.masking.door import Mask
    from conformance.rules import PLAYED, load_checks_of, rules_about

    ready: set[str] = set()
    mask = Mask()
    os.environ.update(briefing.keys)
    gc.collect()
    gc.freeze()
    rested = time.monotonic()
    while True:
        group: Group
        scenario: Scenario
        group, scenario = pipe.recv()
        if group.provider not in ready:
            for profile in PLAYED:
                load_checks_of(rules_about(briefing.rules, group.provider, profile))
            ready.add(group.provider)
        play = GroupPlay(
            child.found, group, scenario, briefing.selection, briefing.rules, mask=mask, printed=child.printed
        )
        times = briefing.selection.answering.repeat
        for delivery, attempt in product(group.deliveries, range(1, times + 1) if times > 1 else (0,)):
            child.caller.revive()
            pipe.send(("begins", delivery))
            child.caller.allow(briefing.timeout)
            child.printed()
            try:
                pipe.send(("reports", play.case(delivery, attempt)))
            except Exception as problem:
                pipe.send(("broke", delivery, f"{type(problem).__name__}: {problem}"))
            if child.has_grown:
                child.rest()
        if time.monotonic() - rested > REST_SECONDS:
            child.rest()
            gc.collect()
            rested = time.monotonic()
        pipe.send(("finished",))


def start(end: int, scratch: str | None = None) -> None:
    """Begin to work. Temporary files are made in ``scratch``, which is removed with all that is in it."""
    tempfile.tempdir = scratch
    adopt_orphans()
    work(Connection(end))
