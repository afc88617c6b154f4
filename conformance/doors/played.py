"""Which doors the shims go through when scenarios are played: measured, not declared."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from conformance.adapters.inventory import VARIABLE
from conformance.adapters.inventory.watching import REQUEST
from conformance.adapters.libraries.ways import split_way
from conformance.files.scratch import scratch
from conformance.runner.entry import run
from conformance.runner.events import CaseResult

DELIVERIES = ("blocking", "stream:per-event")


@dataclass
class Sightings:
    """What was seen, by method (`LibraryMethod.at`): parameters, options and outputs, and arguments that do not fit.

    ``providers`` are those that a case was played on.
    """

    parameters: dict[str, set[str]] = field(default_factory=dict)
    options: dict[str, set[str]] = field(default_factory=dict)
    outputs: dict[str, set[str]] = field(default_factory=dict)
    wrong: dict[str, set[str]] = field(default_factory=dict)
    providers: set[str] = field(default_factory=set)

    @property
    def methods(self) -> set[str]:
        """The methods that were called."""
        return set(self.parameters)


def play(methods: Mapping[str, Sequence[str]], scenarios: Sequence[str] = ()) -> Sightings:
    """Play scenarios against shims, by their addresses, while ``methods`` of their libraries are watched.

    Without ``scenarios``, all that were written.
    """
    with scratch() as folder:
        asked = {_name(address): list(of) for address, of in methods.items()}
        (folder / REQUEST).write_text(json.dumps(asked), "utf-8")
        with _variable(str(folder)):
            played = run(*methods, scenarios=scenarios, generated="none", deliveries=DELIVERIES)
            providers = {event.provider for event in played if isinstance(event, CaseResult)}
        return _gathered(folder, providers)


def _name(address: str) -> str:
    return split_way(address)[0].removeprefix("env:").partition("@")[0]


@contextmanager
def _variable(value: str) -> Iterator[None]:
    os.environ[VARIABLE] = value
    try:
        yield
    finally:
        del os.environ[VARIABLE]


def _gathered(folder: Path, providers: set[str]) -> Sightings:
    seen = Sightings(providers=providers)
    kinds = {
        "parameter": seen.parameters, "option": seen.options, "output": seen.outputs, "wrong": seen.wrong,
    }  # fmt: skip
    for path in sorted(folder.glob("seen-*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            said: dict[str, str] = json.loads(line)
            method = said.pop("method")
            seen.parameters.setdefault(method, set())
            for kind, what in said.items():
                kinds[kind].setdefault(method, set()).add(what)
    return seen
