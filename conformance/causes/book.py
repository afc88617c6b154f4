"""Counting failures by cause, as cases end.

Failures have one cause when the same exception was raised at the same place, whichever rules complain of it, or when
the same rule found the same difference at the same place. Which item of a list it is, and the values themselves, make
no other cause.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.causes.differences import ValueDifference, value_differences
from conformance.causes.exceptions import raised_at, sort_of
from conformance.documents import Document
from conformance.model import Json

MAX_KNOWN = 5_000
"""How many pairs of values are remembered with what differs in them."""

_NUMBER = re.compile(r"/\d+(?=/|$)")


@dataclass(frozen=True, slots=True)
class Breach:
    """One failure of one case, as plain data: what a result knows of it. ``evidence`` is its id."""

    adapter: str
    provider: str
    rule: str
    case: str
    at: str
    expected: Json
    found: Json
    document: str
    evidence: str
    light: bool = False
    """Whether only others than the provider itself do what the case is about."""


@dataclass(slots=True)
class FoundCause:
    """A cause, and where it was seen: the first failure of it that counts against the provider itself, if there is one,
    and all its cases by cell."""

    id: str
    first: Breach
    told: Document
    cells: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    @property
    def cases(self) -> set[tuple[str, str]]:
        """The provider and the name of each case."""
        return {(provider, case) for (provider, _), cases in self.cells.items() for case in cases}


class CauseBook:
    """The causes of a run, by their ids."""

    def __init__(self) -> None:
        self.causes: dict[str, FoundCause] = {}
        self._known: dict[str, tuple[ValueDifference, ...]] = {}

    def enter(self, breach: Breach, failure: Mapping[str, Any] | None) -> tuple[str, bool]:
        """Count a failure. ``failure`` is what its evidence says of an operation that gave no result.

        Returns the id of the cause, and whether this is the first of its cell.
        """
        name, told = self._told(breach, failure)
        cause = self.causes.get(name)
        if cause is None:
            cause = self.causes[name] = FoundCause(name, breach, told)
        elif cause.first.light and not breach.light:
            cause.first, cause.told = breach, told
        cell = cause.cells.get((breach.provider, breach.rule))
        if cell is None:
            cause.cells[breach.provider, breach.rule] = {breach.case}
            return name, True
        cell.add(breach.case)
        return name, False

    def name_of(self, breach: Breach, failure: Mapping[str, Any] | None) -> str:
        """The id that the cause of a failure has, or would have."""
        return self._told(breach, failure)[0]

    def seen(self) -> frozenset[tuple[str, str, str, str]]:
        """The id, adapter, provider and rule of each cause that was seen in a cell."""
        causes = self.causes.items()
        return frozenset((name, cause.first.adapter, *cell) for name, cause in causes for cell in cause.cells)

    def _told(self, breach: Breach, failure: Mapping[str, Any] | None) -> tuple[str, Document]:
        raised = failure if failure is not None and _tells_of(breach, failure) else None
        told = _exception(raised) if raised is not None else self._difference(breach)
        key = [breach.adapter, told.pop("key")]
        return hashlib.sha256(json.dumps(key, default=str).encode()).hexdigest()[:12], told

    def _difference(self, breach: Breach) -> Document:
        found = [
            {"kind": one.kind, "at": one.at, **({"to": one.to} if one.to else {})}
            for one in self._differences(breach.expected, breach.found)
        ]
        signs = sorted({f"{one['kind']} {_anywhere(one['at'])} {_anywhere(one.get('to', ''))}" for one in found})
        key = [breach.rule, _anywhere(breach.at), type(breach.found).__name__, signs]
        return {"kind": "difference", "differences": found, "key": key}

    def _differences(self, expected: Json, found: Json) -> tuple[ValueDifference, ...]:
        if not isinstance(expected, dict | list) or not isinstance(found, dict | list):
            return value_differences(expected, found)
        pair = json.dumps([expected, found], sort_keys=True, default=str)
        if pair not in self._known:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[pair] = value_differences(expected, found)
        return self._known[pair]


def _tells_of(breach: Breach, failure: Mapping[str, Any]) -> bool:
    """Whether a rule complains of the operation that gave no result, and not of something else in the same exchange."""
    return breach.document == "turn" or breach.found == failure.get("message")


def _anywhere(pointer: str) -> str:
    """A pointer that does not say which item of a list."""
    return _NUMBER.sub("/*", pointer)


def _exception(failure: Mapping[str, Any]) -> Document:
    message, traceback = str(failure.get("message", "")), str(failure.get("traceback") or "")
    place = raised_at(traceback)
    told: Document = {"kind": "exception", "error": message, "key": ["exception", sort_of(message), place]}
    for name, value in (("place", place), ("traceback", traceback), ("output", failure.get("output"))):
        if value:
            told[name] = value
    return told


def breaches_of(document: Document) -> Iterator[tuple[Breach, Mapping[str, Any] | None]]:
    """The failures that a result kept, for results that were written before they had causes."""
    for cell in document["cells"]:
        light = set(cell.get("lightened_cases", ()))
        for item in cell["failures"]:
            breach = Breach(
                cell["adapter"], cell["provider"], cell["rule"], item["case"], item["at"], item.get("expected"),
                item.get("found"), item["in"], item["evidence"], item["case"] in light,
            )  # fmt: skip
            yield breach, document["evidence"].get(item["evidence"], {}).get("failure")
