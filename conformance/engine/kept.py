"""The beginning of a worker: a keeper (`conformance.processes.keeper`), and below it the worker itself.

What needs more than the standard library's small modules is imported below, so that the keeper stays small.
It is given the file descriptor of the worker's end of the pipe, which is the lifeline too, and perhaps a folder.
"""

from __future__ import annotations

import sys

from conformance.processes.keeper import keep


def main() -> None:
    """Be the keeper, and go on as the worker."""
    end, *scratch = sys.argv[1:]
    keep(int(end), lambda: _sweep(scratch))
    from conformance.engine.worker import start

    start(int(end), *scratch)


def _sweep(scratch: list[str]) -> None:
    """Remove the scratch folder of a run that has ended without doing so."""
    for folder in scratch:
        from conformance.files.scratch import sweep

        sweep(folder)
