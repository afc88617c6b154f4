"""Judgements: failures that somebody read, grouped by cause, each with whose doing it is and what it does to users.

A baseline says which failures are expected; judgements say what they mean. They stand in one file an adapter,
``NAME.yaml``, and are checked from both sides: a failing case that no finding explains is a complaint, and so is a
pattern that explains nothing. What findings of several adapters share is one cause with one class, and stands once, in
``causes.yaml`` beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.documents import Document, DocumentError, read_yaml
from conformance.outcomes import FAILURES
from conformance.rules import is_called
from conformance.schemas import problems
from conformance.wording import LineError

READ = FAILURES | {"warn"}
"""The outcomes that somebody has to read."""

JUDGEMENTS = {
    "fault": "it does wrong against the provider's specification, or loses what the provider said",
    "limit": "it has no place for it, or decided so",
    "oddity": "only hosts that deviate from the provider make it show; the provider itself does not send this",
}
"""Whose doing a finding is. The last is never typed: it follows from the cases."""


CAUSES = "causes.yaml"
"""The file of what findings of several adapters share, beside theirs."""


class JudgementError(LineError):
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
class Thread:
    """A public thread: an issue or a pull request, and what it said of itself on the day when it was read."""

    url: str
    state: str
    date: str

    def __str__(self) -> str:
        return f"{self.url} ({self.state}, {self.date})"


@dataclass(frozen=True, slots=True)
class Cause:
    """What findings of several adapters share: what is done wrong, and its class."""

    id: str
    title: str
    judgement: str | None
    consequence: str
    why: str
    issues: tuple[Thread, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """Something that an adapter does wrong, or cannot do. Its class is ``None`` where it follows from its cases.

    Title and class are those of its cause, where it has one; ``why`` and ``issues`` then say what is special in this
    adapter.
    """

    id: str
    title: str
    judgement: str | None
    consequence: str
    why: str
    cells: tuple[Pattern, ...]
    issues: tuple[Thread, ...] = ()
    cause: Cause | None = None

    @property
    def whole_why(self) -> str:
        """Why, with what the cause says of it."""
        return " ".join(filter(None, (self.cause.why if self.cause else "", self.why)))

    @property
    def all_issues(self) -> tuple[Thread, ...]:
        """Its threads, with those of the cause."""
        return (*self.issues, *(self.cause.issues if self.cause else ()))

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
    folder = path if path.is_dir() else path.parent
    files = [file for file in (sorted(path.glob("*.yaml")) if path.is_dir() else [path]) if file.name != CAUSES]
    if not files:
        raise JudgementError(f"{path}: no file NAME.yaml in it")
    causes = read_causes(folder / CAUSES)
    return [_judged(file, causes) for file in files]


def read_causes(path: Path) -> Mapping[str, Cause]:
    """The causes in a file, by their ids; none where there is no file. Raises `JudgementError` with one line."""
    if not path.exists():
        return {}
    document = _document(path, "causes")
    _different(path, "causes", [item["id"] for item in document["causes"]])
    return {
        item["id"]: Cause(**{"judgement": None, **item, "why": _in_one_line(item["why"]), "issues": _threads(item)})
        for item in document["causes"]
    }


def _judged(path: Path, causes: Mapping[str, Cause]) -> AdapterJudgements:
    document = _document(path, "judgements")
    _different(path, "findings", [item["id"] for item in document["findings"]])
    for item in document["findings"]:
        if "cause" in item and item["cause"] not in causes:
            raise JudgementError(f"{path}: {item['id']}: {CAUSES} has no cause {item['cause']}")
    findings = tuple(_finding(item, causes.get(item.get("cause", ""))) for item in document["findings"])
    return AdapterJudgements(path.stem, document["version"], findings)


def _document(path: Path, kind: str) -> Document:
    try:
        document: Document = read_yaml(path)
    except DocumentError as problem:
        raise JudgementError(str(problem)) from None
    for at, complaint in problems(kind, document):
        raise JudgementError(f"{path}: at {at or '/'}: {complaint}")
    return document


def _different(path: Path, what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise JudgementError(f"{path}: two {what} are called {name}")


def _finding(item: Document, cause: Cause | None) -> Judgement:
    patterns = tuple(Pattern(**{name: _globs(value) for name, value in cell.items()}) for cell in item["cells"])
    told = cause or Cause("", item["title"], item.get("judgement"), item["consequence"], "")
    return Judgement(
        item["id"],
        told.title,
        told.judgement,
        told.consequence,
        _in_one_line(item.get("why", "")),
        patterns,
        _threads(item),
        cause,
    )


def _threads(item: Document) -> tuple[Thread, ...]:
    return tuple(Thread(**thread) for thread in item.get("issues", ()))


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _globs(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def failed_cases(cell: Document) -> list[FailedCase]:
    """The cases of a cell of a result that somebody has to read."""
    if cell["outcome"] not in READ:
        return []
    names = {failure["case"] for failure in cell["failures"]} | set(cell.get("failed_cases", []))
    return [FailedCase(cell["provider"], cell["rule"], name) for name in sorted(names)]
