"""Which recording a request was probably meant for. Linear in the number of recordings, which are not read for it.

Recordings of the same method and path come first. Of two canonical bodies, what they begin and end with alike is left
out; what is left between is the *window*. A body with one changed field has a small one. Sketches
(`conformance.recordings.sketches`) tell those whose windows are about the smallest. Of these the windows are measured,
and the smallest compared field by field.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from conformance.http import Request
from conformance.recordings.addresses import CanonicalAddress
from conformance.recordings.canonical import document_of
from conformance.recordings.differences import Difference, differences
from conformance.recordings.identity import Identifier
from conformance.recordings.recording import Recording
from conformance.recordings.sketches import sketch

COMPARED = 8
"""How many recordings are compared field by field."""
COUNTED = 100
"""How many differences are looked for."""
MEASURED = 1_000
"""Of how many recordings at most the windows are measured."""
MAX_MEASURED = 1_000_000
"""How many bytes of bodies are read for it, beyond the nearest body."""

_ELSEWHERE = 32
"""What another host or another query counts, in bytes of a window."""


@dataclass(frozen=True, slots=True)
class NearestRecording:
    """A recording and where a request differs from it; no more than `COUNTED` differences."""

    recording: Recording
    differences: tuple[Difference, ...]


class RecordingIndex:
    """Looks for the nearest among some recordings."""

    def __init__(self, recordings: Sequence[Recording], identifier: Identifier) -> None:
        self._identifier = identifier
        self._bodies: dict[int, bytes] = {}
        self._groups: dict[tuple[str, str], list[Recording]] = {}
        for recording in recordings:
            request = recording.interaction.request
            key = (request.method.upper(), identifier.address(request).path)
            self._groups.setdefault(key, []).append(recording)

    def nearest(self, request: Request) -> NearestRecording | None:
        """The nearest recording; ``None`` when there is none at all."""
        if not self._groups:
            return None
        body = self._identifier.body(request)
        windows = self._windows(request, body)
        few = heapq.nsmallest(COMPARED, windows, key=lambda pair: pair[0])
        compared = (NearestRecording(recording, self._differences(recording, request, body)) for _, recording in few)
        return min(compared, key=_distance)

    def _windows(self, request: Request, body: bytes) -> Iterator[tuple[int, Recording]]:
        """The recordings of the nearest method and path whose windows are about the smallest, with their windows."""
        own, to, read = sketch(body), self._identifier.address(request), 0
        sketched = [
            (recording.sketch.window(own) + self._elsewhere(recording, to), number, recording)
            for number, recording in enumerate(self._group(request.method.upper(), to.path))
        ]
        for _, _, recording in heapq.nsmallest(MEASURED, sketched):
            if read > MAX_MEASURED:
                return
            read += recording.sketch.size
            yield _window(self._body(recording), body) + self._elsewhere(recording, to), recording

    def _elsewhere(self, recording: Recording, to: CanonicalAddress) -> int:
        """What another host or another query counts."""
        there = self._identifier.address(recording.interaction.request)
        host = recording.hosts is None or to.host in recording.hosts
        return _ELSEWHERE * ((not host) + (there.query != to.query))

    def _group(self, method: str, path: str) -> list[Recording]:
        found = self._groups.get((method, path))
        if found is None:
            best = max(self._groups, key=lambda key: (_alike(key[1], path), key[0] == method))
            found = self._groups[best]
        return found

    def _body(self, recording: Recording) -> bytes:
        body = self._bodies.get(id(recording))
        if body is None:
            body = self._bodies[id(recording)] = self._identifier.body(recording.interaction.request)
        return body

    def _differences(self, recording: Recording, request: Request, body: bytes) -> tuple[Difference, ...]:
        asked = recording.interaction.request
        old, new = self._identifier.address(asked), self._identifier.address(request)
        heads = (
            ("method", asked.method.upper(), request.method.upper()),
            ("path", old.path, new.path),
            ("query", _joined(old), _joined(new)),
        )
        found = [Difference(*head) for head in heads if head[1] != head[2]]
        if recording.hosts is not None and new.host not in recording.hosts:
            found.append(Difference("host", old.host, new.host))
        return (*found, *islice(_in_bodies(self._body(recording), body), COUNTED))


def _distance(nearest: NearestRecording) -> tuple[bool, int]:
    """Bodies that cannot be compared field by field are far away, though that is a single difference."""
    return any(item.at == "body" for item in nearest.differences), len(nearest.differences)


def _in_bodies(recorded: bytes, sent: bytes) -> list[Difference]:
    if recorded == sent:
        return []
    old, new = document_of(recorded), document_of(sent)
    try:
        if type(old) is type(new) and old is not None:
            return list(islice(differences(old, new), COUNTED))
    except RecursionError:
        pass
    start = max(0, _common(recorded, sent) - 10)
    return [Difference("body", recorded[start : start + 40], sent[start : start + 40])]


def _window(one: bytes, other: bytes) -> int:
    """How many bytes the longer of two texts has between what they begin and what they end with alike."""
    shorter, longer = sorted((len(one), len(other)))
    head = _common(one, other)
    return longer - head - min(_common_end(one, other), shorter - head)


def _common(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with alike: found by halving, because comparing slices is fast."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: bytes, other: bytes) -> int:
    """How many bytes two texts end with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _alike(one: str, other: str) -> int:
    """How many bytes two paths share at their beginning and at their end."""
    return _common(one.encode(), other.encode()) + _common_end(one.encode(), other.encode())


def _joined(place: CanonicalAddress) -> str:
    return "&".join(f"{name}={value}" for name, value in place.query)
