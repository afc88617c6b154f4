"""The provider as it was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.answers import answer_of_response, answer_of_stream
from conformance.deliveries import Delivery
from conformance.http import Request, Response
from conformance.model import Conversation, Json
from conformance.recordings.differences import ABSENT
from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.player import EmptyRecordingError, Player, UnmatchedError
from conformance.recordings.store import CassetteError, cassette_path, find_cassette, read_cassette
from conformance.recordings.volatile import VOLATILE
from conformance.responders.contract import DeliveredAnswer, UnansweredError
from conformance.responders.names import names_in_request, reader_for, with_application_names
from conformance.responders.revisions import is_stale
from conformance.scenarios import Scenario
from conformance.wires import card, wire
from conformance.wires.facts import Facts

_STREAMS = ("text/event-stream", "application/x-ndjson", "application/vnd.amazon.eventstream")


@dataclass
class CassetteResponder:
    """Answers from the cassette of one scenario on one provider, blocking or streaming.

    ``stale`` says that the scenario is another one now: then a request that was not recorded is no riddle.
    """

    cassette: Cassette
    provider: str
    stale: bool = False
    replays: bool = True
    _player: Player | None = field(default=None, repr=False)

    @cached_property
    def free(self) -> bool:
        return self.cassette.provenance is None or self.cassette.provenance.origin == "live"

    @property
    def model(self) -> str | None:
        """The model that was recorded."""
        return self.cassette.provenance.model if self.cassette.provenance else None

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> DeliveredAnswer:
        """The recorded answer to the same request. Raises `UnansweredError`."""
        if place == 0 or self._player is None:
            self._player = Player([self.cassette], volatile=VOLATILE[self.provider], any_host=True)
        try:
            interaction = self._player.answer(request)
        except UnmatchedError as problem:
            raise self._unanswered(problem) from None
        except EmptyRecordingError as problem:
            raise UnansweredError("", "a recorded answer", str(problem), str(problem.recording)) from None
        return delivered(interaction, self.provider, facts, intent, delivery)

    def ends(self, *, as_meant: bool) -> list[str]:
        """The recorded interactions that nobody asked for."""
        return list(map(str, self._player.unused())) if self._player is not None else []

    def _unanswered(self, problem: UnmatchedError) -> UnansweredError:
        nearest = problem.nearest
        name = str(nearest.recording) if nearest is not None else "none"
        if self.stale:
            told = "one of the scenario as it was: record it again"
            return UnansweredError("", "a recording of the scenario as it is", told, name)
        if nearest is None or not nearest.differences:
            return UnansweredError("", "a recorded request", str(problem), name)
        first = nearest.differences[0]
        at, where = (first.at, "") if first.at.startswith("/") else ("", f"{first.at} ")
        recorded, sent = (_shown(value, where) for value in (first.recorded, first.sent))
        return UnansweredError(at, recorded, sent, name)


def _shown(value: Json, where: str) -> Json:
    """One side of a difference. ``where`` names what is no part of the body: the path, the query."""
    if value is ABSENT:
        return "nothing there"
    return f"{where}{value}" if where else value


def delivered(
    interaction: Interaction, provider: str, facts: Facts, intent: Conversation, delivery: Delivery
) -> DeliveredAnswer:
    """An interaction as an answer, its stream cut as ``delivery`` says."""
    speaker, names = wire(provider), names_in_request(intent.tools, facts)
    reader = reader_for(intent, names)
    if interaction.status == 200 and is_stream(interaction, provider, delivery) and delivery.cut is not None:
        chunks = delivery.cut(list(interaction.chunks))
        answer = answer_of_stream(speaker, interaction.chunks, reader)
        return DeliveredAnswer(with_application_names(answer, names), chunks)
    answer = answer_of_response(
        speaker, Response(interaction.status, dict(interaction.headers), interaction.body), reader
    )
    return DeliveredAnswer(with_application_names(answer, names))


def is_stream(interaction: Interaction, provider: str, delivery: Delivery) -> bool:
    """Whether an answer is a stream. Gemini's may be an array, which only the request tells from a single answer."""
    kind = next((value for name, value in interaction.headers if name.lower() == "content-type"), "")
    return any(stream in kind for stream in _STREAMS) or (
        "json-array" in card(provider).framings and delivery.streaming
    )


def recorded_cassette(root: Path, provider: str, scenario: str, *, streaming: bool) -> Path | None:
    """The file with the recording of a scenario, if there is one."""
    return find_cassette(cassette_path(root, provider, scenario, streaming=streaming))


def open_recorded(root: Path, provider: str, scenario: Scenario, *, streaming: bool) -> CassetteResponder:
    """The responder for a scenario that was recorded. Raises `CassetteError`, also when there is no cassette."""
    path = cassette_path(root, provider, scenario.id, streaming=streaming)
    path = find_cassette(path) or path
    cassette = replace(read_cassette(path), source=path.relative_to(root).as_posix())
    return CassetteResponder(cassette, provider, is_stale(cassette.provenance, scenario))


def provenances(root: Path, wanted: Iterable[tuple[str, Scenario, bool]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The file, relative to ``root``, of each (provider, scenario, streaming), with its provenance if it has one.

    ``stale`` is there, and true, when the scenario has changed since.
    """
    for provider, scenario, streaming in wanted:
        path = recorded_cassette(root, provider, scenario.id, streaming=streaming)
        if path is None:
            continue
        try:
            origin = read_cassette(path).provenance
        except CassetteError:
            origin = None  # the case that plays it says what is wrong with it
        stale = {"stale": True} if is_stale(origin, scenario) else {}
        yield path.relative_to(root).as_posix(), (asdict(origin) if origin else {}) | stale
