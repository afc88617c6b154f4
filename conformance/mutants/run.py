"""Playing the mutants of all providers, in worker processes."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.engine.cases import is_selected, is_wanted
from conformance.mutants.catalogue import mutants
from conformance.mutants.mutant import Mutant
from conformance.mutants.trace import STREAM, ReferenceRecord, Trace
from conformance.mutants.trial import Trial, play
from conformance.processes.system import signal_at_parents_death
from conformance.rules import Rule, catalogue
from conformance.wires import PROVIDERS

OTHERWISE = ("stream:utf8-split", "stream:crlf-split")
"""Deliveries that cut inside characters and inside line ends."""


@dataclass(frozen=True, slots=True)
class MutantSelection:
    """What to try. Empty means everything; mutants and rules are names or globs."""

    providers: tuple[str, ...] = ()
    mutants: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def on(self) -> tuple[str, ...]:
        """The providers to try mutants on."""
        return tuple(provider for provider in PROVIDERS if not self.providers or provider in self.providers)

    def wants(self, mutant: str) -> bool:
        """Whether a mutant is to be tried. A name is itself, also where it looks like a glob."""
        return mutant in self.mutants or is_selected(mutant, self.mutants)

    def judges(self) -> list[Rule]:
        """The rules to judge by: those that have a check."""
        return [rule for rule in catalogue().values() if rule.check and is_wanted(rule, self.rules)]


@dataclass(frozen=True, slots=True)
class MutantResult:
    """A mutant, and what became of it on one provider."""

    name: str
    kind: str
    says: str
    aims: tuple[str, ...]
    trial: Trial


@dataclass(slots=True)
class Share:
    """Some of the mutants of one provider, played.

    The first of a provider's shares tells of the reference adapter, too: ``examined`` are the rules that any scenario
    gives something to examine, with those scenarios. ``wrong`` are the rules that blame the reference adapter itself,
    with a case for each. ``missed`` are the globs that no mutant of the provider matches; ``names`` are then those of
    all its mutants.
    """

    provider: str
    examined: dict[str, list[str]]
    wrong: dict[str, str]
    missed: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    played: list[MutantResult] = field(default_factory=list)


Tell = Callable[[int, int], None]
"""Is told of progress: how many more mutants there are to play, and how many more are done."""


def play_all(wanted: MutantSelection, *, jobs: int, tell: Tell) -> list[Share]:
    """Play every wanted mutant on every wanted provider, in at most ``jobs`` processes."""
    parts = max(1, jobs // max(1, len(wanted.on)))
    shares = [(provider, part, parts) for provider in wanted.on for part in range(parts)]
    if jobs == 1:
        return [_share(wanted, *share, tell) for share in shares]
    context = multiprocessing.get_context("spawn")
    news: Any = context.Queue()
    workers, others = min(jobs, len(shares)), set(multiprocessing.active_children())
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(news, os.getpid())) as pool:
        futures = [pool.submit(_share_in_worker, wanted, *share) for share in shares]
        try:
            for total, done in _heard(news, futures):
                tell(total, done)
            return [future.result() for future in futures]
        except BaseException:  # one of them failed, or somebody is tired of waiting
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            raise


def _heard(news: Any, futures: Sequence[Future[Share]]) -> Iterator[tuple[int, int]]:
    """What the workers tell, until all are done or one has failed."""
    while any(not future.done() for future in futures):
        if any(future.done() and future.exception() for future in futures):
            return
        try:
            yield news.get(timeout=0.2)
        except queue.Empty:
            continue


# --- in a worker -----------------------------------------------------------------------------------------------------

_NEWS: list[Any] = []
"""The way back to the parent, in a worker."""


def _begin(news: Any, parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    signal_at_parents_death(signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    _NEWS.append(news)


def _share_in_worker(wanted: MutantSelection, provider: str, part: int, parts: int) -> Share:
    return _share(wanted, provider, part, parts, lambda total, done: _NEWS[0].put((total, done)))


def _share(wanted: MutantSelection, provider: str, part: int, parts: int, tell: Tell) -> Share:
    trace = Trace(provider, wanted.judges())
    known = list(mutants(trace))
    own = [mutant for mutant in known if wanted.wants(mutant.name)][part::parts]
    tell(len(own), 0)
    is_first = part == 0  # what the reference adapter itself shows is the same for all
    share = Share(provider, _examined(trace) if is_first else {}, _wrong(trace) if is_first else {})
    names = tuple(mutant.name for mutant in known)
    if missed := frozenset(glob for glob in wanted.mutants if not _matches(glob, names)):
        share.missed, share.names = missed, names
    for mutant in own:
        share.played.append(_played(mutant, trace))
        tell(0, 1)
    return share


def _matches(glob: str, names: Sequence[str]) -> bool:
    return glob in names or any(is_selected(name, [glob]) for name in names)


def _played(mutant: Mutant, trace: Trace) -> MutantResult:
    return MutantResult(mutant.name, mutant.kind, mutant.says, mutant.aims, play(mutant, trace))


def _examined(trace: Trace) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for record in trace.records:
        for rule in record.examined:
            found.setdefault(rule, set()).add(record.case.scenario)
    left = [rule for rule in trace.rules if trace.provider in rule.providers and rule.id not in found]
    for record in _delivered_otherwise(trace):
        for verdict in trace.verdicts(record.case, record.exchanges, left):
            found.setdefault(verdict.rule.id, set()).add(record.case.scenario)
    return {rule: sorted(scenarios) for rule, scenarios in found.items()}


def _delivered_otherwise(trace: Trace) -> Iterator[ReferenceRecord]:
    """The streams, framed and cut in other ways: some rules are about nothing else."""
    for case in [record.case for record in trace.records if record.case.delivery == STREAM]:
        for delivery in OTHERWISE:
            record = trace.record(replace(case, delivery=delivery)) if case.profile == "portable" else None
            if record is not None:
                yield record


def _wrong(trace: Trace) -> dict[str, str]:
    return {rule: str(record.case) for record in trace.records for rule in record.wrong}
