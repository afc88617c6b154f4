"""The provider as it was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.answers import answer_of_response, answer_of_stream
from conformance.deliveries import Delivery
from conformance.http import Request, Response
from conformance.model import Conversation
from conformance.recordings.differences import ABSENT
from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.player import EmptyRecordingError, Player, UnmatchedError
from conformance.recordings.store import cassette_path, find_cassette, read_cassette
from conformance.responders.contract import Delivered, UnansweredError
from conformance.responders.names import declared_names, reader_for, with_application_names
from conformance.wires import wire
from conformance.wires.facts import Facts

STREAMS = ("text/event-stream", "application/x-ndjson")


@dataclass
class Recorded:
    """Answers from the cassette of one scenario on one provider, blocking or streaming."""

    cassette: Cassette
    provider: str
    replays: bool = True
    _player: Player | None = field(default=None, repr=False)

    @cached_property
    def free(self) -> bool:
        """Whether a model decided what to say when this was recorded."""
        return self.cassette.provenance is None or self.cassette.provenance.origin == "live"

    @property
    def model(self) -> str | None:
        """The model that was recorded."""
        return self.cassette.provenance.model if self.cassette.provenance else None

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> Delivered:
        """The recorded answer to the same request. Raises `UnansweredError`."""
        if place == 0 or self._player is None:
            self._player = Player([self.cassette], any_host=True)
        try:
            interaction = self._player.answer(request)
        except UnmatchedError as problem:
            raise _unanswered(problem) from None
        except EmptyRecordingError as problem:
            raise UnansweredError("", "a recorded answer", "an empty one", str(problem)) from None
        return delivered(interaction, self.provider, facts, intent, delivery)

    def ends(self, *, as_meant: bool) -> list[str]:
        """The recorded interactions that nobody asked for."""
        return list(map(str, self._player.unused())) if self._player is not None else []


def _unanswered(problem: UnmatchedError) -> UnansweredError:
    nearest = problem.nearest
    if nearest is None or not nearest.differences:
        return UnansweredError("", "a recorded request", str(problem), "none")
    first = nearest.differences[0]
    at = first.at if first.at.startswith("/") else ""
    recorded, sent = (None if value is ABSENT else value for value in (first.recorded, first.sent))
    return UnansweredError(at, recorded, sent, str(nearest.recording))


def delivered(
    interaction: Interaction, provider: str, facts: Facts, intent: Conversation, delivery: Delivery
) -> Delivered:
    """An interaction as an answer, its stream cut as ``delivery`` says."""
    speaker, names = wire(provider), declared_names(intent.tools, facts)
    reader = reader_for(intent, names)
    headers = dict(interaction.headers)
    kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    framed = any(stream in kind for stream in STREAMS) or ("json-array" in speaker.framings and delivery.streaming)
    if interaction.status == 200 and framed and delivery.cut is not None:
        chunks = delivery.cut(list(interaction.chunks))
        answer = answer_of_stream(speaker, interaction.chunks, reader)
        return Delivered(with_application_names(answer, names), chunks)
    answer = answer_of_response(speaker, Response(interaction.status, headers, interaction.body), reader)
    return Delivered(with_application_names(answer, names))


def recorded_cassette(root: Path, provider: str, scenario: str, *, streaming: bool) -> Path | None:
    """The file with the recording of a scenario, if there is one."""
    return find_cassette(cassette_path(root, provider, scenario, streaming=streaming))


def open_recorded(root: Path, provider: str, scenario: str, *, streaming: bool) -> Recorded:
    """The responder for a scenario that was recorded. Raises `CassetteError`, also when there is no cassette."""
    path = cassette_path(root, provider, scenario, streaming=streaming)
    return Recorded(read_cassette(find_cassette(path) or path), provider)


def provenances(root: Path, wanted: Iterable[tuple[str, str, bool]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The file, relative to ``root``, and the provenance, if it has one, of each (provider, scenario, streaming)."""
    for provider, scenario, streaming in wanted:
        path = recorded_cassette(root, provider, scenario, streaming=streaming)
        if path is not None:
            origin = read_cassette(path).provenance
            yield path.relative_to(root).as_posix(), asdict(origin) if origin else {}
