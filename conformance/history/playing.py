"""Playing one release: in its environment, in the time that there is, whatever it does."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.adapters.contract import AdapterError
from conformance.documents import Document
from conformance.environments.finding import library_of
from conformance.environments.kinds import kind
from conformance.environments.places import InstalledEnvironment
from conformance.environments.tools import deadline
from conformance.history.record import Cases, ReleaseRecord, ReleaseStanding
from conformance.history.releases import Release
from conformance.history.shims import shim_trouble
from conformance.obstacles import HEADS
from conformance.outcomes import Outcome, worst
from conformance.runner.entry import run
from conformance.runner.errors import UsageError
from conformance.runner.events import CaseResult, RunPlan
from conformance.runner.runs import Run

ADDRESS = re.compile(r"https?://\S+")

Maker = Callable[[str], InstalledEnvironment]
"""Makes the environment of a version, or finds it. Raises `AdapterError`."""


@dataclass(frozen=True, slots=True)
class PlayedRelease:
    """What came of a release, and the result of its run, where there was one."""

    record: ReleaseRecord
    result: Document | None = None


def play_release(
    name: str, release: Release, make: Maker, settings: Mapping[str, Any], seconds: float
) -> PlayedRelease:
    """Make the environment of a release of the library ``name``, and play what ``settings`` (of `run`) say there.

    What stands against that is told in the record, and is nobody's fault.
    """
    until = time.monotonic() + seconds
    limit = deadline.set(until)
    try:
        made = make(release.version)
        packages = kind(library_of(name).kind).installed(made.folder)
    except AdapterError as problem:
        late = time.monotonic() >= until
        return _not_judged(release, "out_of_time" if late else "not_installed", str(problem))
    finally:
        deadline.reset(limit)
    try:
        return _played(run(f"env:{name}@{made.version}", **settings), release, packages, until)
    except (UsageError, AdapterError) as problem:
        return _not_judged(release, "unusable", str(problem))


def _played(going: Run, release: Release, packages: Mapping[str, str], until: float) -> PlayedRelease:
    """Follow a run to its end, or to the end of the time."""
    cases: dict[str, dict[str, dict[str, Any]]] = {}
    lacks: dict[str, dict[str, str]] = {}
    watch = threading.Timer(max(until - time.monotonic(), 0.0), going.cancel)
    watch.daemon = True
    watch.start()
    try:
        with going:
            for event in going:
                match event:
                    case RunPlan():
                        lacks = _lacks(event)
                    case CaseResult(report=report) if report.unsupported:
                        lacks.setdefault(event.provider, {})[event.case] = report.unsupported.words
                    case CaseResult(report=report) if words := shim_trouble(report):
                        lacks.setdefault(event.provider, {})[event.case] = words
                    case CaseResult():
                        cases.setdefault(event.provider, {})[event.case] = dict(event.outcomes)
    finally:
        watch.cancel()
    document = going.result.document
    if going.result.interrupted:
        return _not_judged(release, "out_of_time", f"after {document['run']['cases']['finished']} cases")
    standing, why = _standing(document, lacks, any_judged=bool(cases))
    record = ReleaseRecord(
        release.version, release.uploaded, standing, why, going.result.exit_code, _cells(document, cases), cases, lacks,
        packages,
    )  # fmt: skip
    return PlayedRelease(record, document)


def _lacks(plan: RunPlan) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for group in plan.groups:
        if group.unsupported:
            words = {f"{group.scenario}/{delivery}": group.unsupported.words for delivery in group.deliveries}
            found.setdefault(group.provider, {}).update(words)
    return found


def _cells(document: Document, cases: Mapping[str, Cases]) -> dict[str, dict[str, Outcome]]:
    """By provider the worst outcome of each rule that examined something, and the rules that could not be played."""
    found: dict[str, dict[str, Outcome]] = {}
    for cell in document["cells"]:
        told = [one[cell["rule"]] for one in cases.get(cell["provider"], {}).values() if cell["rule"] in one]
        if told or cell["outcome"] == "unsupported":
            found.setdefault(cell["provider"], {})[cell["rule"]] = worst(told) if told else "unsupported"
    return found


def _standing(
    document: Document, lacks: Mapping[str, Mapping[str, str]], *, any_judged: bool
) -> tuple[ReleaseStanding, str]:
    """Whether anything was judged; else what stood most often against it."""
    if any_judged:
        return "played", ""
    met = [one for adapter in document["adapters"] for one in adapter.get("obstacles", ())]
    if met:
        most = max(met, key=lambda one: (not one["cases"], one["cases"]))
        assert most["kind"] in HEADS
        return most["kind"], most["error"]
    words = Counter(why for by_case in lacks.values() for why in by_case.values())
    [(why, _)] = words.most_common(1) or [("", 0)]
    return ("misfit" if why.startswith(HEADS["misfit"]) else "lacking"), why.removeprefix(f"{HEADS['misfit']}: ")


def _not_judged(release: Release, standing: ReleaseStanding, why: str) -> PlayedRelease:
    told = ADDRESS.sub("…", " ".join(why.split()))  # which index somebody uses is their own affair
    return PlayedRelease(ReleaseRecord(release.version, release.uploaded, standing, told))
