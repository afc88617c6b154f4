"""Options that choose releases of a library, and how they are gone through."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError
from conformance.cli.selecting import selection_options

if TYPE_CHECKING:
    from conformance.adapters.libraries import Library
    from conformance.environments.places import InstalledEnvironment
    from conformance.history.releases import Release
    from conformance.history.walking import Walk

SECONDS = 3600.0
RELEASE_SECONDS = 600.0
DAY = 86_400.0


def release_arguments(parser: argparse.ArgumentParser, *, last: int | None) -> None:
    """Add the options. ``last`` is how many releases are looked at unless it is said."""
    group = parser.add_argument_group("releases")
    shown = last or "all"
    group.add_argument("--last", type=_count, metavar="N", default=last, help=f"the last N of them (default: {shown})")
    group.add_argument("--from", dest="first", metavar="V", help="none before this release")
    group.add_argument("--to", metavar="V", help="none after this release")
    group.add_argument(
        "--each", choices=("release", "minor", "major", "month", "quarter", "year"), default="release",
        help="each release, or the last one of each minor or major version, month, quarter or year "
        "(default: %(default)s)",
    )  # fmt: skip
    group.add_argument("--again", action="store_true", help="play again what is kept of an earlier time")
    group.add_argument(
        "--seconds", type=_seconds, metavar="S", default=SECONDS,
        help="how long all may take; the same command goes on from there (default: 3600)",
    )  # fmt: skip
    group.add_argument(
        "--release-seconds", type=_seconds, metavar="S", default=RELEASE_SECONDS,
        help="how long one release may take, with its environment (default: 600)",
    )  # fmt: skip


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least one release is needed")
    return count


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= DAY:
        raise argparse.ArgumentTypeError("must be more than 0 and at most a day")
    return seconds


def library_named(name: str) -> Library:
    """The library called ``name``. Raises `UsageError`."""
    from conformance.adapters.contract import AdapterError
    from conformance.environments.finding import library_of

    try:
        return library_of(name)
    except AdapterError as problem:
        raise UsageError(str(problem)) from None


def chosen_releases(options: argparse.Namespace) -> list[Release]:
    """The releases that the options ask for. Raises `UsageError`."""
    from conformance.adapters.contract import AdapterError
    from conformance.history.releases import between, releases_of, stepped

    try:
        found = between(releases_of(library_named(options.library)), options.first, options.to)
    except AdapterError as problem:
        raise UsageError(str(problem)) from None
    return stepped(found, options.each)[-options.last if options.last else 0 :]


def walk_of(options: argparse.Namespace) -> Walk:
    """How the releases are gone through."""
    from conformance.cli.env_trial import tried
    from conformance.environments.making import make
    from conformance.history.walking import Walk

    def made(version: str) -> InstalledEnvironment:
        return tried(make(options.library, version, None, say=remark), remark)

    return Walk(
        options.library, made, options.seconds, options.release_seconds, remark, options.again, time.monotonic()
    )


def settings_of(options: argparse.Namespace, **more: Any) -> Mapping[str, Any]:
    """What of `conformance.run` is the same in each release: what is played. Nothing that is generated is."""
    from conformance.engine.covering import PLAINEST
    from conformance.responders.kinds import ResponderChoice
    from conformance.runner.selection import selection_of

    chosen: dict[str, Any] = {**selection_options(options), **more}
    chosen["deliveries"] = chosen["deliveries"] or list(PLAINEST)
    selection_of(
        chosen["providers"], chosen["scenarios"], chosen["rules"], chosen["deliveries"], chosen["profile"],
        chosen["scenario_folder"], ResponderChoice(), "none",
    )  # fmt: skip
    names = ("providers", "scenarios", "rules", "deliveries", "profile", "scenario_folder")
    told = {name: chosen[name] for name in names if chosen[name]}
    return {**told, "generated": "none", "jobs": options.jobs, "timeout": options.timeout, "engine": options.engine}


def remark(text: str) -> None:
    """Say what is going on, on standard error."""
    from conformance.report.printing import say_to

    say_to(sys.stderr, f"conformance: {text}\n")
