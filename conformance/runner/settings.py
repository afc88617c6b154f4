"""What a run is asked to do, checked before anything starts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.adapters.libraries.ways import ways_of, with_way
from conformance.baseline import BaselineEntry, BaselineError, baseline_entries, read_baseline
from conformance.clusters import POOL, ClusterError, check_engine
from conformance.engine.cases import Selection
from conformance.hints import nearest
from conformance.runner.errors import Option, UsageError
from conformance.runner.failed import FailedCases

Baseline = Path | str | Sequence[Mapping[str, str]]
"""The file of a baseline, or its entries: ``rule``, ``reason``, ``link``, ``expires``, and the optional globs."""
SECONDS = 30.0
"""How long a case may take."""
RECORDING_SECONDS = 300.0
"""How long a case may take that is recorded: a real model answers."""
DAY = 86_400


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What a run is asked to do. ``timeout`` is in seconds, for one case; ``command`` is what the result names.

    Raises `UsageError` for what does not fit together.
    """

    adapters: tuple[str, ...]
    selection: Selection
    jobs: int
    timeout: float
    exitfirst: bool = False
    baseline: tuple[BaselineEntry, ...] = ()
    command: str = ""
    engine: str = POOL
    """Where cases are played (`conformance.clusters`)."""
    failed: FailedCases | None = None
    """What failed before, where nothing else is to be played."""

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise UsageError(Option("jobs"), ": at least one worker is needed")
        if not 0 < self.timeout < DAY:
            raise UsageError(Option("timeout"), " must be more than 0 and less than a day")
        try:
            check_engine(self.engine)
        except ClusterError as problem:
            raise UsageError(Option("engine"), f": {problem}") from None
        if self.engine != POOL and self.selection.answering.kind != "scripted":
            raise UsageError(Option("engine"), " does not fit here: other machines have no keys and no cassettes")

    @property
    def recording(self) -> bool:
        """Whether the answers are recorded."""
        return self.selection.answering.kind == "record"


def check_recording(adapters: Sequence[str], providers: Sequence[str], rules: Sequence[str], jobs: int) -> None:
    """Raises `UsageError` for what does not fit to recording."""
    if not providers:
        why = " is needed: recording costs money, so nothing is recorded by default"
        raise UsageError(Option("providers", metavar="P"), why)
    if rules:
        raise UsageError(Option("rules"), " does not fit here: what is recorded is for all rules")
    if len(adapters) != 1:
        raise UsageError(Option("responder", "record"), " needs exactly one adapter, which makes the calls")
    if jobs != 1:
        raise UsageError(Option("jobs"), " does not fit here: the provider is asked for one thing at a time")


def checked_jobs(jobs: int | None, *, recording: bool) -> int:
    """How many workers: as many as asked for, else one a core, and one where answers are recorded."""
    if jobs is not None:
        return jobs
    return 1 if recording else os.cpu_count() or 1


def checked_addresses(adapters: Iterable[object]) -> tuple[str, ...]:
    """The addresses of the adapters; without any, the reference adapters'. Raises `UsageError` for an object."""
    addresses = []
    for adapter in adapters:
        if not isinstance(adapter, str):
            why = "an adapter is named by its address, because it runs in a process of its own"
            raise UsageError(f"{why}: {_hint(adapter)}")
        addresses.append(adapter)
    return tuple(addresses) or ("reference",)


def by_ways(addresses: Sequence[str], ways: Sequence[str]) -> tuple[str, ...]:
    """The addresses of the ways that are asked for, by globs; ``all`` is every one. Without any, the addresses alone.

    Raises `UsageError` for a way that no adapter has.
    """
    if not ways:
        return tuple(addresses)
    globs = ["*" if way == "all" else way for way in ways]
    found: list[str] = []
    for address in addresses:
        names = [way.name for way in ways_of(address)]
        chosen = [name for name in names if any(fnmatchcase(name, glob) for glob in globs)]
        found += [with_way(address, "" if name == names[0] else name) for name in chosen]
        if not names and "*" in globs:
            found.append(address)
    known = sorted({way.name for address in addresses for way in ways_of(address)})
    for glob in globs:
        if glob != "*" and not any(fnmatchcase(name, glob) for name in known):
            hint = nearest(glob, known) if known else f": {', '.join(addresses)} has one way only"
            raise UsageError(f"no way matches {glob!r}{hint}")
    return tuple(dict.fromkeys(found))


def _hint(adapter: object) -> str:
    known = adapter if hasattr(adapter, "__qualname__") else type(adapter)
    module, name = known.__module__, getattr(known, "__qualname__", "")
    if module == "__main__":
        return f"move {name} into a module, and write 'python:that_module:{name}'"
    return f"write 'python:{module}:{name}'"


def checked_baseline(baseline: Baseline) -> tuple[BaselineEntry, ...]:
    """The entries of a baseline. Raises `UsageError`."""
    try:
        if isinstance(baseline, str | Path):
            return tuple(read_baseline(Path(baseline))) if str(baseline) else ()
        return tuple(baseline_entries({"expected_failures": list(baseline)}, "baseline")) if baseline else ()
    except BaselineError as problem:
        raise UsageError(str(problem)) from None
