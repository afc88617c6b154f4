"""`conformance.run`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from conformance.clusters import POOL
from conformance.engine.cases import Generation
from conformance.model import Profile
from conformance.recordings.interaction import Origin
from conformance.responders.kinds import ResponderName
from conformance.runner.answering import ResponderSettings
from conformance.runner.command import command_of
from conformance.runner.failed import failed_before
from conformance.runner.runs import Run
from conformance.runner.selection import as_tuple, selection_of
from conformance.runner.settings import (
    RECORDING_SECONDS,
    SECONDS,
    RunSettings,
    by_ways,
    check_recording,
    checked_addresses,
    checked_baseline,
    checked_jobs,
)


def run(
    *adapters: str,
    providers: str | Iterable[str] = (),
    scenarios: str | Iterable[str] = (),
    rules: str | Iterable[str] = (),
    deliveries: str | Iterable[str] = (),
    ways: str | Iterable[str] = (),
    profile: Profile = "native",
    scenario_folder: Path | str | None = None,
    generated: Generation = "pairs",
    seed: int | None = None,
    tolerance: bool = False,
    whole: bool = False,
    requirement_set: str = "",
    responder: ResponderName = "scripted",
    cassettes: Path | str | None = None,
    models: str | Mapping[str, str] = "",
    base_urls: str | Mapping[str, str] = "",
    repeat: int = 1,
    allow_shell: bool = False,
    max_calls: int | None = None,
    again: bool = False,
    origin: Origin = "live",
    jobs: int | None = None,
    timeout: float | None = None,
    exitfirst: bool = False,
    baseline: Path | str | Sequence[Mapping[str, str]] = (),
    failed_from: Path | str | None = None,
    command: str | None = None,
    engine: str = POOL,
) -> Run:
    """Play scenarios against adapters and judge what they send and what they understand.

    Returns a `Run`: iterate over it for events, or call its ``finish()`` for the result alone. Nothing is printed, and
    adapters run in processes of their own.

    What runs: ``adapters`` are addresses as on the command line (``python:pkg.module:Adapter``, ``stdio:COMMAND``,
    ``env:NAME@VERSION``, the name of a library or of an installed adapter); without any, the reference adapters'.
    ``ways`` are globs of ways into a library (``parse``; ``all``); without any, the usual way is taken.
    ``providers`` are ids; ``scenarios``, ``rules`` and ``deliveries`` are globs; empty means all. ``scenario_folder``
    holds scenarios to play instead of ours. ``generated`` says which scenarios are played that nobody wrote: ``none``,
    ``pairs`` (any two features together) or ``all`` (any three as well); ``seed`` makes up 200 more. ``tolerance``:
    what only hosts do that deviate from the provider fails the run as well; else it is a warning, told apart. Of more
    than 20,000 cases of an adapter a selection is played (`conformance.runner.chosen`), unless ``whole`` asks for all.
    ``requirement_set`` is the name of a set: its rules and scenarios are played, as they were frozen.

    Who answers (``responder``): ``scripted`` is the scenario; ``cassette`` plays the recordings in the folder
    ``cassettes``; ``live`` asks the provider with the key from the environment; ``record`` does the same and writes
    the answers to the folder ``cassettes``. Live and record take ``models`` and ``base_urls``, one for all or by
    provider, and ``allow_shell`` (really run the model's shell commands); live takes ``repeat``, which plays each case
    so many times. Record takes ``max_calls`` (100 unless said), ``again`` (also what is recorded already) and
    ``origin`` (whom ``base_urls`` lead to: the provider, or our own server).

    How: ``jobs`` workers (one a core), ``timeout`` seconds for a case (30; 300 when recording), ``exitfirst`` to stop
    at the first case that fails, ``baseline`` with failures that are known: a file, or its entries. ``failed_from`` is
    a result file: of what is chosen only those cases are played that failed there. ``command`` is what the result says
    it was made by; unless given, the command line that does the same. ``engine`` is ``pool`` (processes of this
    machine), ``dask`` or ``dask:ADDRESS`` (workers of dask.distributed).

    Raises `UsageError` for settings that do not fit together. An adapter that cannot be loaded raises it at the first
    event.
    """
    recording = responder == "record"
    answerer = ResponderSettings(
        responder=responder,
        cassettes=cassettes,
        models=models,
        base_urls=base_urls,
        repeat=repeat,
        allow_shell=allow_shell,
        max_calls=max_calls,
        again=again,
        origin=origin,
    )
    addresses, entries = by_ways(checked_addresses(adapters), as_tuple(ways)), checked_baseline(baseline)
    workers = checked_jobs(jobs, recording=recording)
    if recording:
        check_recording(addresses, as_tuple(providers), as_tuple(rules), workers)
    selection = selection_of(
        providers, scenarios, rules, deliveries, profile, scenario_folder, answerer.answering(), generated, seed,
        tolerance,
        whole,
        requirement_set,
    )  # fmt: skip
    settings = RunSettings(
        addresses,
        selection,
        workers,
        timeout if timeout is not None else RECORDING_SECONDS if recording else SECONDS,
        exitfirst,
        entries,
        command if command is not None else command_of(addresses, selection, baseline, failed_from),
        engine,
        failed_before(failed_from, selection),
    )
    return Run(settings)
