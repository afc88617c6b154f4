"""Judgements: failures that somebody read, grouped by cause, each with whose doing it is and what it does to users.

A baseline says which failures are expected; judgements say what they mean. They stand in one file an adapter,
``NAME.yaml``, and are checked from both sides: a failing case that no finding explains is a complaint, and so is a
pattern that explains nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.documents import Document, DocumentError, read_yaml
from conformance.outcomes import FAILURES
from conformance.rules import is_called
from conformance.schemas import problems

READ = FAILURES | {"warn"}
"""The outcomes that somebody has to read."""

JUDGEMENTS = {
    "fault": "it does wrong against the provider's specification, or loses what the provider said",
    "limit": "it has no place for it, or decided so",
    "oddity": "only hosts that deviate from the provider make it show; the provider itself does not send this",
}
"""Whose doing a finding is."""


class JudgementError(ValueError):
    """A file of judgements that cannot be used. The message says which, where and why."""


@dataclass(frozen=True, slots=True)
class FailedCase:
    """One case that failed in one cell. ``case`` is ``scenario/delivery``."""

    provider: str
    rule: str
    case: str

    def __str__(self) -> str:
        return f"{self.provider} {self.rule} {self.case}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which failures a finding explains: globs, of which one must match in each field."""

    provider: tuple[str, ...] = ("*",)
    rule: tuple[str, ...] = ("*",)
    case: tuple[str, ...] = ("*",)

    def matches(self, failed: FailedCase) -> bool:
        """Whether the failure is one of these."""
        return is_called(failed.rule, self.rule) and all(
            any(fnmatchcase(found, glob) for glob in globs)
            for found, globs in ((failed.provider, self.provider), (failed.case, self.case))
        )

    def __str__(self) -> str:
        return ", ".join(f"{name} {' or '.join(globs)}" for name, globs in self._fields() if globs != ("*",))

    def _fields(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        return ((name, getattr(self, name)) for name in ("provider", "rule", "case"))


@dataclass(frozen=True, slots=True)
class Judgement:
    """Something that an adapter does wrong, or cannot do."""

    id: str
    title: str
    judgement: str
    consequence: str
    why: str
    cells: tuple[Pattern, ...]
    issue: str | None = None

    def explains(self, failed: FailedCase) -> bool:
        """Whether this is (a part of) why the case failed."""
        return any(pattern.matches(failed) for pattern in self.cells)


@dataclass(frozen=True, slots=True)
class AdapterJudgements:
    """What was found wrong with one version of an adapter."""

    adapter: str
    version: str
    findings: tuple[Judgement, ...]


def read_judgements(path: Path) -> list[AdapterJudgements]:
    """The judgements in a file, or in the files of a folder. Raises `JudgementError` with one line."""
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    if not files:
        raise JudgementError(f"{path}: no file NAME.yaml in it")
    return [_judged(file) for file in files]


def _judged(path: Path) -> AdapterJudgements:
    try:
        document = read_yaml(path)
    except DocumentError as problem:
        raise JudgementError(str(problem)) from None
    for at, complaint in problems("judgements", document):
        raise JudgementError(f"{path}: at {at or '/'}: {complaint}")
    names = [item["id"] for item in document["findings"]]
    for name in names:
        if names.count(name) > 1:
            raise JudgementError(f"{path}: two findings are called {name}")
    return AdapterJudgements(path.stem, document["version"], tuple(_finding(item) for item in document["findings"]))


def _finding(item: Document) -> Judgement:
    patterns = tuple(Pattern(**{name: _globs(value) for name, value in cell.items()}) for cell in item["cells"])
    return Judgement(**{**item, "why": " ".join(item["why"].split()), "cells": patterns})


def _globs(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def failed_cases(cell: Document) -> list[FailedCase]:
    """The cases of a cell of a result that somebody has to read."""
    if cell["outcome"] not in READ:
        return []
    names = {failure["case"] for failure in cell["failures"]} | set(cell.get("failed_cases", []))
    return [FailedCase(cell["provider"], cell["rule"], name) for name in sorted(names)]


def with_judgements(document: Document, every: list[AdapterJudgements]) -> Document:
    """The result, in which each failing cell says as ``judged`` which findings explain it."""
    by_adapter = {judged.adapter: judged for judged in every}
    cells = [_with(cell, by_adapter.get(cell["adapter"])) for cell in document["cells"]]
    return {**document, "cells": cells}


def _with(cell: Document, judged: AdapterJudgements | None) -> Document:
    failed = failed_cases(cell)
    own = [item for item in judged.findings if any(map(item.explains, failed))] if judged else []
    return {**cell, "judged": [_told(finding) for finding in own]} if own else cell


def _told(finding: Judgement) -> Document:
    names = ("id", "title", "judgement", "consequence", "why", "issue")
    return {name: getattr(finding, name) for name in names if getattr(finding, name)}


def complaints(judged: AdapterJudgements, document: Document) -> Iterator[str]:
    """What does not fit together, a line each: failures without a finding, and findings without a failure."""
    adapter = next((item for item in document["adapters"] if item["id"] == judged.adapter), None)
    if adapter is None:
        yield f"judgements of {judged.adapter}: the result has no such adapter"
        return
    if adapter["version"] != judged.version:
        yield f"{judged.adapter}: judged was {judged.version}, but the result is about {adapter['version']}"
    cells = [cell for cell in document["cells"] if cell["adapter"] == judged.adapter]
    failed = [item for cell in cells for item in failed_cases(cell)]
    for item in failed:
        if not any(finding.explains(item) for finding in judged.findings):
            yield f"{judged.adapter}: not judged: {item}"
    for finding in judged.findings:
        for pattern in finding.cells:
            if not any(map(pattern.matches, failed)):
                yield f"{judged.adapter}: {finding.id} explains no failure ({pattern})"
