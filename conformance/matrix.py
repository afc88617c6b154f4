"""From cases to cells: (adapter, provider, rule), the worst outcome over its cases."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.adapters.libraries.ways import split_way
from conformance.capabilities import Lack
from conformance.causes.book import Breach, CauseBook
from conformance.engine.blame import CONTRACT_RULE
from conformance.engine.cases import Group, Selection, judges
from conformance.engine.evidence import evidence_id
from conformance.engine.halts import Halt
from conformance.engine.pool import AdapterProbe, CaseEvent, HarnessFailure, LostCase
from conformance.engine.report import CaseReport, Failure, RuleReport
from conformance.environments.finding import with_version
from conformance.masking.door import Mask
from conformance.obstacles import HEADS, ObstacleKind
from conformance.outcomes import FAILURES, Outcome, worst
from conformance.rules import Rule, catalogue
from conformance.scenarios.outlines import Outline
from conformance.wires import card

MAX_EVIDENCE = 200_000_000
"""About how many characters of evidence a run keeps. After that, failures have the command that repeats them."""

MAX_FAILURES = 10
"""How many failures of a cell are kept with their evidence. All are counted, and all their cases are named."""

MAX_CAUSES = 40
"""How many are kept where more of them are the first of their cause."""


@dataclass(slots=True)
class CaseFailure:
    """A failure, and the case that it happened in."""

    case: str
    failure: Failure
    cause: str = ""
    """The id of its cause."""
    way: str = ""
    """The way into the library, where it is not the usual one."""


@dataclass(slots=True)
class Cell:
    """One cell. ``cases`` counts outcomes, ``failed`` names every case that did not pass."""

    adapter: str
    provider: str
    rule: Rule
    outcome: Outcome = "not_applicable"
    cases: Counter[Outcome] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    failures: list[CaseFailure] = field(default_factory=list)
    why: str | None = None
    """Why the cell is ``not_applicable``."""
    lack: Lack | None = None
    """Why the cell is ``unsupported``."""
    words: set[str] = field(default_factory=set)
    """What its findings are in a word each."""
    seconds: float = 0.0
    """Its part of the time that its cases took: each case is shared by the rules that it exercised."""
    lightened: list[str] = field(default_factory=list)
    """The cases whose findings are a warning at most, because only others than the provider itself do this."""
    flag: str | None = None
    """``expected_fail`` or ``unexpected_pass``, from the baseline."""
    ways: dict[str, Outcome] = field(default_factory=dict)
    """The worst outcome of each way into the library that comes to something else than the usual one."""

    def enter(self, case: str, report: RuleReport, causes: Sequence[tuple[str, bool]], way: str = "") -> None:
        """Count one case. ``causes`` are those of its failures, and whether each is new to the cell."""
        self.cases[report.outcome] += 1
        self.outcome = worst((self.outcome, report.outcome))
        if report.outcome in FAILURES or report.outcome == "warn":
            self.failed.append(case)
        if report.lightened:
            self.lightened.append(case)
        self.words |= report.words
        room = min(2, MAX_FAILURES - len(self.failures))
        for place, (failure, (cause, is_new)) in enumerate(zip(report.failures, causes, strict=True)):
            if place < room or (is_new and len(self.failures) < MAX_CAUSES):
                self.failures.append(CaseFailure(case, failure, cause, way))

    @property
    def word(self) -> str | None:
        """What all its findings are: ``buffered``, or ``oddity``. ``None`` where some are something else."""
        return next(iter(self.words)) or None if len(self.words) == 1 else None

    @property
    def fails(self) -> bool:
        """Whether the cell makes the run fail, baseline aside."""
        return self.outcome in FAILURES


@dataclass(slots=True)
class WayBook:
    """What came of cases by other ways than the usual one. A failure is held back until the usual one's are known."""

    held: list[tuple[Cell, CaseReport, RuleReport]] = field(default_factory=list)
    fails: set[tuple[int, str]] = field(default_factory=set)
    _passed: dict[tuple[int, str], set[str]] = field(default_factory=dict)

    def passes(self, cell: Cell, way: str, case: str) -> None:
        """Note that a way passes in a case."""
        self._passed.setdefault((id(cell), way), set()).add(case)

    def better(self, cells: Iterable[Cell]) -> Iterator[tuple[Cell, str]]:
        """The cells in which a way passes all that it plays, and the usual one fails in some of that."""
        every = {id(cell): cell for cell in cells}
        for (key, way), cases in self._passed.items():
            if (key, way) not in self.fails and cases & set(every[key].failed):
                yield every[key], way


