"""What the process of a run is told: a recipe, a script and a provider, by name, and where the agent is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from conformance.agents.directing import AfterEnd

VERDICT, EXCHANGES, CHANGED = "verdict.json", "exchanges.json", "changed"
"""The files in the folder of a run that say what came of it, and what was asked and answered; the last is there where a
mutant changed a request."""


@dataclass(frozen=True, slots=True)
class RunJob:
    """One run. ``recipe`` and ``script`` are names or files; ``command`` stands instead of a recipe. ``seconds`` of 0
    are the recipe's."""

    recipe: str
    script: str
    provider: str
    root: str
    command: tuple[str, ...] = ()
    version: str = ""
    programs: tuple[str, ...] = ()
    after_end: AfterEnd = "text"
    strict: bool = False
    network: bool = False
    """Whether the agent may reach others."""
    seconds: float = 0.0
    mutant: str = ""
    """What a proxy between agent and server changes (`conformance.mutants.between`), where rules are tried."""

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return Path(self.root)

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def job_of(document: Mapping[str, Any]) -> RunJob:
    """The job of a document."""
    lists = {name: tuple(document[name]) for name in ("command", "programs")}
    return RunJob(**{**document, **lists})
