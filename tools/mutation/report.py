"""reports/mutation.md: what became of the mutants of each file, every survivor, and which rules kill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from mutation.mutants import Mutant
from mutation.results import Mutated, Results, mutants_kept
from mutation.shadow import ROOT

REPORT = ROOT / "reports" / "mutation.md"
JUDGEMENTS = ROOT / "judgements" / "mutation"

INTRODUCTION = """# Faults in real code

Made by `python tools/mutate_source.py`.

Each mutant is a file of real source with one small change: the operators of cosmic-ray, all of them but those that must
be told a variable. The scenarios are played with it in both profiles, by a judge whose own code is not mutated. It is
killed by the first case that fails and does not fail with the original. Not counted are changes of annotations, and the
same program twice. A mutant on a line that no scenario runs survives.

*Equivalent* ones are explained in `judgements/mutation`; *unloadable* ones raise when they are imported. The score is
killed ÷ (killed + survived). *Never run* are among the survivors, *by a warning* among the killed.
""".splitlines()

COLUMNS = (
    "file",
    "lines",
    "mutants",
    "killed",
    "by a warning",
    "survived",
    "never run",
    "equivalent",
    "unloadable",
    "not played",
    "score",
)

KILLED = frozenset({"killed", "warned", "timeout", "crash"})
"""A rule names it, or it never ends, or it ends the adapter's process."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutant and what became of it. ``why`` explains it where it is equivalent to the original."""

    mutant: Mutant
    answer: dict[str, Any]
    why: str | None

    @property
    def fate(self) -> str:
        """``killed``, ``unloadable``, ``equivalent``, ``survived``, ``not executed`` or ``not played``."""
        outcome = self.answer["outcome"]
        if outcome in KILLED:
            return "killed"
        if self.why is not None and outcome in ("survived", "not executed"):
            return "equivalent"
        return str(outcome)


def explained(path: str) -> dict[tuple[str, str], str]:
    """The equivalent mutants of a file, by their line before and after: why they are no fault."""
    found = {}
    for file in sorted(JUDGEMENTS.glob("*.yaml")):
        for entry in yaml.safe_load(file.read_text("utf-8")) or []:
            if entry["file"] == path:
                found |= dict.fromkeys(map(tuple, entry["mutants"]), entry["because"])
    return found


def judged(target: Mutated) -> list[Judged]:
    """All mutants of a file."""
    known, why = Results(target).known(), explained(target.path)
    missing = {"outcome": "not played"}
    return [
        Judged(mutant, known.get(mutant.key, missing), why.get((mutant.was, mutant.becomes)))
        for mutant in sorted(mutants_kept(target), key=lambda one: (one.line, one.operator, one.occurrence))
    ]


def write(wires: Sequence[Mutated], libraries: Sequence[Mutated]) -> None:
    """Write the report of what was played of some files. Those of libraries are named where they were played."""
    played = [file for file in libraries if Results(file).known()]
    REPORT.write_text("\n".join(_lines(_all(wires), _all(played))) + "\n", "utf-8")


def _all(targets: Sequence[Mutated]) -> dict[Mutated, list[Judged]]:
    return {target: judged(target) for target in targets}


def _lines(wires: dict[Mutated, list[Judged]], libraries: dict[Mutated, list[Judged]]) -> Iterator[str]:
    yield from INTRODUCTION
    yield from _table("The reference adapters", wires)
    yield from _table("Libraries", libraries)
    for found in (wires, libraries):
        yield from _survivors(found)
    yield from _killers([one for mutants in wires.values() for one in mutants])
    yield from _explanations(wires | libraries)


def _table(title: str, found: dict[Mutated, list[Judged]]) -> Iterator[str]:
    if not found:
        return
    yield from ("", f"## {title}", "")
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"| --- |{' --: |' * (len(COLUMNS) - 1)}"
    for target, mutants in found.items():
        yield _row(f"`{target.path}`", len(target.source.splitlines()), mutants)
    everything = [one for mutants in found.values() for one in mutants]
    yield _row("**all**", sum(len(target.source.splitlines()) for target in found), everything)


def _row(name: str, lines: int, mutants: Sequence[Judged]) -> str:
    fates = Counter(one.fate for one in mutants)
    warned = sum(one.answer["outcome"] == "warned" for one in mutants)
    idle, left = fates["not executed"], fates["not played"]
    survived = fates["survived"] + idle + fates["broken"]
    counted = fates["killed"] + survived
    score = f"{100 * fates['killed'] / counted:.1f}%" if counted else "–"
    known = (fates["killed"], warned, survived, idle, fates["equivalent"], fates["unloadable"], left)
    return f"| {name} | {' | '.join(map(str, (lines, len(mutants), *known)))} | {score} |"


def _survivors(found: dict[Mutated, list[Judged]]) -> Iterator[str]:
    for target, mutants in found.items():
        left = [one for one in mutants if one.fate in ("survived", "not executed", "broken")]
        if not left:
            continue
        yield ""
        yield f"### Survivors of `{target.path}`"
        yield ""
        yield "| line | becomes | instead of | |"
        yield "| --: | --- | --- | --- |"
        for one in left:
            yield f"| {one.mutant.line} | {_code(one.mutant.becomes)} | {_code(one.mutant.was)} | {_seen(one)} |"


def _seen(one: Judged) -> str:
    if one.fate != "survived":
        return one.fate
    groups = one.answer["groups"]
    return f"another behaviour in {groups} groups, as in {one.answer['example']}" if groups else "the same behaviour"


def _code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`" if text else "*(gone)*"


def _killers(mutants: Sequence[Judged]) -> Iterator[str]:
    rules = Counter(rule for one in mutants for rule in one.answer.get("rules", ()))
    yield ""
    yield "## Which rules kill"
    yield ""
    yield "Counted in the first case that fails, which may break several."
    yield ""
    yield "| rule | mutants |"
    yield "| --- | --: |"
    ordered = sorted(rules.items(), key=lambda item: (-item[1], item[0]))
    yield from (f"| `{rule}` | {number} |" for rule, number in ordered)


def _explanations(found: dict[Mutated, list[Judged]]) -> Iterator[str]:
    reasons: dict[tuple[str, str], list[Mutant]] = {}
    for target, mutants in found.items():
        for one in mutants:
            if one.fate == "equivalent":
                reasons.setdefault((target.path, str(one.why)), []).append(one.mutant)
    yield ""
    yield "## Equivalent mutants"
    yield ""
    for (path, why), mutants in reasons.items():
        yield f"- `{path}`: {why}"
        yield from (f"    - line {one.line}: {_code(one.becomes)} for {_code(one.was)}" for one in mutants)
