"""A result, packed for the page: what the first view needs, and pieces that are loaded when somebody asks for them.

Names stand once, and numbers instead of them, so that thousands of cells stay small. Values of requests, responses and
findings are packed as JSON *text*: a browser would round large integers and print ``20.0`` as ``20``, and that may be
the very difference that a failure is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from conformance.documents import Document
from conformance.outcomes import FAILURES
from conformance.report import causes, summary
from conformance.report.badge import slug
from conformance.report.needs import NEEDS, able, fault, needs_of, tried
from conformance.report.packed_evidence import EvidenceChunks, json_text
from conformance.report.sentences import sentence
from conformance.report.summary import JUDGED

FLAGS = ("expected_fail", "unexpected_pass", "buffered", "limit", "oddity")
LEVELS = ("must", "should", "may")
CODES = "abcdefghijklmnopqrstuvwxyz"
"""A letter for each way a cell is shown, in the order of `summary.GLYPHS`."""
ABSENT = "-"
"""Where a rule is not about a provider."""


class Program(NamedTuple):
    """A program that shows a finding, and what it printed when somebody ran it, if anybody did."""

    text: str
    output: str = ""


Programs = Mapping[tuple[str, str], Program]
"""Programs that show findings, by adapter and finding."""


class Pool:
    """Things by number, each kept once."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._numbers: dict[Any, int] = {}
        for item in items:
            self.number(item)

    def number(self, item: Any) -> int:
        """The number of ``item``, a new one if it has none."""
        return self._numbers.setdefault(item, len(self._numbers))

    def items(self) -> list[Any]:
        """The things in the order of their numbers."""
        return list(self._numbers)


