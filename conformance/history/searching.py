"""A bisection of a library: the releases are played, and what was found is a document and a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from conformance.adapters.libraries import Library
from conformance.documents import Document
from conformance.environments.virtual import normalized
from conformance.history.bisecting import Bisection, CaseVerdicts, bisect
from conformance.history.keeping import suite_mark
from conformance.history.playing import PlayedRelease
from conformance.history.record import ReleaseRecord
from conformance.history.releases import Release
from conformance.history.turns import package_changes
from conformance.history.walking import Walk
from conformance.report.history import STANDINGS
from conformance.report.script import NoScriptError, script
from conformance.schemas import schema
from conformance.version import VERSION


@dataclass
class Search:
    """The search for the release in which a rule turned on a provider. ``settings`` say what is played."""

    walk: Walk
    releases: Sequence[Release]
    rule: str
    provider: str
    settings: Mapping[str, Any]
    widens: bool = False
    """Whether all scenarios are played where those that the settings name say nothing."""
    records: dict[int, ReleaseRecord] = field(default_factory=dict)

    def bisected(self, *, checks: int, ends: bool) -> Bisection:
        """Search."""
        return bisect(len(self.releases), self._asked, checks=checks, ends=ends)

    def _asked(self, number: int, case: str | None) -> CaseVerdicts:
        record = self._played(number, case).record
        if case is None and self.widens and record.is_judged and not record.ranks(self.provider, self.rule):
            self.settings = {key: value for key, value in self.settings.items() if key != "scenarios"}
            self.widens = False
            record = self._played(number, case).record
        self.records[number] = record
        ranks = record.ranks(self.provider, self.rule) if record.is_judged else {}
        return {name: "broken" if rank else "holds" for name, rank in ranks.items()}

    def _played(self, number: int, case: str | None) -> PlayedRelease:
        narrow: dict[str, Any] = {}
        if case is not None:
            scenario, _, delivery = case.partition("/")
            narrow = {"scenarios": [scenario], "deliveries": [delivery]}
        return self.walk.played(self.releases[number], {**self.settings, **narrow})

    def program(self, found: Bisection) -> str:
        """A program that shows the failure: in the release that broke it, or in the last before it was mended.

        Raises `NoScriptError`.
        """
        result = self._played(found.after if found.kind == "broke" else found.before, found.witness).result
        cells = [] if result is None else result["cells"]
        cell = next((one for one in cells if one["rule"] == self.rule and one["failures"]), None)
        if result is None or cell is None:
            raise NoScriptError("the failure did not come again when it was played for a program")
        return script(result, cell)

    def document(self, found: Bisection, library: Library, name: str) -> Document:
        """What was found, as a document that conforms to ``bisect.schema.json``."""
        own = normalized(library.distribution)
        changes = []
        if found.found:
            old, new = self.records[found.before], self.records[found.after]
            changes = [asdict(one) for one in package_changes(old, new, own)]
        return {
            "schema": schema("bisect")["$id"],
            "suite": {"version": VERSION, "mark": suite_mark()},
            "library": name,
            "distribution": library.distribution,
            "provider": self.provider,
            "rule": self.rule,
            "releases": len(self.releases),
            "kind": found.kind,
            "witness": found.witness,
            "others": list(found.others),
            "before": self._dated(found.before) if found.found else None,
            "after": self._dated(found.after) if found.found else None,
            "between": [one.version for one in self.releases[found.before + 1 : found.after]] if found.found else [],
            "asked": [self._came_to(number, found) for number in sorted({*found.seen, *found.silent, *self.records})],
            "turned": [[self.releases[one].version for one in pair] for pair in found.turned],
            "packages": changes,
        }

    def _dated(self, number: int) -> Document:
        return {"version": self.releases[number].version, "uploaded": self.releases[number].uploaded}

    def _came_to(self, number: int, found: Bisection) -> Document:
        record, verdict = self.records.get(number), found.seen.get(number)
        why = ""
        if verdict is None and record is not None and not record.is_judged:
            why = f"{STANDINGS[record.standing]}{f': {record.why}' if record.why else ''}"
        elif verdict is None:
            why = "no case shows it"
        return {**self._dated(number), "verdict": verdict, "why": why}
