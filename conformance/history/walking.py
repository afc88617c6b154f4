"""Going through releases: what is kept is taken, the rest is played, the newest first, as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.history.keeping import KeptReleases
from conformance.history.playing import Maker, PlayedRelease, play_release
from conformance.history.record import ReleaseRecord
from conformance.history.releases import Release


@dataclass(frozen=True, slots=True)
class Walk:
    """How releases of a library are played. ``seconds`` is for all, ``release_seconds`` for one; ``again`` takes
    nothing that is kept; ``say`` is told what is going on."""

    name: str
    make: Maker
    seconds: float
    release_seconds: float
    say: Callable[[str], None]
    again: bool = False
    started: float = 0.0

    @property
    def left(self) -> float:
        """How many seconds are left."""
        return self.started + self.seconds - time.monotonic()

    def played(self, release: Release, settings: Mapping[str, Any]) -> PlayedRelease:
        """What comes of a release."""
        shelf = KeptReleases(self.name, settings)
        kept = None if self.again else shelf.taken(release.version)
        if kept is not None:
            return kept
        if self.left <= 0:
            return PlayedRelease(ReleaseRecord(release.version, release.uploaded, "out_of_time"))
        self.say(f"{self.name} {release.version} of {release.day}")
        found = play_release(self.name, release, self.make, settings, min(self.left, self.release_seconds))
        shelf.keep(found)
        return found

    def all_played(self, releases: Sequence[Release], settings: Mapping[str, Any]) -> list[ReleaseRecord]:
        """The records of all releases, in their order."""
        return [self.played(release, settings).record for release in reversed(releases)][::-1]
