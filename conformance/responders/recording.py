"""The real provider, with every answer written down before anybody reads it.

A case is recorded into a file of its own beside its cassette, and takes the cassette's place when it has ended: so a
recording that was broken off goes on where it stopped, with the answers that it has, and no half of a case is played.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.deliveries import Delivery
from conformance.files.locks import FileLock
from conformance.http import Request
from conformance.model import Conversation
from conformance.recordings.interaction import Cassette, Interaction, Provenance
from conformance.recordings.player import Player, ReplayError
from conformance.recordings.recorder import Recorder
from conformance.recordings.shared import SharedCassette
from conformance.recordings.store import CassetteError, find_cassette, read_cassette, write_cassette
from conformance.recordings.sweeping import case_lock, part_file
from conformance.recordings.volatile import VOLATILE
from conformance.responders.contract import DeliveredAnswer
from conformance.responders.live import LiveResponder
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
class RecordingResponder:
    """Records one case through ``live`` into the cassette at ``path``.

    ``again`` records anew what is there. Otherwise it is played, and the provider is asked only for what is missing.
    """

    live: LiveResponder
    path: Path
    provenance: Provenance
    budget: Budget
    free: bool = True
    replays: bool = False
    again: bool = False
    _recorder: Recorder | None = None
    _known: Player | None = None
    _lock: FileLock | None = None
    _target: SharedCassette | None = None

    @property
    def model(self) -> str | None:
        return self.live.model

    @property
    def part(self) -> Path:
        """Where the case is kept until it has ended."""
        return part_file(self.path)

    def respond(
        self, place: int, request: Request, facts: Facts, intent: Conversation, delivery: Delivery
    ) -> DeliveredAnswer:
        """The answer, from what was recorded before or else from the provider."""
        if self._lock is None:
            self._lock, self._target = locked(self.path), SharedCassette(self.path)
        try:
            interaction = self._earlier(request) or self._asked(request, delivery)
        except BaseException:
            self._release()
            raise
        return delivered(interaction, self.live.provider, facts, intent, delivery)

    def _earlier(self, request: Request) -> Interaction | None:
        if self._known is None:
            files = [self.part] if self.again else [self.part, self.path]
            earlier = [read_cassette(file) for file in map(find_cassette, files) if file is not None]
            self._known = Player(earlier[:1], volatile=VOLATILE[self.live.provider], any_host=True)
        try:
            return self._known.answer(request)
        except ReplayError:
            return None

    def _asked(self, request: Request, delivery: Delivery) -> Interaction:
        """Ask the provider. What is written is the request as the adapter made it: no key and no other address."""
        if self._recorder is None:
            key = self.live.access.key
            self._recorder = Recorder(self.part, self.provenance, known=[key] if key else [], resume=True)
        self._recorder.check()
        self.budget.spend()
        answered = self.live.ask(request, delivery)
        self._recorder.add(answered)
        return answered

    def ends(self, *, as_meant: bool) -> list[str]:
        """Put the recording in its place. One in which the model, or the adapter, left the scenario is given up."""
        part = find_cassette(self.part)
        if part is not None:
            if as_meant:
                self._place(read_cassette(part))
            part.unlink()
        self._release()
        self._recorder = self._known = None
        return []

    def _place(self, cassette: Cassette) -> None:
        target = self._target or SharedCassette(self.path)
        with target.alone():
            if target.news() is not None:
                raise CassetteError(self.path, "somebody else has written it meanwhile")
            write_cassette(self.path, Cassette(cassette.interactions, cassette.provenance))

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def locked(cassette: Path) -> FileLock:
    """The lock of a case, taken: others wait until the case has ended. Raises `CassetteError`."""
    lock = case_lock(cassette)
    try:
        return lock.__enter__()
    except OSError as problem:
        raise CassetteError(cassette.parent, f"cannot be written to: {problem.strerror}") from None
