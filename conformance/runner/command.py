"""The command line that does what a run from Python does."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.engine.cases import Selection


def command_of(
    adapters: Sequence[str], selection: Selection, baseline: object = (), failed_from: Path | str | None = None
) -> str:
    """The command line, for a shell. Entries of a baseline that are in no file cannot be said there."""
    name = "record" if selection.answering.kind == "record" else "run"
    words = ["conformance", name, *(["--adapter", *adapters] if name == "record" else adapters)]
    words += [word for pair in _options(selection) for word in pair]
    if isinstance(baseline, Path | str) and str(baseline):
        words += ["--baseline", str(baseline)]
    if failed_from is not None:
        words += ["--failed-from", str(failed_from)]
    return shlex.join(words)


def _options(selection: Selection) -> Iterator[Sequence[str]]:
    several = {
        "--provider": selection.providers,
        "--scenario": selection.scenarios,
        "--rule": selection.rules,
        "--delivery": selection.deliveries,
    }
    for option, values in several.items():
        yield from ((option, value) for value in values)
    if selection.profile != "native":
        yield "--profile", selection.profile
    if selection.root is not None:
        yield "--scenarios", str(selection.root)
    if selection.generated != "pairs":
        yield "--generated", selection.generated
    if selection.seed is not None:
        yield "--seed", str(selection.seed)
    if selection.tolerance:
        yield ("--tolerance",)
    if selection.whole:
        yield ("--all",)
    if selection.requirement_set:
        yield "--set", selection.requirement_set
    yield from _answering(selection)


def _answering(selection: Selection) -> Iterator[Sequence[str]]:
    answering = selection.answering
    recording = answering.recording is not None
    if answering.kind != "scripted" and not recording:
        yield "--responder", answering.kind
    if answering.cassettes is not None:
        yield "--to" if recording else "--cassettes", str(answering.cassettes)
    for option, values in (("--model", answering.models), ("--base-url", answering.base_urls)):
        yield from ((option, f"{provider}={value}") for provider, value in values.items())
    if answering.repeat > 1:
        yield "--repeat", str(answering.repeat)
    if answering.allow_shell:
        yield ("--allow-shell",)
    if answering.recording is not None and answering.recording.again:
        yield ("--again",)
