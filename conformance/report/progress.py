"""Progress: a bar on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from conformance.report.printing import say_to

LINE_SECONDS = 10.0
"""How often a log that is no terminal gets a line."""


class Progress:
    """What a run has done, on standard error: a bar where that is a terminal, unless ``quiet``, else lines."""

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        self._total = total
        self._done = self._failed = 0
        self._bar: Any = None
        self._task: Any = None
        self._started = self._told = time.monotonic()
        is_terminal = sys.stderr.isatty()
        self._show = is_terminal and not quiet and total > 0
        self._writes_lines = not is_terminal

    def __enter__(self) -> Progress:
        if self._show:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("cases", total=self._total)
            self._bar.start()
        return self

    def advance(self, failed: bool) -> None:
        """One more case is done."""
        self._done += 1
        self._failed += failed
        if self._bar is not None:
            words = f"cases [red]({self._failed} failed)[/red]" if self._failed else "cases"
            self._bar.update(self._task, advance=1, description=words)
        elif self._writes_lines and (now := time.monotonic()) - self._told >= LINE_SECONDS:
            self._told = now
            self._tell(now - self._started)

    def _tell(self, seconds: float) -> None:
        failed = f", {self._failed:,} failed" if self._failed else ""
        say_to(sys.stderr, f"conformance: {self._done:,} of {self._total:,} cases{failed}, {seconds:.0f} s\n")

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()
