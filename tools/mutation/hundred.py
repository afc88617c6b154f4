"""The mutants that continuous integration plays: a fixed hundred of those that were killed, each on its own case."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mutation.judge import fails
from mutation.report import judged
from mutation.results import rank
from mutation.shadow import ROOT, Target

FILE = ROOT / "tools" / "mutation" / "hundred.json"
SIZE = 100


@dataclass(frozen=True, slots=True)
class Fixed:
    """A mutant as one line of a file that becomes another one, and the case that it fails."""

    path: str
    operator: str
    was: str
    becomes: str
    nth: int
    case: dict[str, Any]

    @property
    def source(self) -> str | None:
        """The mutated file; ``None`` where the line is gone."""
        lines = Target(self.path).source.split("\n")
        places = [number for number, line in enumerate(lines) if line.strip() == self.was]
        if self.nth >= len(places):
            return None
        place = places[self.nth]
        lines[place] = lines[place].replace(self.was, self.becomes)
        return "\n".join(lines)

    def is_killed(self) -> bool:
        """Whether its case still fails."""
        source = self.source
        return source is not None and fails(Target(self.path), source, self.operator, self.case)


def choose(targets: Sequence[Target]) -> None:
    """Write down the hundred: the first by hash of all that are killed by a failing case."""
    found = []
    for target in targets:
        lines = [line.strip() for line in target.source.split("\n")]
        for one in judged(target):
            if one.answer["outcome"] == "killed":
                mutant = one.mutant
                nth = lines[: mutant.line - 1].count(mutant.was)
                case = {name: one.answer[name] for name in ("provider", "scenario", "delivery", "profile")}
                fixed = [target.path, mutant.operator, mutant.was, mutant.becomes, nth, case]
                found.append((rank(target, mutant), fixed))
    chosen = [fixed for _, fixed in sorted(found)[:SIZE]]
    FILE.write_text("[\n" + ",\n".join(json.dumps(fixed) for fixed in chosen) + "\n]\n", "utf-8")


def hundred() -> list[Fixed]:
    """The fixed mutants."""
    return [Fixed(*fixed) for fixed in json.loads(FILE.read_text("utf-8"))]
