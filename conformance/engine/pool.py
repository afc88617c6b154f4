"""Running groups in supervised worker processes.

A worker (`conformance.engine.worker`) is our own: it plays and judges, with an adapter that lives in a child of the
worker (`conformance.engine.children`). What goes wrong in the child is an outcome that the worker sees. But an adapter
may also reach the worker, by a signal for instance, and what it sends may cost the judge too much. So a worker says
when it begins a case and what came of it; when it stays silent for too long it is killed with its whole process group,
when it dies its exit is noted, and in both cases a new worker goes on with the next case. What workers and children
print goes to a file without a name and becomes evidence of a crash, never a verdict.

What is started for a worker is its keeper (`conformance.engine.kept`), which holds the pipe too. Closing our end of it
ends the worker with all that it started; so does our own end, whatever it is.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.adapters.contract import AdapterError, AdapterInfo, Kind
from conformance.adapters.paths import portable
from conformance.engine.cancellation import Cancellation, CancelledError
from conformance.engine.cases import Group, Selection, scenarios_of, selected_rules
from conformance.engine.messages import GarbledError, do_not_wait_long, received
from conformance.engine.report import CaseReport
from conformance.engine.worker import STACKS, Briefing
from conformance.masking.environment import keys_of_environment, without_keys
from conformance.masking.words import whole_words
from conformance.obstacles import Obstacle

if TYPE_CHECKING:
    from conformance.scenarios import Scenario

START_SECONDS = 75.0
"""How long a worker may take to start its child, which has a minute to load its adapter."""

GRACE_SECONDS = 10.0
"""How much longer than a case may take a worker is waited for: it holds its child to the time itself."""

MAX_WARM = 4
"""How many workers are kept between loading their adapter and playing with it."""

STACKS_SECONDS = 0.5
"""How long a worker that hangs has to print where."""

MAX_OUTPUT = 4_000
"""How many bytes of the end of what an adapter printed are kept."""

BROKE_OFF = "the worker stopped in the middle of a message"
"""What is said of one that does not go on."""

END_SECONDS = 5.0
"""How long a keeper may take to end all. It takes milliseconds, unless an adapter stopped it."""

_PROGRAM = "from conformance.engine.kept import main; main()"


@dataclass(frozen=True, slots=True)
class LostCase:
    """A case that never came back. ``kind`` is ``timeout`` or ``crash``."""

    group: Group
    delivery: str
    kind: str
    message: str
    output: str


@dataclass(frozen=True, slots=True)
class HarnessFailure:
    """A case in which the harness itself failed."""

    group: Group
    delivery: str
    message: str


CaseEvent = CaseReport | LostCase | HarnessFailure


@dataclass(frozen=True, slots=True)
class AdapterProbe:
    """What an address leads to, as far as another process may know it."""

    address: str
    info: AdapterInfo
    kind: Kind
    obstacle: Obstacle | None = None
    """Why there is nothing to play: its shim, or its library, could not be loaded."""


class WarmWorkers(contextlib.AbstractContextManager["WarmWorkers"]):
    """Workers that have loaded their adapter to say what it is, kept to play with it: loading may take seconds.

    ``scratch`` is the folder for what all workers of the run need for a while.
    """

    def __init__(self, scratch: Path | None = None) -> None:
        self.scratch = scratch
        self._workers: dict[str, _Worker] = {}

    def keep(self, worker: _Worker) -> None:
        """Keep a worker, if there are not many yet: each holds a library in memory."""
        if len(self._workers) < MAX_WARM and worker.address not in self._workers:
            self._workers[worker.address] = worker
        else:
            worker.kill()

    def take(self, address: str) -> _Worker | None:
        """A worker that has loaded this adapter."""
        return self._workers.pop(address, None)

    def __exit__(self, *raised: object) -> None:
        _kill_all(self._workers.values())


def probe(
    address: str,
    timeout: float = START_SECONDS,
    warm: WarmWorkers | None = None,
    cancellation: Cancellation | None = None,
) -> AdapterProbe:
    """Load the adapter at ``address`` in a worker and return its info. Raises `AdapterError`, and `CancelledError`.

    ``warm`` keeps the worker for `run_groups`.
    """
    worker = _Worker.start(address, warm.scratch if warm else None)
    try:
        probed = _introduced(worker, timeout, cancellation or Cancellation())
    except BaseException:
        worker.kill()
        raise
    if warm is None:
        worker.kill()
    else:
        warm.keep(worker)
    return probed


def _introduced(worker: _Worker, timeout: float, cancellation: Cancellation) -> AdapterProbe:
    """What the worker says when it has loaded its adapter."""
    address = worker.address
    if not cancellation.wait([worker.pipe], timeout):
        if cancellation.requested:
            raise CancelledError
        raise AdapterError(f"{address}: loading it takes more than {timeout:g} s: does it work on import?")
    try:
        message = received(worker.pipe)
    except GarbledError as problem:
        raise AdapterError(f"{address}: {problem}, while it was loaded{worker.said()}") from None
    except BlockingIOError:
        raise AdapterError(f"{address}: {BROKE_OFF}, while it was loaded{worker.said()}") from None
    except (EOFError, OSError):
        raise AdapterError(f"{address}: {worker.exit()} while it was loaded{worker.said()}") from None
    match message:
        case ("loaded", info, kind):
            worker.loading = False
            return AdapterProbe(address, info, kind)
        case ("refused", problem, obstacle):
            raise AdapterError(problem, obstacle)
    raise AdapterError(f"{address}: the worker answered in an unknown way")


def run_groups(
    groups: Iterable[Group],
    selection: Selection,
    *,
    jobs: int,
    timeout: float,
    warm: WarmWorkers | None = None,
    cancellation: Cancellation | None = None,
) -> Iterator[CaseEvent]:
    """The events of all cases, as they come. ``timeout`` is in seconds, for one case.

    Closing the iterator, or ``cancellation``, kills all workers but those that are in ``warm`` and were not needed.
    """
    cancellation, warm = cancellation or Cancellation(), warm or WarmWorkers()
    waiting = deque(groups)
    briefing = _Briefing(selection, timeout, {group.provider for group in waiting}) if waiting else None
    workers: list[_Worker] = []
    try:
        while (waiting or workers) and not cancellation.requested:
            while waiting and len(workers) < jobs:
                address = waiting[0].address
                workers.append(warm.take(address) or _Worker.start(address, warm.scratch))
                workers[-1].briefing = briefing
                workers[-1].give(waiting.popleft())
            for worker in _ready(workers, cancellation):
                yield from worker.listen(timeout)
                if worker.idle:
                    _next_task(worker, waiting)
                if worker.gone:
                    workers.remove(worker)
                    waiting.extendleft(worker.left_over())
    finally:
        _kill_all(workers)


def _kill_all(workers: Iterable[_Worker]) -> None:
    """End workers, all at the same time."""
    ending = list(workers)
    for worker in ending:
        worker.let_go()
    for worker in ending:
        worker.kill()


def _ready(workers: list[_Worker], cancellation: Cancellation) -> list[_Worker]:
    """The workers that said something, or that have been silent long enough to look at."""
    spoke = cancellation.wait([worker.pipe for worker in workers], 0.1)
    return [worker for worker in workers if worker.pipe in spoke or worker.overdue]


def _next_task(worker: _Worker, waiting: deque[Group]) -> None:
    """Give an idle worker the next group of its own adapter, or let it go."""
    group = next((group for group in waiting if group.address == worker.address), None)
    if group is None:
        worker.kill()
        return
    waiting.remove(group)
    worker.give(group)


class _Briefing:
    """What workers are told, so that none of them reads the files again. Importing what reads them takes a while."""

    def __init__(self, selection: Selection, timeout: float, providers: Iterable[str]) -> None:
        self._scenarios = scenarios_of(selection)
        rules = [replace(rule, example={}, violation=(), evidence={}) for rule in selected_rules(selection)]
        self.settings = Briefing(selection, rules, timeout, _keys_for(selection, providers))

    def task(self, group: Group) -> tuple[Group, Scenario]:
        """A group and its scenario."""
        return group, self._scenarios[group.scenario]


def _keys_for(selection: Selection, providers: Iterable[str]) -> dict[str, str]:
    """The variables with the keys, and the addresses, of the providers that are really asked."""
    if selection.answering.kind not in ("live", "record"):
        return {}
    from conformance.wires import card

    asked = [card(provider) for provider in providers]
    wanted = [name for one in asked for name in (*one.key.variables, one.url_variable)]
    return {name: os.environ[name] for name in wanted if name and os.environ.get(name)}


@dataclass(eq=False)
class _Worker:
    """The supervisor's end of one worker."""

    address: str
    process: subprocess.Popen[bytes]
    pipe: Connection
    output: int
    briefing: _Briefing | None = None
    briefed: bool = False
    group: Group | None = None
    loading: bool = True
    current: str | None = None
    done: set[str] = field(default_factory=set)
    gone: bool = False
    heard: float = 0.0
    patience: float = START_SECONDS
    timeout: float = 0.0

    @classmethod
    def start(cls, address: str, scratch: Path | None = None) -> _Worker:
        """Start a worker that loads the adapter at ``address``."""
        output = nameless_file()
        ours, theirs = multiprocessing.Pipe()
        do_not_wait_long(ours)
        with theirs:
            end = theirs.fileno()
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, str(end), *([str(scratch)] if scratch else [])],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=(end,), start_new_session=True,
                env=without_keys(),
            )  # fmt: skip
        worker = cls(address, process, ours, output, heard=time.monotonic())
        worker._tell((address, sys.path, tuple(keys_of_environment())))
        return worker

    def give(self, group: Group) -> None:
        """Ask for a group: now, or as soon as the adapter is loaded."""
        self.group, self.current, self.done = group, None, set()
        self.heard = time.monotonic()
        if not self.loading:
            self._brief(group)

    def _brief(self, group: Group) -> None:
        assert self.briefing is not None
        if not self.briefed:
            self._tell(self.briefing.settings)
            self.briefed = True
        self._tell(self.briefing.task(group))

    def _tell(self, message: object) -> None:
        with contextlib.suppress(OSError):  # it is dead, which the next look will show
            self.pipe.send(message)

    @property
    def idle(self) -> bool:
        """Whether it has nothing to do."""
        return not self.gone and self.group is None

    @property
    def overdue(self) -> bool:
        """Whether it has been silent for longer than it may be."""
        return time.monotonic() - self.heard > self.patience

    def listen(self, timeout: float) -> Iterator[CaseEvent]:
        """What it said, or what became of it."""
        self.timeout = timeout
        try:
            while self.pipe.poll():
                yield from self._hear(received(self.pipe))
        except GarbledError as problem:
            yield from self._lost("crash", str(problem))
            return
        except BlockingIOError:
            yield from self._lost("timeout", BROKE_OFF)
            return
        except (EOFError, OSError):
            self._await_exit()
            yield from self._lost("crash", self.exit())
            return
        if self.overdue and not self.idle:
            self._ask_where()
            yield from self._lost("timeout", f"no answer within {self.timeout:g} s")

    def _hear(self, message: tuple[Any, ...]) -> Iterator[CaseEvent]:
        self.heard, self.patience = time.monotonic(), self.timeout + GRACE_SECONDS
        match message:
            case ("loads",):
                self.patience = START_SECONDS + self.timeout
            case ("loaded", *_):
                self.loading = False
                if self.group is not None:
                    self._brief(self.group)
            case ("begins", delivery):
                self.current = delivery
            case ("reports", report):
                self.done.add(report.delivery)
                self.current = None
                yield report
            case ("broke", delivery, text):
                assert self.group is not None
                self.done.add(delivery)
                yield HarnessFailure(self.group, delivery, text)
            case ("finished",):
                self.group = None
            case ("refused", text, _):
                yield from self._lost("crash", text)

    def _ask_where(self) -> None:
        """Have it print where each of its threads hangs, which is the evidence of a timeout."""
        if self.loading:
            return  # its handler may not be there yet, and the signal would kill it
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, STACKS)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(STACKS_SECONDS)

    def _lost(self, kind: str, message: str) -> Iterator[CaseEvent]:
        said = self.said()
        self.kill()
        if self.group is None:
            return
        current = self.current or next(name for name in self.group.deliveries if name not in self.done)
        self.done.add(current)
        yield LostCase(self.group, current, kind, message, said)

    def left_over(self) -> list[Group]:
        """What of its group nobody has done yet."""
        if self.group is None:
            return []
        rest = tuple(name for name in self.group.deliveries if name not in self.done)
        return [replace(self.group, deliveries=rest)] if rest else []

    def exit(self) -> str:
        """How it ended, in words."""
        code = self._await_exit()
        if code is not None and code < 0:
            return f"the process was killed by {signal.Signals(-code).name}"
        return f"the process exited with {code}"

    def _await_exit(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(5)
        return None

    def said(self) -> str:
        """The end of what the adapter printed, for evidence."""
        with contextlib.suppress(OSError):
            size = os.fstat(self.output).st_size
            text = os.pread(self.output, MAX_OUTPUT, max(0, size - MAX_OUTPUT)).decode("utf-8", "replace")
            text = (whole_words(text) if size > MAX_OUTPUT else text).strip()
            return f"\n{portable(text)}" if text else ""
        return ""

    def let_go(self) -> None:
        """Have its keeper end it, and all that it started."""
        self.gone = True
        self.pipe.close()

    def kill(self) -> None:
        """End it, and all that it started, and wait for that."""
        self.let_go()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS)
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.output >= 0:
            os.close(self.output)
            self.output = -1


def nameless_file() -> int:
    """The descriptor of a new file that only we can find, which ends with its last user."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("conformance")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())

