"""Verifying a certificate: the subject is played again, or what it said is judged again, and cells are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.certificates.archive import LOCK, TRANSCRIPT
from conformance.certificates.subjects import CannotPlayError, playback_address, played_again
from conformance.documents import Document
from conformance.files.scratch import scratch
from conformance.history.keeping import suite_mark
from conformance.report.summary import JUDGED
from conformance.runner.entry import run
from conformance.runner.errors import UsageError

CellName = tuple[str, str]
"""Provider and rule."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of it. ``only_transcript`` says why the subject was not played; empty where it was.

    ``same`` counts the cells that came to the same, ``differing`` has what was recorded and what came now, ``missing``
    the cells that were judged then and not now.
    """

    only_transcript: str
    same: int
    differing: Mapping[CellName, tuple[str, str]]
    missing: tuple[CellName, ...]
    same_suite: bool

    @property
    def compared(self) -> int:
        """How many cells were judged both times."""
        return self.same + len(self.differing)


def verified(
    about: Document,
    result: Document,
    contents: Mapping[str, bytes],
    *,
    adapter: str | None = None,
    play: bool = True,
    jobs: int | None = None,
) -> Verification:
    """Play the subject again if that can be (and ``play`` wants it), else judge its transcript. Raises `UsageError`."""
    selection = about["selection"]
    try:
        if not play:
            raise CannotPlayError("as it was asked for")
        with played_again(about["subject"], contents[LOCK], adapter) as address:
            return _compared("", about, result, _cells(address, selection, jobs))
    except CannotPlayError as problem:
        why = str(problem)
    except UsageError as problem:
        if adapter is not None:
            raise
        why = str(problem)
    with scratch() as folder:
        file = folder / TRANSCRIPT
        file.write_bytes(contents[TRANSCRIPT])
        return _compared(why, about, result, _cells(playback_address(file), selection, jobs))


def _cells(address: str, selection: Document, jobs: int | None) -> dict[CellName, str]:
    return _outcomes(run(address, **selection, jobs=jobs).finish().document)


def _outcomes(document: Document) -> dict[CellName, str]:
    judged = [cell for cell in document["cells"] if cell["outcome"] in JUDGED]
    return {(cell["provider"], cell["rule"]): cell["outcome"] for cell in judged}


def _compared(why: str, about: Document, result: Document, now: Mapping[CellName, str]) -> Verification:
    then: dict[CellName, Any] = _outcomes(result)
    differing = {name: (told, now[name]) for name, told in then.items() if name in now and now[name] != told}
    missing = tuple(name for name in then if name not in now)
    same = len(then) - len(differing) - len(missing)
    return Verification(why, same, differing, missing, about["suite"]["mark"] == suite_mark())
