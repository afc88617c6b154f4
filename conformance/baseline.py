"""Baselines: failures that are known, each with a reason, a link and a day on which it expires.

A baseline is a promise that is checked from both sides. An entry whose cell passes, an entry that matches nothing and
an entry that has expired each make the run fail, so that the list can only shrink.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from conformance.documents import DocumentError, read_yaml
from conformance.hints import meant
from conformance.matrix import Cell, Matrix
from conformance.rules import catalogue, is_called, rule_names
from conformance.schemas import problems
from conformance.wires import PROVIDERS
from conformance.wording import LineError, on_one_line


class BaselineError(LineError):
    """A baseline file that cannot be used."""


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """One known failure. ``adapter``, ``provider``, ``rule`` and ``case`` are globs."""

    number: int
    rule: str
    reason: str
    link: str
    expires: datetime.date
    adapter: str = "*"
    provider: str = "*"
    case: str = "*"

    def matches(self, cell: Cell) -> bool:
        """Whether the entry is about this cell."""
        return self.is_about(cell.adapter, cell.provider, cell.rule.id)

    def is_about(self, adapter: str, provider: str, rule: str) -> bool:
        """The same, of a cell by its names."""
        return (
            fnmatchcase(adapter, self.adapter)
            and fnmatchcase(provider, self.provider)
            and is_called(rule, (self.rule,))
        )

    def covers(self, case: str) -> bool:
        """Whether the entry expects this case to fail."""
        return fnmatchcase(case, self.case)

    def __str__(self) -> str:
        words = [f"{name} {value}" for name, value in self._named() if value != "*"]
        return f"baseline entry {self.number} ({', '.join(words)})"

    def _named(self) -> Iterator[tuple[str, str]]:
        return ((name, getattr(self, name)) for name in ("rule", "adapter", "provider", "case"))


def read_baseline(path: Path) -> list[BaselineEntry]:
    """The entries of a baseline file (YAML or JSON). Raises `BaselineError` with one line."""
    try:
        document = read_yaml(path)
    except DocumentError as problem:
        raise BaselineError(str(problem)) from None
    return baseline_entries(document, str(path))


def baseline_entries(document: Any, source: str) -> list[BaselineEntry]:
    """The entries of a baseline that is read. ``source`` says where it stood. Raises `BaselineError` with one line."""
    for at, complaint in problems("baseline", document):
        raise BaselineError(f"{source}: at {at or '/'}: {complaint}")
    return [_entry(number, item) for number, item in enumerate(document["expected_failures"], 1)]


def _entry(number: int, item: dict[str, Any]) -> BaselineEntry:
    try:
        expires = datetime.date.fromisoformat(item["expires"])
    except ValueError:
        raise BaselineError(f"baseline entry {number}: expires must be a day such as 2027-01-31") from None
    return BaselineEntry(number=number, **{**item, "expires": expires})


def apply_baseline(
    entries: Iterable[BaselineEntry], matrix: Matrix, today: datetime.date, *, whole: bool = True
) -> list[str]:
    """Flag the cells that the entries are about, and return what is wrong with the entries, a line each.

    ``whole``: all cases of the selection were played. Where only some were, nobody knows which entries are stale.
    """
    entries = list(entries)
    complaints: list[str] = []
    live = live_entries(entries, today)
    complaints += [f"{entry} expired on {entry.expires}: {entry.reason}" for entry in entries if entry.expires < today]
    for entry in live if whole else ():
        complaints += _held_against(entry, matrix)
    for cell in matrix.cells.values():
        failing = set(cell.failed) - set(cell.lightened)
        if cell.fails and all(expecting(live, cell, case) for case in failing):
            cell.flag = "expected_fail"
    return [on_one_line(complaint) for complaint in complaints]


def live_entries(entries: Iterable[BaselineEntry], today: datetime.date) -> list[BaselineEntry]:
    """The entries that have not expired."""
    return [entry for entry in entries if entry.expires >= today]


def expecting(entries: Iterable[BaselineEntry], cell: Cell, case: str) -> BaselineEntry | None:
    """The first entry that expects a case of a cell to fail."""
    return next((entry for entry in entries if entry.matches(cell) and entry.covers(case)), None)


def is_needed(entry: BaselineEntry, cells: Iterable[Cell]) -> bool:
    """Whether something failed that the entry expects to."""
    return any(
        entry.matches(cell) and any(map(entry.covers, cell.failed if cell.fails else cell.lightened)) for cell in cells
    )


def _held_against(entry: BaselineEntry, matrix: Matrix) -> Iterator[str]:
    cells = [cell for cell in matrix.cells.values() if entry.matches(cell)]
    if not cells:
        if not _left_out(entry, matrix):
            yield f"{entry} matches nothing{_near_miss(entry, matrix)}"
        return
    if is_needed(entry, cells):
        return
    passing = [cell for cell in cells if cell.cases["pass"]]
    for cell in passing:
        cell.flag = "unexpected_pass"
    if any(cell.fails for cell in cells):
        cases = sorted({case for cell in cells for case in cell.failed})
        yield f"{entry} covers none of the failing cases{meant(entry.case, cases)}"
    elif passing:
        names = ", ".join(f"{cell.provider} {cell.rule.id}" for cell in passing[:3])
        yield f"{entry} passes unexpectedly ({names}): remove it"
    else:
        yield f"{entry} is about cells that were not exercised ({cells[0].outcome}): remove it"


def _left_out(entry: BaselineEntry, matrix: Matrix) -> bool:
    """Whether the entry is only about what this run was told to leave out."""
    selection = matrix.selection
    rules = [rule for rule in catalogue().values() if is_called(rule.id, (entry.rule,))]
    known = any(fnmatchcase(provider, entry.provider) for rule in rules for provider in rule.providers)
    adapter = any(fnmatchcase(probed.info.name, entry.adapter) for probed in matrix.adapters)
    return known and adapter and bool(selection.providers or selection.rules)


def _near_miss(entry: BaselineEntry, matrix: Matrix) -> str:
    """The part of an entry that is nearly right."""
    candidates = {
        "rule": rule_names(),
        "provider": list(PROVIDERS),
        "adapter": [probed.info.name for probed in matrix.adapters],
    }
    for name, known in candidates.items():
        value = getattr(entry, name)
        if not any(fnmatchcase(item, value) for item in known):
            return f": no {name} {value!r}{meant(value, known)}"
    return ": its rule does not apply to its provider"
