"""Recording interactions into a cassette: scrubbed, scanned, and on the disk as soon as each is complete.

Several recorders may write one cassette at a time, in one process or in many. What is in the file is what counts:
before a recorder writes, it takes in what others wrote since it looked last (`conformance.recordings.shared`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.masking.environment import keys_of_environment
from conformance.masking.known import KnownSecrets
from conformance.recordings.bodies import RecordError
from conformance.recordings.interaction import Cassette, Interaction, Provenance
from conformance.recordings.scan import SecretFinding, SecretFoundError, all_texts, scan_bytes, scan_interaction
from conformance.recordings.scrub import SCRUB_VERSION, Scrubber
from conformance.recordings.shared import SharedCassette
from conformance.recordings.store import CassetteError, write_cassette


class Recorder:
    """The interactions of one cassette, in the order in which they were begun.

    The file is written anew, whole or not at all, with each interaction that is complete: whatever breaks the recording
    off, what was recorded before is there. ``known`` are secrets whose values are known; the values of the variables
    that hold keys are known anyway.

    A recording that is there already is kept: with ``resume`` its interactions are added to, with ``resume=False`` they
    are replaced, and where neither is said nothing is recorded. What others record meanwhile is kept in any case, and
    then stands in the order in which it was complete.

    Threads and tasks may share a recorder. After an interaction could not be written nothing more is recorded, and
    `check` raises what happened, so that no call is made whose answer would be lost.
    """

    def __init__(
        self,
        path: Path,
        provenance: Provenance | None = None,
        *,
        known: Iterable[str] = (),
        resume: bool | None = None,
    ) -> None:
        self.path = path
        self._provenance = None if provenance is None else replace(provenance, scrub_version=SCRUB_VERSION)
        self._scrubber = Scrubber((*keys_of_environment(), *known))
        self._lock = threading.Lock()
        self._begun = 0
        self._complete: dict[int, Interaction] = {}
        self._texts: dict[int, str] = {}
        self.problem: CassetteError | None = None
        """What ended the recording, if something did."""
        self._others = False
        self._file = SharedCassette(path)
        if resume:
            self._take(self._file.read())
        elif self._file.there and resume is None:
            why = "there is a recording: resume=True adds to it, resume=False takes its place"
            self.problem = CassetteError(path, why)

    @property
    def interactions(self) -> tuple[Interaction, ...]:
        """What is recorded so far, as it is written."""
        with self._lock:
            return self._in_order()

    def begin(self) -> int:
        """The place of an interaction that is about to begin."""
        with self._lock:
            self._begun += 1
            return self._begun

    def check(self) -> None:
        """Raise the `CassetteError` that ended the recording, if there was one."""
        if self.problem is not None:
            raise self.problem

    def add(self, interaction: Interaction, place: int | None = None) -> None:
        """Record an interaction at the place that `begin` gave it, or last, and write the file.

        Raises `CassetteError` when it holds a secret that could not be removed, when its body cannot be decoded, or
        when the file cannot be written. Then the file is as it was before.
        """
        place = self.begin() if place is None else place
        with self._lock:
            self.check()
            before = self._complete
            try:
                with self._file.alone():
                    self._take(self._file.news())
                    before = self._complete
                    self._complete = self._with(interaction, place)
                    self._write()
            except BaseException as problem:
                self._complete = before
                if isinstance(problem, CassetteError):
                    self.problem = problem
                raise

    def _take(self, found: Sequence[Interaction] | None) -> None:
        """What is in the file, before all that is still to come. ``None``: it is as we left it."""
        if found is not None:
            self._complete = {place - len(found): item for place, item in enumerate(found, 1)}
            self._texts.clear()
            self._others = True

    def _with(self, interaction: Interaction, place: int) -> dict[int, Interaction]:
        """All interactions with one more; those that hold what it gave away as a secret are scrubbed again.

        What others wrote may hold any secret that is known here: they may not have known it.
        """
        order = {number: at for at, number in enumerate(sorted({*self._complete, place}), 1)}
        try:
            changed = {place: self._scrubber.scrub(interaction)}
        except RecordError as problem:
            raise CassetteError(self.path, f"cannot be recorded: {problem}", f"interaction {order[place]}") from None
        learned = self._scrubber.news()
        news = self._known if self._others else learned
        for number, item in self._complete.items() if len(news) else ():
            texts = self._texts[number] = self._texts.get(number) or all_texts(item)
            if next(news.find(texts), None) is not None:
                changed[number] = self._scrubber.scrub(item)
        self._refuse([
            find for number in changed for find in scan_interaction(changed[number], order[number], self._known)
        ])
        for number in changed:
            self._texts.pop(number, None)
        return {**self._complete, **changed}

    def _write(self) -> None:
        self.path = write_cassette(self.path, Cassette(self._in_order(), self._provenance), self._check_bytes)
        self._file.written(self.path)
        self._others = False

    def _check_bytes(self, data: bytes) -> None:
        self._refuse([SecretFinding(0, "file", f"character {at}", what) for at, what in scan_bytes(data, self._known)])

    def _refuse(self, finds: list[SecretFinding]) -> None:
        if finds:
            raise CassetteError(self.path, str(SecretFoundError(finds)))

    @property
    def _known(self) -> KnownSecrets:
        return self._scrubber.known

    def _in_order(self) -> tuple[Interaction, ...]:
        return tuple(self._complete[place] for place in sorted(self._complete))
