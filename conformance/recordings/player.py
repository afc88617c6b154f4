"""Plays recorded traffic: a request goes in, what once answered it comes out.

Requests are found by a digest (`conformance.recordings.identity`), so that a player with ten thousand recordings is as
fast as one with ten. Nothing is ever sent anywhere, and nothing is written. A player may be used from many threads and
tasks at once; processes have a player each.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import cached_property
from threading import Lock
from typing import Literal

from conformance.http import Request
from conformance.masking.environment import keys_of_environment
from conformance.recordings.bodies import RecordError
from conformance.recordings.emptiness import why_empty
from conformance.recordings.identity import Identifier
from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.nearest import NearestRecording, RecordingIndex
from conformance.recordings.recording import Hosts, Recording, recordings
from conformance.recordings.scrub import scrub_request
from conformance.recordings.volatile import BUILT_IN
from conformance.wires.volatile import Volatile

Repeat = Literal["never", "last"]
"""What a request gets when all its recordings have been played: nothing, or the last one once more."""

_SHOWN = 5
"""How many differences a message names."""


class ReplayError(LookupError):
    """A request that cannot be answered from recordings."""

    def __init__(self, request: Request, message: str) -> None:
        super().__init__(message)
        self.request = request


class UnmatchedError(ReplayError):
    """No recording of this request is left.

    ``played`` is how often it has been played. When it was never recorded, ``nearest`` is the recording that it was
    probably meant for, with the differences; ``None`` when there is no recording at all.
    """

    def __init__(self, request: Request, shown: str, played: int, nearest: NearestRecording | None) -> None:
        super().__init__(request, _words(shown, played, nearest))
        self.played = played
        self.nearest = nearest


class EmptyRecordingError(ReplayError):
    """The recording of this request holds no answer."""

    def __init__(self, request: Request, recording: Recording, why: str) -> None:
        super().__init__(request, f"{recording}: {why}; record it again")
        self.recording = recording


def _words(shown: str, played: int, nearest: NearestRecording | None) -> str:
    if played:
        times = "once" if played == 1 else f"{played} times"
        return f"{shown} was recorded {times}, and all of it has been played"
    if nearest is None:
        return f"no recording of {shown}: there are no recordings"
    lines = [f"no recording of {shown}", f"  nearest: {nearest.recording}"]
    lines += [f"    {difference}" for difference in nearest.differences[:_SHOWN]]
    more = len(nearest.differences) - _SHOWN
    return "\n".join([*lines, f"    and {more} more"] if more > 0 else lines)


class _Queue:
    """The recordings of one request, in the order of recording."""

    def __init__(self) -> None:
        self.played: list[Recording] = []
        self._all: deque[Recording] = deque()
        self._by_body: dict[bytes, deque[Recording]] = {}

    def add(self, recording: Recording) -> None:
        self._all.append(recording)
        self._by_body.setdefault(recording.interaction.request.body, deque()).append(recording)

    def take(self, body: bytes, taken: set[Recording]) -> Recording | None:
        """The first recording left with exactly this body, or else the first one left.

        Where volatile fields are all that differs, as in conversations that were recorded twice, each gets its own.
        """
        for queue in (self._by_body.get(body), self._all):
            while queue:
                found = queue.popleft()
                if found not in taken:
                    taken.add(found)
                    self.played.append(found)
                    return found
        return None


class Player:
    """Answers requests from cassettes.

    ``volatile`` names what may differ between a request and its recording. ``any_host`` leaves the host out of
    account. Recordings of one request are played in their order, each once; with ``repeat="last"`` the last of them is
    played again and again. ``failures`` holds every error that was raised: libraries like to swallow them.
    """

    def __init__(
        self,
        cassettes: Iterable[Cassette],
        *,
        volatile: Volatile = BUILT_IN,
        any_host: bool = False,
        repeat: Repeat = "never",
    ) -> None:
        self._identifier = Identifier(volatile)
        self._repeat: Repeat = repeat
        self._lock = Lock()
        self._taken: set[Recording] = set()
        self._queues: dict[bytes, dict[Hosts, _Queue]] = {}
        self.failures: list[ReplayError] = []
        self.recordings: tuple[Recording, ...] = tuple(
            recording
            for cassette in cassettes
            for recording in recordings(cassette, self._identifier, any_host=any_host)
        )
        for recording in self.recordings:
            queues = self._queues.setdefault(recording.digest, {})
            queues.setdefault(recording.hosts, _Queue()).add(recording)

    def answer(self, request: Request) -> Interaction:
        """What was recorded for ``request``. Raises `UnmatchedError` and `EmptyRecordingError`.

        A request that holds secrets was recorded without them, so it is looked for without them too.
        """
        own = self._recorded(request) or self._recorded(self._scrubbed(request))
        with self._lock:
            recording = next((found for queue in own if (found := queue.take(request.body, self._taken))), None)
        if recording is None and self._repeat == "last":
            recording = next((queue.played[-1] for queue in own if queue.played), None)
        if recording is None:
            raise self._noted(self._unmatched(request, sum(len(queue.played) for queue in own)))
        why = why_empty(recording.interaction)
        if why is not None:
            raise self._noted(EmptyRecordingError(request, recording, why))
        return recording.interaction

    def _recorded(self, request: Request) -> list[_Queue]:
        """The recordings of a request."""
        identity = self._identifier.identity(request)
        queues = self._queues.get(identity.digest, {})
        return [queue for hosts, queue in queues.items() if hosts is None or identity.host in hosts]

    def _scrubbed(self, request: Request) -> Request:
        try:
            return scrub_request(request, keys_of_environment()) if self.recordings else request
        except RecordError:  # its body cannot be decoded, so it was not recorded either
            return request

    def unused(self) -> tuple[Recording, ...]:
        """The recordings that have not been played, in their order."""
        with self._lock:
            return tuple(recording for recording in self.recordings if recording not in self._taken)

    def _unmatched(self, request: Request, played: int) -> UnmatchedError:
        place = self._identifier.address(request)
        nearest = None if played else self._nearby.nearest(request)
        return UnmatchedError(request, f"{request.method.upper()} {place}", played, nearest)

    @cached_property
    def _nearby(self) -> RecordingIndex:
        return RecordingIndex(self.recordings, self._identifier)

    def _noted(self, error: ReplayError) -> ReplayError:
        self.failures.append(error)
        return error
