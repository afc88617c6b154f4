"""Options that choose who answers: the script, recordings, or the real provider."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from conformance.cli import UsageError
from conformance.responders.kinds import NAMES, Answering


def answering_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("who answers")
    group.add_argument(
        "--responder", choices=NAMES, default="scripted",
        help="scripted: the scenario; cassette: recordings; live: the provider, with keys from the environment",
    )  # fmt: skip
    group.add_argument("--cassettes", type=Path, metavar="DIR", help="the recordings (default: ./cassettes, else ours)")
    live_arguments(group)
    group.add_argument("--repeat", type=_count, default=1, metavar="N", help="live: play each case N times")


def live_arguments(group: argparse._ArgumentGroup) -> None:
    """Add the options about the real provider."""
    group.add_argument("--model", action="append", default=[], metavar="[P=]M", help="live: the model (of provider P)")
    group.add_argument(
        "--base-url", action="append", default=[], metavar="[P=]URL",
        help="live: what stands before /v1/… in place of the provider's own host",
    )  # fmt: skip
    group.add_argument("--allow-shell", action="store_true", help="live: really run the model's shell commands")


def _count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= 1000:
        raise argparse.ArgumentTypeError("from 1 to 1000")
    return count


def answering_of(options: argparse.Namespace) -> Answering:
    """Who answers. Raises `UsageError` for options that do not fit together."""
    kind = options.responder
    for name in ("model", "base_url", "allow_shell"):
        if getattr(options, name) and kind != "live":
            raise UsageError(f"--{name.replace('_', '-')} needs --responder live")
    if options.repeat > 1 and kind != "live":
        raise UsageError("--repeat needs --responder live: the others always answer the same")
    if options.cassettes and kind != "cassette":
        raise UsageError("--cassettes needs --responder cassette")
    return Answering(
        kind,
        _cassettes(options.cassettes) if kind == "cassette" else None,
        by_provider("--model", options.model, options.provider),
        by_provider("--base-url", options.base_url, options.provider),
        options.repeat,
        options.allow_shell,
    )


def _cassettes(chosen: Path | None) -> Path:
    from conformance.recordings.shipped import cassette_root

    root = chosen or (Path("cassettes") if Path("cassettes").is_dir() else cassette_root())
    if not root.is_dir():
        raise UsageError(f"--cassettes {root}: no such folder; make one with conformance record")
    return root.resolve()


def by_provider(option: str, values: Iterable[str], providers: Iterable[str]) -> dict[str, str]:
    """What an option says, by provider. A value without one is for all that are selected."""
    from conformance.cli.selecting import nearest
    from conformance.wires import PROVIDERS

    found: dict[str, str] = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if "@" in value and "://" in value:
            raise UsageError(f"{option}: no user and password there: keys come from the environment")
        if equals and name in PROVIDERS:
            found[name] = rest
        elif equals and "/" not in name and ":" not in name:
            raise UsageError(f"{option} {value}: unknown provider {name!r}{nearest(name, PROVIDERS)}")
        else:
            found |= dict.fromkeys(providers or PROVIDERS, value)
    return found
