"""Options that choose who answers: the script, recordings, or the real provider."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from conformance.hints import nearest
from conformance.runner.errors import UsageError

RESPONDERS = ("scripted", "cassette", "live")
"""Those that ``run`` offers. Recording is a command of its own."""


def answering_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("who answers")
    group.add_argument(
        "--responder", choices=RESPONDERS, default="scripted",
        help="scripted: the scenario; cassette: recordings; live: the provider, with keys from the environment",
    )  # fmt: skip
    group.add_argument("--cassettes", type=Path, metavar="DIR", help="the recordings (default: ./cassettes, else ours)")
    live_arguments(group)
    group.add_argument("--repeat", type=_count, default=1, metavar="N", help="play each case N times")


def live_arguments(group: argparse._ArgumentGroup) -> None:
    """Add the options about the real provider."""
    group.add_argument("--model", action="append", default=[], metavar="[P=]M", help="the model (of provider P)")
    group.add_argument(
        "--base-url", action="append", default=[], metavar="[P=]URL",
        help="what stands before /v1/… in place of the provider's own host",
    )  # fmt: skip
    group.add_argument("--allow-shell", action="store_true", help="really run the model's shell commands")


def _count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= 1000:
        raise argparse.ArgumentTypeError("from 1 to 1000")
    return count


def by_provider(option: str, values: Iterable[str], providers: Iterable[str]) -> dict[str, str]:
    """What an option says, by provider. A value without one is for all that are selected."""
    from conformance.wires import PROVIDERS, known_ids

    found: dict[str, str] = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if equals and name in known_ids():
            found[name] = rest
        elif equals and "/" not in name and ":" not in name:
            raise UsageError(f"{option} {value}: unknown provider {name!r}{nearest(name, known_ids())}")
        else:
            found |= dict.fromkeys(providers or PROVIDERS, value)
    return found
