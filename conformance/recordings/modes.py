"""A cassette in use: played, recorded, or both, by one of the modes that vcrpy's users know."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from conformance.http import Request
from conformance.recordings.interaction import Interaction
from conformance.recordings.player import Player, ReplayError, UnmatchedError
from conformance.recordings.recorder import Recorder
from conformance.recordings.replaying import UnusedPolicy, tell_unused
from conformance.recordings.store import find_cassette, read_cassette

RecordMode = Literal["once", "none", "new_episodes", "all"]
"""``once``: what is recorded is played, and recorded where there is no cassette. ``none``: played only.
``new_episodes``: played, and what is missing is added. ``all``: all is recorded anew."""


class CassetteInUse:
    """The cassette at ``path``, in a mode. ``options`` are those of `Player`, ``known`` are secrets of the recorder.

    ``player`` answers from what is recorded, ``recorder`` takes what is not; each is ``None`` where the mode has no
    use for it. ``failures`` are the requests that could be neither played nor recorded.
    """

    def __init__(self, path: Path, mode: RecordMode = "once", *, known: Iterable[str] = (), **options: Any) -> None:
        there = find_cassette(path)
        self.path, self.mode = there or path, mode
        self.player: Player | None = None
        self.recorder: Recorder | None = None
        self.failures: list[ReplayError] = []
        if mode != "all" and (there is not None or mode != "once"):
            self.player = Player([read_cassette(there)] if there is not None else [], **options)
        if mode in ("all", "new_episodes") or self.player is None:
            self.recorder = Recorder(self.path, known=known, resume=mode == "new_episodes")

    def answer(self, request: Request) -> Interaction:
        """What was recorded for a request. Raises `UnmatchedError`, also where it is to be sent and recorded, and
        `conformance.recordings.player.EmptyRecordingError`."""
        assert self.player is not None
        try:
            return self.player.answer(request)
        except ReplayError as problem:
            if self.recorder is None or not isinstance(problem, UnmatchedError):
                self.failures.append(problem)
            raise

    @property
    def problem(self) -> Exception | None:
        """What went wrong first, if anything did: libraries like to swallow it."""
        if self.failures:
            return self.failures[0]
        return self.recorder.problem if self.recorder is not None else None

    def check(self, unused: UnusedPolicy = "warn") -> None:
        """Raise what went wrong, though the library may have swallowed it; tell recordings that were not played."""
        if self.problem is not None:
            raise self.problem
        if self.player is not None and self.recorder is None:
            tell_unused(self.player, unused)
