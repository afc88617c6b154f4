"""What the process of a run is told, and where it leaves what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

VERDICT, EXCHANGES, SAID = "verdict.json", "exchanges.json", "gateway.log"
"""The files in the folder of a run: the verdict, what was asked and answered, what the gateway said."""


@dataclass(frozen=True, slots=True)
class GatewayJob:
    """One run: a recipe by name or file, and the pairs of formats and the scenarios that are wanted (none: all)."""

    recipe: str
    root: str = ""
    inbound: tuple[str, ...] = ()
    outbound: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    version: str = ""
    programs: tuple[str, ...] = ()
    network: bool = False
    keep: bool = False

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return Path(self.root)

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def job_of(document: Mapping[str, Any]) -> GatewayJob:
    """The job of a document."""
    lists = {name: tuple(document[name]) for name in ("inbound", "outbound", "scenarios", "programs")}
    return GatewayJob(**{**document, **lists})