def _breach(cell: Cell, case: str, failure: Failure, entry: RuleReport) -> Breach:
    return Breach(
        cell.adapter, cell.provider, cell.rule.id, case, failure.at, failure.expected, failure.found,
        failure.document, failure.evidence, entry.lightened,
    )  # fmt: skip


def _raised(report: CaseReport, failure: Failure) -> Mapping[str, Any] | None:
    told: Mapping[str, Any] | None = report.evidence.get(failure.evidence, {}).get("failure")
    return told


@dataclass
class Matrix:
    """All cells of a run, and the evidence of their failures."""

    adapters: list[AdapterProbe]
    scenarios: Mapping[str, Outline]
    selection: Selection
    cells: dict[tuple[str, str, str], Cell] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)
    _shown: int = 0
    finished: int = 0
    unsupported: int = 0
    exercised: dict[tuple[str, str, str], set[str]] = field(default_factory=dict)
    """The scenarios that exercised each cell."""
    seconds: float = 0.0
    adapter_seconds: float = 0.0
    mask: Mask = field(default_factory=Mask)
    """Knows what is secret: what one case gave away is removed from all of the result."""
    obstacles: dict[str, Counter[Lack]] = field(default_factory=dict)
    """By address, what adapters met that is no fault of theirs, and in how many cases."""
    played: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By address and provider, how many cases were judged."""
    book: CauseBook = field(default_factory=CauseBook)
    """Why cases failed."""
    ways: WayBook = field(default_factory=WayBook)
    """What came of cases by other ways into a library than the usual one."""

    def __post_init__(self) -> None:
        self._versions = {probed.address: probed.info.version for probed in self.adapters}
        for probed in sorted(self.adapters, key=lambda one: bool(split_way(one.address)[1])):
            address = split_way(probed.address)[0]
            for provider in probed.info.claims(self.selection.providers):
                for rule in catalogue().values():
                    if judges(rule, self.selection) and rule.is_played_in(provider, self.selection.profile):
                        own = card(provider).provider
                        why = rule.why_idle(own, self.selection.profile)
                        cell = Cell(probed.info.name, provider, rule, why=why)
                        self.cells.setdefault((address, provider, rule.id), cell)

    def report(self, event: CaseEvent) -> CaseReport:
        """The report of a case, also where none came back."""
        match event:
            case LostCase():
                outcome: Outcome = "timeout" if event.kind == "timeout" else "crash"
                shown = {"message": event.message, "output": event.output}
                return self._lost(event.group, event.delivery, outcome, shown)
            case HarnessFailure():
                return self._lost(event.group, event.delivery, "harness_error", {"message": event.message})
            case CaseReport(halt=Halt() as halt):
                group = Group(event.address, event.provider, event.scenario, (event.delivery,))
                shown = {"message": f"{halt.error}: {halt.words}"}
                return replace(self._lost(group, event.delivery, "harness_error", shown), halt=halt)
        return event

    def hindered(self) -> dict[str, ObstacleKind]:
        """The adapters of which nothing could be played, and what stood against it most often."""
        found: dict[str, ObstacleKind] = {}
        for probed in self.adapters:
            kinds, own = Counter[Any](), split_way(probed.address)[0]
            for lack, count in self.obstacles.get(own, Counter[Lack]()).items():
                kinds[lack.kind] += count
            if probed.obstacle is not None:
                found[probed.address] = probed.obstacle.kind
            elif kinds and not any(address == own for address, _ in self.played):
                found[own] = kinds.most_common(1)[0][0]
        return found

    def enter(self, report: CaseReport) -> bool:
        """Count what one case came to. Says whether anything in it failed."""
        self.mask.learn(report.learned)
        if report.unsupported:
            self._unsupported(report)
            return False
        address, way = split_way(report.address)
        self.finished += 1
        self.played[address, report.provider] += 1
        self.seconds += report.seconds
        self.adapter_seconds += report.adapter_seconds
        for rule_id, entry in report.rules.items():
            cell = self.cells.get((address, report.provider, rule_id))
            if cell is None:
                continue
            cell.seconds += report.seconds / len(report.rules)
            self.exercised.setdefault((address, report.provider, rule_id), set()).add(report.scenario)
            if way and (entry.failures or entry.outcome != "pass"):
                self.ways.held.append((cell, report, entry))
            else:
                self._enter(cell, report, entry)
        return any(entry.outcome in FAILURES for entry in report.rules.values())

    def _enter(self, cell: Cell, report: CaseReport, entry: RuleReport) -> None:
        way = split_way(report.address)[1]
        if way and entry.outcome == "pass":
            self.ways.passes(cell, way, report.name)
        case = f"{report.name}@{way}" if way else report.name
        found = [self._cause(cell, case, report, entry, item) for item in entry.failures]
        cell.enter(case, entry, found, way)
        self._keep_evidence(report, entry, cell)

    def _cause(
        self, cell: Cell, case: str, report: CaseReport, entry: RuleReport, failure: Failure
    ) -> tuple[str, bool]:
        return self.book.enter(_breach(cell, case, failure, entry), _raised(report, failure))

    def settle(self) -> None:
        """Enter what failed by other ways than the usual one, where the usual one does not fail for the same cause."""
        known = self.book.seen()
        for cell, report, entry in sorted(self.ways.held, key=lambda item: (item[1].address, item[1].name)):
            way = split_way(report.address)[1]
            names = [
                self.book.name_of(_breach(cell, report.name, one, entry), _raised(report, one))
                for one in entry.failures
            ]
            failures = [
                one
                for one, name in zip(entry.failures, names, strict=True)
                if (name, cell.adapter, cell.provider, cell.rule.id) not in known
            ]
            if failures or not entry.failures:
                self._enter(cell, report, replace(entry, failures=failures))
                cell.ways[way] = worst((cell.ways.get(way, "pass"), entry.outcome))
            self.ways.fails.add((id(cell), way))
        self.ways.held.clear()
        for cell, way in self.ways.better(self.cells.values()):
            cell.ways[way] = "pass"

    def _keep_evidence(self, report: CaseReport, entry: RuleReport, cell: Cell) -> None:
        kept = {item.failure.evidence for item in cell.failures}
        for failure in entry.failures:
            if failure.evidence in kept and failure.evidence not in self.evidence:
                version = self._versions.get(report.address, "")
                reproduce = repeating_command(report, cell.rule.id, self.selection, version)
                self.evidence[failure.evidence] = {**self._fitting(report, failure.evidence), "reproduce": reproduce}

    def _fitting(self, report: CaseReport, name: str) -> Mapping[str, Any]:
        """A failure's evidence, as long as there is room: an adapter may send too much in all that it sends."""
        shown: Mapping[str, Any] = report.evidence[name]
        self._shown += len(repr(shown))
        return shown if self._shown <= MAX_EVIDENCE else {}

    def _unsupported(self, report: CaseReport) -> None:
        self.unsupported += 1
        assert report.unsupported is not None
        if report.unsupported.kind in HEADS:
            self.obstacles.setdefault(split_way(report.address)[0], Counter())[report.unsupported] += 1
        for rule_id in self.scenarios[report.scenario].rules:
            cell = self.cells.get((report.address, report.provider, rule_id))  # another way says nothing of a cell
            if cell is not None:
                cell.cases["unsupported"] += 1
                cell.outcome = worst((cell.outcome, "unsupported"))
                cell.lack = report.unsupported

    def _lost(self, group: Group, delivery: str, outcome: Outcome, shown: dict[str, str]) -> CaseReport:
        """The report of a case that never came back: what the scenario is for takes the blame."""
        report = CaseReport(group.address, group.provider, group.scenario, delivery, lost=shown["message"])
        for rule_id in (CONTRACT_RULE, *self.scenarios[group.scenario].rules):
            name = evidence_id([report.address, report.provider, report.name, 0, rule_id])
            report.evidence[name] = {"failure": shown}
            failure = Failure("", "an answer of the adapter", report.lost, "turn", name)
            report.rules[rule_id] = RuleReport(outcome, 1, [failure])
        return report


def repeating_command(report: CaseReport, rule: str, selection: Selection, version: str = "") -> str:
    """The command that repeats one case of the version that was judged, and judges it by one rule."""
    address = with_version(report.address, version)
    words = ["conformance", "run", address, *selection.answering.words(report.provider)]
    words += ["--provider", report.provider, "--scenario", report.scenario]
    words += ["--delivery", report.delivery, "--rule", rule]
    if selection.profile != "native":
        words += ["--profile", selection.profile]
    if selection.root is not None:
        words += ["--scenarios", str(selection.root)]
    if selection.generated == "all":
        words += ["--generated", "all"]
    if selection.seed is not None:
        words += ["--seed", str(selection.seed)]
    if selection.tolerance:
        words.append("--tolerance")
    return shlex.join(words)


def outcome_counts(cells: Iterable[Cell]) -> dict[str, int]:
    """How many cells have each outcome, the worst first."""
    counts = Counter(cell.outcome for cell in cells)
    return {outcome: counts[outcome] for outcome in sorted(counts, key=_order)}


def _order(outcome: Outcome) -> int:
    from conformance.outcomes import ORDER

    return ORDER.index(outcome)
