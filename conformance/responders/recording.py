"""The real provider, with every answer written down before anybody reads it.

A case is recorded into a file of its own beside its cassette, and takes the cassette's place when it has ended: so a
recording that was broken off goes on where it stopped, with the answers that it has, and no half of a case is played.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from conformance.deliveries import Delivery
from conformance.http import Request
from conformance.model import Conversation
from conformance.recordings.interaction import Cassette, Interaction, Provenance
from conformance.recordings.player import Player, UnmatchedError
from conformance.recordings.recorder import Recorder
from conformance.recordings.store import find_cassette, read_cassette, write_cassette
from conformance.responders.contract import Delivered
from conformance.responders.live import Live
from conformance.responders.recorded import delivered
from conformance.wires.facts import Facts


class CallsSpentError(Exception):
    """The call would be one too many."""


@dataclass(frozen=True)
class Budget:
    """How many calls may be made, over all processes: ``path`` is a file that grows by a byte with every call."""

    path: Path
    limit: int

    @property
    def spent(self) -> int:
        """The calls that were made."""
        return self.path.stat().st_size if self.path.exists() else 0

    def spend(self) -> None:
        """Count a call that is about to be made. Raises `CallsSpentError`; then it must not be."""
        if self.spent >= self.limit:
            raise CallsSpentError(f"stopped after {self.limit} calls: record again to go on, or raise --max-calls")
        with self.path.open("ab") as file:
            file.write(b".")


@dataclass
class Recording:
    """Records one case through ``live`` into the cassette at ``path``."""

    live: Live
    path: Path
    provenance: Provenance
    budget: Budget
    free: bool = True
    replays: bool = False
    _recorder: Recorder | None = None
    _known: Player | None = None

    @property
    def model(self) -> str | None:
        """The model to ask for."""
        return self.live.model

    @property
    def part(self) -> Path:
        """Where the case is kept until it has ended."""
        return self.path.with_name(f".{self.path.stem}.part.json")

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> Delivered:
        """The answer, from what was recorded before or else from the provider."""
        interaction = self._earlier(request) or self._asked(request)
        return delivered(interaction, self.live.provider, facts, intent, delivery)

    def _earlier(self, request: Request) -> Interaction | None:
        if self._known is None:
            part = find_cassette(self.part)
            self._known = Player([read_cassette(part)] if part else [], any_host=True)
        try:
            return self._known.answer(request)
        except UnmatchedError:
            return None

    def _asked(self, request: Request) -> Interaction:
        """Ask the provider. What is written is the request as the adapter made it: no key and no other address."""
        if self._recorder is None:
            key = self.live.access.key
            self._recorder = Recorder(self.part, self.provenance, known=[key] if key else [], resume=True)
        self._recorder.check()
        self.budget.spend()
        answered = self.live.ask(request)
        self._recorder.add(replace(answered, request=request))
        return answered

    def ends(self, *, as_meant: bool) -> list[str]:
        """Put the recording in its place. One in which the model did something else is given up."""
        part = find_cassette(self.part)
        if part is not None:
            if as_meant:
                cassette = read_cassette(part)
                write_cassette(self.path, Cassette(cassette.interactions, cassette.provenance))
            part.unlink()
        self._recorder = self._known = None
        return []
