"""Replay for the length of a ``with`` block, as tests want it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from conformance.recordings.player import Player
from conformance.recordings.store import SUFFIXES, read_cassette

UnusedPolicy = Literal["warn", "fail", "ignore"]
"""What becomes of recordings that were not played."""

_SHOWN = 10


class UnusedRecordingError(AssertionError):
    """Recordings that were never played."""


class UnusedRecordingWarning(UserWarning):
    """Recordings that were never played."""


@contextmanager
def replaying(
    *sources: str | Path, unused: UnusedPolicy = "warn", **options: Any
) -> Iterator[Player]:
    """A `Player` with the cassettes in ``sources``: files, folders (all cassettes below them) or glob patterns.

    ``options`` are those of `Player`. A request that could not be answered fails the block, also when the library in
    between swallowed the error or made another one of it. Recordings that were not played are told as ``unused`` says.

    Raises `FileNotFoundError` when a source has no cassette, `conformance.recordings.store.CassetteError` for one that
    cannot be read, `conformance.recordings.player.ReplayError` for a request that could not be answered, and
    `UnusedRecordingError`.
    """
    paths = dict.fromkeys(path for source in sources for path in _paths(source))
    player = Player([read_cassette(path) for path in paths], **options)
    try:
        yield player
    except Exception as problem:
        if player.failures and problem is not player.failures[0]:
            raise player.failures[0] from problem
        raise
    if player.failures:
        raise player.failures[0]
    tell_unused(player, unused)


def _paths(source: str | Path) -> list[Path]:
    path = Path(source)
    if path.is_dir():
        found = [item for item in path.rglob("[!.]*") if item.suffix in SUFFIXES]
    elif path.is_file():
        found = [path]
    else:
        found = [item for item in Path(path.anchor).glob(str(path.relative_to(path.anchor))) if item.is_file()]
    if not found:
        raise FileNotFoundError(f"no cassette at {source}")
    return sorted(found)


def tell_unused(player: Player, how: UnusedPolicy) -> None:
    """Tell the recordings that were not played, as ``how`` says. Raises `UnusedRecordingError`."""
    left = player.unused() if how != "ignore" else ()
    if not left:
        return
    lines = [f"{len(left)} of {len(player.recordings)} recordings were not played:", *map(str, left[:_SHOWN])]
    message = "\n  ".join([*lines, "…"] if len(left) > _SHOWN else lines)
    if how == "fail":
        raise UnusedRecordingError(message)
    warnings.warn(UnusedRecordingWarning(message), stacklevel=4)
