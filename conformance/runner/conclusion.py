"""What a run comes to: its result document, its exit code, and its counts."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from conformance.baseline import BaselineEntry, apply_baseline
from conformance.documents import Document
from conformance.engine.cases import Group
from conformance.files.whole import write_pieces
from conformance.matrix import Matrix, outcome_counts
from conformance.result import masked_result, result_document, text_pieces

CONFORMS: Final = 0
FAILS: Final = 1
HARNESS_FAILED: Final = 3
NOTHING_RAN: Final = 4
DOES_NOT_FIT: Final = 5
INTERRUPTED: Final = 130


@dataclass(frozen=True, slots=True)
class RunResult:
    """The last event: what the run came to.

    ``document`` is what ``result.schema.json`` describes. It is valid also when the run was stopped (``interrupted``),
    and then holds what was seen until then. ``exit_code`` is that of the command line: 0 conforms, 1 a rule failed or
    the baseline is stale, 3 the harness failed, 4 nothing ran, 5 a shim does not fit the release of its library, 130
    interrupted. ``cells`` counts the cells by outcome, the worst first. ``baseline`` says what is wrong with the
    baseline, a line each.
    """

    document: Document = field(repr=False)
    exit_code: int
    interrupted: bool
    cells: Mapping[str, int]
    baseline: tuple[str, ...] = ()

    @property
    def conforms(self) -> bool:
        """Whether all rules held, but for the failures that the baseline expects."""
        return self.exit_code == CONFORMS

    def write(self, path: Path | str) -> None:
        """Write the document as JSON, piece by piece, and whole or not at all.

        Raises `OSError`, and `conformance.masking.door.SecretRemainsError` where it holds a key of the environment that
        cannot be removed.
        """
        write_pieces(Path(path), lambda: text_pieces(self.document))


def concluded(
    matrix: Matrix,
    groups: Sequence[Group],
    *,
    started: datetime.datetime,
    seconds: float,
    command: str,
    left_out: int = 0,
    baseline: Iterable[BaselineEntry] = (),
    interrupted: bool = False,
    cancelled: bool = False,
    whole: bool = True,
) -> RunResult:
    """The result of all that is in the matrix. ``interrupted`` says that there is more to play, ``cancelled`` that
    somebody wanted it so, ``whole`` that all cases of the selection were to be played."""
    matrix.settle()
    complaints = apply_baseline(baseline, matrix, datetime.date.today(), whole=whole)
    code = INTERRUPTED if cancelled else exit_code(matrix, complaints)
    document = masked_result(
        result_document(
            matrix,
            started=started,
            duration=seconds,
            command=command,
            planned=groups,
            left_out=left_out,
            interrupted=interrupted,
            exit_code=code,
            baseline=complaints,
        ),
        matrix.mask,
    )
    return RunResult(document, code, interrupted, outcome_counts(matrix.cells.values()), tuple(complaints))


def exit_code(matrix: Matrix, complaints: Sequence[str] = ()) -> int:
    """0 conforms, 1 a rule failed or the baseline is stale, 3 the harness failed, 4 nothing ran, 5 a shim does not fit.

    A library that cannot be used as it is installed fails, too.
    """
    cells = matrix.cells.values()
    if any(cell.outcome == "harness_error" for cell in cells):
        return HARNESS_FAILED
    hindered = matrix.hindered().values()
    if complaints or any(cell.fails and cell.flag != "expected_fail" for cell in cells) or "installation" in hindered:
        return FAILS
    if "misfit" in hindered:
        return DOES_NOT_FIT
    ran = any(cell.cases["pass"] for cell in cells) or any(cell.fails for cell in cells)
    return CONFORMS if ran else NOTHING_RAN
