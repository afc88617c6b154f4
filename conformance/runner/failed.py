"""What failed in a result, to be played again alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.adapters.libraries.ways import split_way
from conformance.documents import Document
from conformance.engine.cases import Group, Selection
from conformance.engine.pool import AdapterProbe
from conformance.outcomes import FAILURES
from conformance.result import ResultError, open_result
from conformance.runner.errors import Option, UsageError

CaseName = tuple[str, str, str, str]
"""The adapter's name, the way into its library (``""`` for the usual one), the provider, and ``scenario/delivery``."""


@dataclass(frozen=True, slots=True)
class FailedCases:
    """The cases that failed in a result: not those that were warnings, nor those that a baseline expected to fail."""

    source: str
    profile: str
    adapters: frozenset[str]
    cases: frozenset[CaseName]

    def kept(self, planned: Iterable[Group], adapters: Iterable[AdapterProbe]) -> tuple[Group, ...]:
        """The groups with nothing but these cases. Raises `UsageError` where none of them is planned."""
        names = {one.address: self._name(one) for one in adapters}
        found = tuple(self._narrowed(planned, names))
        if self.cases and not found:
            raise UsageError(
                f"none of the {len(self.cases)} cases that failed in {self.source} is in this selection: ask for the "
                "same providers, scenarios and deliveries as there"
            )
        return found

    def _narrowed(self, planned: Iterable[Group], names: dict[str, str]) -> Iterator[Group]:
        for group in planned:
            way, name = split_way(group.address)[1], names[group.address]
            deliveries = tuple(
                delivery
                for delivery in group.deliveries
                if (name, way, group.provider, f"{group.scenario}/{delivery}") in self.cases
            )
            if deliveries:
                yield replace(group, deliveries=deliveries)

    def _name(self, probed: AdapterProbe) -> str:
        """The adapter's name in the result. A result of several versions has the version in it."""
        info = probed.info
        known = next((name for name in (info.name, f"{info.name} {info.version}") if name in self.adapters), None)
        if known is None:
            raise UsageError(f"{self.source} is about {', '.join(sorted(self.adapters))}, and not about {info.name}")
        return known


def failed_before(source: Path | str | None, selection: Selection) -> FailedCases | None:
    """What failed in the result in a file. Raises `UsageError` for a file that is none, or of another profile."""
    if source is None:
        return None
    try:
        document = open_result(Path(source))
    except ResultError as problem:
        raise UsageError(str(problem)) from None
    found = failed_in(document, str(source))
    if found.profile != selection.profile:
        raise UsageError(f"{source} was played with ", Option("profile", found.profile), ": say the same here")
    return found


def failed_in(document: Document, source: str) -> FailedCases:
    """What failed in a result; ``source`` is its name in messages."""
    names = frozenset(adapter["id"] for adapter in document["adapters"])
    return FailedCases(source, document["run"]["profile"], names, frozenset(_failed(document)))


def _failed(document: Document) -> Iterator[CaseName]:
    for cell in document["cells"]:
        if cell["outcome"] in FAILURES and cell.get("flag") != "expected_fail":
            for case in set(cell["failed_cases"]) - set(cell.get("lightened_cases", ())):
                name, _, way = case.partition("@")
                yield cell["adapter"], way, cell["provider"], name.partition("#")[0]
