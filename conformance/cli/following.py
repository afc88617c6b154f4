"""Following a run on a terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.runner.events import RunEvent
    from conformance.runner.runs import Run


def follow_run(run: Run, tell: Callable[[RunEvent], None] | None = None, *, quiet: bool = False) -> None:
    """Play the run to its end, or to Ctrl-C, with a bar on standard error. ``tell`` is told every event.

    There is a result in any case, but for a `UsageError`.
    """
    from conformance.report.progress import Progress
    from conformance.runner.events import CaseResult, RunPlan

    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(run)
            bar = Progress(0)
            for event in run:
                match event:
                    case RunPlan():
                        bar = stack.enter_context(Progress(event.cases, quiet=quiet))
                    case CaseResult():
                        bar.advance(event.failed)
                if tell is not None:
                    tell(event)
    except KeyboardInterrupt:
        run.give_up()
