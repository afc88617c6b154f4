"""Which recording a request was probably meant for. Linear in the number of recordings, and bounded in bytes.

Recordings of the same method and path come first. Of two canonical bodies, what they begin and end with alike is found
by comparing slices, without reading them in Python; what is left between is the *window*. A body with one changed
field has a small one. The few with the smallest windows are compared field by field.
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

COMPARED = 8
"""How many recordings are compared field by field."""
COUNTED = 100
"""How many differences are looked for."""
MAX_EXAMINED = 128_000_000
"""How many bytes of bodies are looked at in all."""

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
        few = heapq.nsmallest(COMPARED, self._windows(request, body), key=lambda pair: pair[0])
        compared = (NearestRecording(recording, self._differences(recording, request, body)) for _, recording in few)
        return min(compared, key=_distance)

    def _windows(self, request: Request, body: bytes) -> Iterator[tuple[int, Recording]]:
        """Recordings of the nearest method and path with the size of the window, those of like size first.

        Those whose window must be larger, because the sizes differ by more, than that of enough others are left out.
        """
        smallest: list[int] = []
        examined, to = 0, self._identifier.address(request)
        group = self._group(request.method.upper(), to.path)
        for recording in sorted(group, key=lambda recording: abs(recording.size - len(body))):
            least = abs(recording.size - len(body))
            if (len(smallest) == COMPARED and least > -smallest[0]) or examined > MAX_EXAMINED:
                return
            there = self._identifier.address(recording.interaction.request)
            host = recording.hosts is None or to.host in recording.hosts
            elsewhere = _ELSEWHERE * ((not host) + (there.query != to.query))
            window = _window(self._body(recording), body) + elsewhere
            (heapq.heappushpop if len(smallest) == COMPARED else heapq.heappush)(smallest, -window)
            examined += recording.size
            yield window, recording

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
