"""Play again whenever an adapter's files change: first what failed, and all when nothing of it fails any more.

An ADAPTER is named as for 'conformance run'. Watched are the folder of its file, its package, or the folders of the
files that its command names. Ctrl-C ends it.

  conformance watch ./mine.py --provider anthropic
  conformance watch "stdio:node dist/main.js" --path src
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError
from conformance.cli.selecting import selection_arguments, selection_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.runner.failed import FailedCases
    from conformance.runner.runs import Run

LOOK_SECONDS = 0.3
"""How often files are looked at, and how long they must be quiet before they are played."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("adapter", metavar="ADAPTER")
    parser.add_argument("--path", type=Path, action="append", default=[], metavar="PATH", help="a file or folder more")
    selection_arguments(parser)
    how = parser.add_argument_group("how")
    how.add_argument(
        "--generated", choices=("none", "pairs"), default="none",
        help="pairs: also scenarios that are put together from features (default: %(default)s)",
    )  # fmt: skip
    how.add_argument("-j", "--jobs", type=int, metavar="N", help="worker processes (default: one a core)")
    how.add_argument("--baseline", type=Path, metavar="FILE", help="known failures, with reason, link and expiry")
    how.add_argument("-v", "--verbose", action="store_true", help="a row for every rule")


def main(options: argparse.Namespace) -> int:
    """Play, and wait for a change, until Ctrl-C."""
    for path in options.path:
        if not path.exists():
            raise UsageError(f"--path {path}: no such file or folder")
    watch = _Watch(options)
    while True:
        watch.play()
        watch.wait()


class _Watch:
    """What is watched, and what failed when it was played last."""

    def __init__(self, options: argparse.Namespace) -> None:
        from conformance.adapters.contract import AdapterError
        from conformance.adapters.sources import source_places

        self._options = options
        self._failed: FailedCases | None = None
        try:
            self._places = [*options.path, *(source_places(options.adapter) if not options.path else _known(options))]
        except AdapterError as problem:
            raise UsageError(str(problem)) from None
        self._seen = self._stamp()
        self._run()  # settings that do not fit end the command

    def play(self) -> None:
        """Play what failed before; and all, where nothing of it fails, or nothing failed."""
        while True:
            partial = self._failed is not None
            document = self._played()
            if document is None:
                return
            self._tell(document)
            self._remember(document)
            if not partial or self._failed is not None:
                return

    def wait(self) -> None:
        """Wait until files have changed, and are quiet."""
        from conformance.report.printing import say_to

        say_to(sys.stderr, f"conformance: waiting for a change in {', '.join(map(str, self._places))}\n")
        while not self._changed():
            time.sleep(LOOK_SECONDS)
        while (now := self._stamp()) != self._seen:
            self._seen = now
            time.sleep(LOOK_SECONDS)

    def _played(self) -> Any:
        """The result; ``None`` where a change ended the run, or the adapter cannot be loaded, which is told."""
        from conformance.cli.following import follow_run
        from conformance.cli.spelling import option_spelling
        from conformance.report.printing import say_to

        try:
            run = self._run()
            follow_run(run, self._cancelling(run))
        except UsageError as problem:
            say_to(sys.stderr, f"conformance: {problem.words(option_spelling('run'))}\n")
            return None
        if run.result.exit_code == 130 and not self._changed():
            raise KeyboardInterrupt
        return None if run.result.interrupted else run.result.document

    def _run(self) -> Run:
        from conformance.runner.entry import run
        from conformance.runner.runs import Run

        options = self._options
        chosen = {**selection_options(options), "generated": options.generated}
        whole = run(options.adapter, **chosen, jobs=options.jobs, baseline=options.baseline or ())
        return Run(replace(whole.settings, failed=self._failed))

    def _cancelling(self, run: Run) -> Callable[[object], None]:
        """Ends the run when files change meanwhile."""
        looked = time.monotonic()

        def look(_: object) -> None:
            nonlocal looked
            if time.monotonic() - looked > LOOK_SECONDS:
                looked = time.monotonic()
                if self._changed():
                    run.cancel()

        return look

    def _remember(self, document: Any) -> None:
        from conformance.runner.failed import failed_in

        failed = failed_in(document, "the last run")
        self._failed = failed if failed.cases else None

    def _tell(self, document: Any) -> None:
        from conformance.report.printing import say
        from conformance.report.terminal import print_matrix

        if self._failed is not None:
            say("\nonly what failed before:")
        print_matrix(document, verbose=self._options.verbose)

    def _stamp(self) -> Any:
        from conformance.adapters.sources import stamped

        return stamped(self._places)

    def _changed(self) -> bool:
        return bool(self._stamp() != self._seen)


def _known(options: argparse.Namespace) -> list[Path]:
    """The adapter's own places, where they are known: others were named."""
    from conformance.adapters.contract import AdapterError
    from conformance.adapters.sources import source_places

    try:
        return source_places(options.adapter)
    except AdapterError:
        return []