class PackedResult:
    """One result, and the numbers that all its pieces share."""

    def __init__(self, document: Document, programs: Programs | None = None) -> None:
        self.document = document
        self.programs = programs or {}
        self.outcomes = Pool(summary.GLYPHS)
        self.rules = Pool(rule["id"] for rule in document["rules"])
        self.columns = Pool(summary.columns(document))
        self.providers = Pool(provider for _, provider in self.columns.items())
        self.adapters = Pool(adapter["id"] for adapter in document["adapters"])
        self._by_rule = summary.rules_by_id(document)

    # --- the first view ----------------------------------------------------------------------------------------------

    def core(self) -> Document:
        """What the first view needs: who passes what, and why not, in numbers."""
        document = self.document
        stages = Pool(rule["stage"] for rule in document["rules"])
        worst = self._worst()
        return {
            "run": _run(document),
            "outcomes": [_outcome(name) for name in self.outcomes.items()],
            "consequences": summary.CONSEQUENCES,
            "needs": list(NEEDS),
            "adapters": [_adapter(adapter) for adapter in document["adapters"]],
            "providers": self.providers.items(),
            "stages": stages.items(),
            "about": {
                name: [*map(self.rules.number, rules)] for name, rules in summary.rules_beside_stages(document).items()
            },
            "rules": [
                [rule["id"], LEVELS.index(rule["level"]), worst[rule["id"]], stages.number(rule["stage"])]
                for rule in document["rules"]
            ],
            "columns": list(self._columns()),
            "first": causes.first_to_mend(document),
        }

    def _worst(self) -> dict[str, int]:
        """What breaking each rule does in the worst of its cells, by number."""
        found: dict[str, list[Document]] = {name: [] for name in self.rules.items()}
        for cell in self.document["cells"]:
            found[cell["rule"]].append(cell)
        order = list(summary.CONSEQUENCES)
        return {name: order.index(summary.consequence(self._by_rule[name], cells)) for name, cells in found.items()}

    def _columns(self) -> Iterator[list[Any]]:
        """Adapter, provider, a letter for each rule, what it can do, what was tried, faults, what becomes of users."""
        names = {adapter["id"]: adapter for adapter in self.document["adapters"]}
        cells: dict[tuple[str, str], list[Document]] = {place: [] for place in self.columns.items()}
        for cell in self.document["cells"]:
            cells[cell["adapter"], cell["provider"]].append(cell)
        for (adapter, provider), own in cells.items():
            letters = [ABSENT] * len(self.document["rules"])
            faults = []
            for cell in own:
                rule, outcome = self.rules.number(cell["rule"]), self.outcomes.number(summary.shown(cell))
                letters[rule] = CODES[outcome]
                if found := fault(cell, rule, outcome, self._by_rule[cell["rule"]]["consequence"]):
                    faults.append(found)
            standing, told = sentence(self.document, adapter, provider)
            place = [self.adapters.number(adapter), self.providers.number(provider)]
            can = [able(names[adapter], provider), tried(own)]
            yield [*place, "".join(letters), *can, faults, standing, summary.plain(told)]

    # --- pieces ------------------------------------------------------------------------------------------------------

    def chunks(self) -> Iterator[tuple[str, Any]]:
        """The pieces by name: rules, scenarios, and of each adapter its evidence (``e0``) and its cells (``a0``)."""
        yield "rules", [_rule(rule) for rule in self.document["rules"]]
        yield "scenarios", self._scenarios()
        own: dict[str, list[Document]] = {name: [] for name in self.adapters.items()}
        for cell in self.document["cells"]:
            own[cell["adapter"]].append(cell)
        evidence = EvidenceChunks(self.document["evidence"])
        for number, (adapter, cells) in enumerate(own.items()):
            yield from evidence.of(failure["evidence"] for cell in cells for failure in cell["failures"])
            yield f"a{number}", self._details(adapter, cells, evidence)
        yield from evidence.rest()

    def _scenarios(self) -> Document:
        """Every scenario that is named, what it is about, and the cells in which cases of it failed: how many, and how
        many of those make the library fail."""
        failing: dict[str, dict[tuple[int, int], list[int]]] = {}
        for cell in self.document["cells"]:
            place = (self.columns.number((cell["adapter"], cell["provider"])), self.rules.number(cell["rule"]))
            for name in cell.get("scenarios", ()):
                failing.setdefault(name, {})
            light = set(cell.get("lightened_cases", ()))
            hard = summary.shown(cell) in FAILURES
            for case in cell.get("failed_cases", ()):
                counts = failing.setdefault(case.partition("/")[0], {}).setdefault(place, [0, 0])
                counts[0] += 1
                counts[1] += hard and case not in light
        told = {name: [[*place, *counts] for place, counts in places.items()] for name, places in failing.items()}
        return {"names": list(told), "needs": [needs_of(name) for name in told], "failing": list(told.values())}

    def _details(self, adapter: str, cells: list[Document], evidence: EvidenceChunks) -> Document:
        """Everything about the cells of an adapter, but for their evidence."""
        names, sets = Pool(), Pool()
        packed = []
        for cell in cells:
            counts = [number for name, count in cell["cases"].items() for number in (self.outcomes.number(name), count)]
            exercised = sets.number(tuple(names.number(name) for name in cell.get("scenarios", ())))
            place = [self.columns.number((adapter, cell["provider"])), self.rules.number(cell["rule"])]
            packed.append([*place, self.outcomes.number(cell["outcome"]), counts, exercised,
                           *_more(cell, names, evidence)])  # fmt: skip
        return {
            "cells": packed,
            "findings": list(self._findings(adapter, cells)),
            "causes": list(self._causes(adapter)),
            "names": names.items(),
            "sets": sets.items(),
        }

    def _findings(self, adapter: str, cells: list[Document]) -> Iterator[Document]:
        """What somebody found who read the failures, each with its cells and its program. The worst come first."""
        places: dict[str, list[list[int]]] = {}
        told: dict[str, Document] = {}
        for cell in cells:
            for finding in cell.get("judged", ()):
                told.setdefault(finding["id"], finding)
                place = [self.columns.number((adapter, cell["provider"])), self.rules.number(cell["rule"])]
                places.setdefault(finding["id"], []).append(place)
        for name in sorted(told, key=lambda name: _weight(told[name])):
            program = self.programs.get((adapter, name))
            shown = {"program": program.text} if program else {}
            printed = {"output": program.output} if program and program.output else {}
            yield {**told[name], "cells": places[name], **shown, **printed}

    def _causes(self, adapter: str) -> Iterator[Document]:
        """The causes of failures, in their order, as they are told."""
        document = self.document
        for cause in causes.causes_of(document):
            if cause["adapter"] != adapter:
                continue
            such = cause["such_as"]
            told: Document = {
                "standing": cause["standing"],
                "title": causes.title(document, cause),
                "weight": causes.gravity(document, cause),
                "on": self.columns.number((adapter, such["provider"])),
                "rule": self.rules.number(such["rule"]),
                "facts": list(causes.facts(document, cause)),
                "blocks": list(causes.blocks(document, cause)),
            }
            if cause["kind"] == "difference":
                told["statement"] = causes.rule_of(document, cause)["statement"]
            yield told


