"""``serve --record`` and ``serve --replay``: a recorder or a player for clients in any language."""

from __future__ import annotations

import argparse
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli import UsageError
from conformance.hints import nearest

if TYPE_CHECKING:
    from conformance.server.relay import RelaySettings

RECORD_MODES = ("once", "new_episodes", "all")
LOOK_SECONDS = 0.1
OF_SCENARIOS = ("scenario", "provoke", "fault", "lenient", "out", "name", "scenarios")
"""Options that mean nothing where no scenario is played."""


def relaying_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("recordings instead of scenarios")
    what = group.add_mutually_exclusive_group()
    what.add_argument("--record", type=Path, metavar="DIR", help="ask the provider, and keep cassettes as it answers")
    what.add_argument("--replay", type=Path, metavar="DIR", help="play cassettes, strictly; nothing is sent anywhere")
    group.add_argument(
        "--upstream", action="append", default=[], metavar="P[=URL]",
        help="with --record: the provider to ask, and its base URL if that is not its own",
    )  # fmt: skip
    group.add_argument(
        "--record-mode", choices=RECORD_MODES, default="new_episodes",
        help="what is done with cassettes that are there (default: %(default)s: play them, and add what is missing)",
    )  # fmt: skip


def relay_settings(options: argparse.Namespace) -> RelaySettings | None:
    """What is asked for; ``None`` where scenarios are to be played. Raises `UsageError`."""
    if options.record is None and options.replay is None:
        if options.upstream:
            raise UsageError("--upstream: goes with --record DIR")
        return None
    for name in OF_SCENARIOS:
        if getattr(options, name):
            raise UsageError(f"--{name}: no scenario is played with --record or --replay")
    return _recording(options) if options.record is not None else _replaying(options)


def _recording(options: argparse.Namespace) -> RelaySettings:
    from conformance.server.relay import RelaySettings

    if not options.upstream:
        raise UsageError("--record: say whom to ask, such as --upstream openai-chat")
    return RelaySettings(options.record, options.record_mode, _upstreams(options.upstream), options.max_body)


def _replaying(options: argparse.Namespace) -> RelaySettings:
    from conformance.server.relay import RelaySettings

    if options.upstream:
        raise UsageError("--upstream: goes with --record; with --replay nothing is sent anywhere")
    if not options.replay.is_dir():
        raise UsageError(f"--replay {options.replay}: there is no such folder")
    return RelaySettings(options.replay, "none", max_body=options.max_body)


def _upstreams(values: list[str]) -> dict[str, str]:
    """Base URLs by provider."""
    from urllib.parse import urlsplit

    from conformance.wires import card, known_ids

    found: dict[str, str] = {}
    for value in values:
        name, _, url = value.partition("=")
        if name not in known_ids():
            raise UsageError(f"--upstream {value}: unknown provider {name!r}{nearest(name, known_ids())}")
        url = url or card(name).base_url
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UsageError(f"--upstream {name}: {url!r} is no address: say https://host/path")
        found[name] = url
    return found


def relay(settings: RelaySettings, opened: socket.socket, wanted: Callable[[], bool]) -> int:
    """Relay until the end is wanted, and tell what became of it. Returns the exit code: 1 when a request could be
    neither played nor recorded, 4 when nobody asked for anything."""
    from conformance.report.printing import say, say_to
    from conformance.server.relay import Relay, summary
    from conformance.server.running import END_SECONDS, ServerThread

    application = Relay(settings)
    running = ServerThread(application, opened, settings.patience)
    say(running.origin)
    doing = "plays" if settings.mode == "none" else f"asks {', '.join(settings.upstreams)} and records into"
    say_to(sys.stderr, f"{doing} {settings.folder} (Ctrl-C ends it)\n")
    while not wanted() and running.thread.is_alive():
        running.thread.join(LOOK_SECONDS)
    running.stop(END_SECONDS)
    application.close()
    for line in summary(application):
        say(line)
    if application.failed:
        return 1
    return 0 if application.used else 4
