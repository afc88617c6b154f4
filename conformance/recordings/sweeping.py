"""What recordings that were killed left in a folder of cassettes."""

from __future__ import annotations

import contextlib
from pathlib import Path

from conformance.files.leftovers import sweep_below
from conformance.files.locks import FileLock
from conformance.recordings.store import SUFFIXES, CassetteError, find_cassette, read_cassette


def part_file(cassette: Path) -> Path:
    """Where a case is recorded until it has ended."""
    return cassette.with_name(f".{cassette.stem}.part.json")


def case_lock(cassette: Path) -> FileLock:
    """The lock of a case: who records it has it."""
    return FileLock(cassette.with_name(f".{cassette.stem}.case.lock"))


def sweep_cassettes(folder: Path) -> None:
    """Remove files of writers that have ended, and parts that are in their place already.

    A part that is not stays: a recording that was broken off goes on with it.
    """
    sweep_below(folder, SUFFIXES)
    for part in folder.rglob(".*.part.*"):
        if part.suffix in SUFFIXES:
            with contextlib.suppress(OSError, CassetteError):
                _sweep_part(part)


def _sweep_part(part: Path) -> None:
    stem = part.name.removeprefix(".").removesuffix(f".part{part.suffix}")
    cassette = part.with_name(f"{stem}.json")
    placed, lock = find_cassette(cassette), case_lock(cassette)
    if placed is not None and lock.attempt():
        try:
            if read_cassette(part).interactions == read_cassette(placed).interactions:
                part.unlink()
        finally:
            lock.release()