def _weight(finding: Document) -> tuple[int, int]:
    kinds = ("fault", "limit", "oddity")
    kind = kinds.index(finding["judgement"]) if finding["judgement"] in kinds else len(kinds)
    harms = list(summary.CONSEQUENCES)
    return kind, harms.index(finding["consequence"]) if finding["consequence"] in harms else len(harms)


def _run(document: Document) -> Document:
    run, suite = document["run"], document["suite"]
    return {
        "conclusion": summary.conclusion(document),
        "conforms": run["exit_code"] == 0,
        "effort": summary.effort(document),
        "started": run["started"],
        "command": run["command"],
        "interrupted": run["interrupted"],
        "baseline": run.get("baseline", []),
        "notes": [*summary.answered_by(document), *summary.obstacles(document)],
        "suite": f"suite {suite['version']}, {suite['rules']} rules, {suite['scenarios']} scenarios",
    }


def _outcome(name: str) -> Document:
    """How an outcome looks, and how it counts: ``pass``, ``warn``, ``fail``, ``oddity``, ``expected`` or ``none``."""
    kinds = {"expected_fail": "expected", "oddity": "oddity"} | dict.fromkeys(
        ("unexpected_pass", "buffered", "limit"), "warn"
    )
    kind = "fail" if name in FAILURES else kinds.get(name, name)
    return {
        "id": name,
        "glyph": summary.GLYPHS[name],
        "words": summary.words(name),
        "explained": summary.explained(name),
        "kind": kind if name in JUDGED or name in FLAGS else "none",
    }


def _adapter(adapter: Document) -> Document:
    names = ("id", "version", "kind", "language", "homepage", "issues")
    told = {name: str(adapter[name]) for name in names if adapter.get(name)}
    version = told.get("version", "")
    name = summary.titled(adapter).removesuffix(f" {version}")
    return told | {"name": name, "badge": slug(adapter["id"])}


def _rule(rule: Document) -> Document:
    names = ("side", "profile", "since", "statement")
    return {name: str(rule[name]) for name in names if rule.get(name)} | {"source": rule["source"]}


def _more(cell: Document, names: Pool, evidence: EvidenceChunks) -> Iterator[Document]:
    """What only cells that do not simply pass have."""
    details: Document = {name: cell[name] for name in ("why", "consequence") if cell.get(name)}
    if cell["outcome"] == "pass":
        details.pop("consequence", None)
    if judged := cell.get("judged"):
        details["judged"] = [finding["id"] for finding in judged]
    for key, name in (("failed_cases", "failed"), ("lightened_cases", "light")):
        if cases := cell.get(key):
            details[name] = [names.number(case) for case in cases]
    if failures := cell["failures"]:
        details["failures"] = [
            {
                "case": names.number(failure["case"]),
                "at": failure["at"],
                "in": failure["in"],
                "expected": json_text(failure.get("expected")),
                "found": json_text(failure.get("found")),
                "evidence": evidence.place(failure["evidence"]),
            }
            for failure in failures
        ]
    if details:
        yield details
