"""What failed in scenarios that no file has, made smaller and written to files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from conformance.documents import Document
from conformance.engine.cases import Selection
from conformance.files.scratch import scratch
from conformance.generated.building import Builder
from conformance.generated.catalogue import made_up_rows
from conformance.generated.factors import Row
from conformance.generated.smaller import smallest
from conformance.model import ImagePart
from conformance.scenario_files import write_scenario
from conformance.scenarios import GENERATED, Scenario, Shelf, generated_names

MOST = 20
"""How many failures are made smaller."""


@dataclass(frozen=True)
class FoundScenario:
    """A scenario file that shows a failure, and the command that plays it."""

    path: Path
    adapter: str
    rule: str
    provider: str

    @property
    def command(self) -> tuple[str, ...]:
        """The words of the command."""
        name = f"{self.path.parent.name}.{self.path.stem}"
        return ("conformance", "run", self.adapter, "--scenarios", str(self.path.parent.parent), "--scenario", name)


@dataclass(frozen=True)
class _Failure:
    """A rule that is broken in a scenario that no file has."""

    adapter: str
    provider: str
    rule: str
    scenario: str
    delivery: str


def found_scenarios(document: Document, selection: Selection, folder: Path) -> Iterator[FoundScenario]:
    """Write a small scenario for each rule that is broken only where no file shows it: ``folder/found/<rule>.yaml``.

    ``document`` is the result of a run with that ``selection``. Raises `OSError`, and `ScenarioError`.
    """
    rows = dict(made_up_rows(triples=selection.generated == "all", seed=selection.seed))
    images = tuple(Shelf.packaged().images.values())
    for failure in islice(_failures(document), MOST):
        row = smallest(rows[failure.scenario], lambda some, it=failure: _failing(it, some, images, selection))  # type: ignore[misc]
        name = re.sub(r"\W+", "_", f"{failure.rule}_{failure.provider}")
        path = folder / "found" / f"{name}.yaml"
        write_scenario(_scenario(row, name, failure, images), path)
        yield FoundScenario(path, failure.adapter, failure.rule, failure.provider)


def _failures(document: Document) -> Iterator[_Failure]:
    kept = set(generated_names())
    for cell in document["cells"]:
        cases = [item["case"].partition("/")[::2] for item in cell["failures"]]
        made_up = [case for case in cases if case[0].startswith(f"{GENERATED}.") and case[0] not in kept]
        if made_up and len(made_up) == len(cases):
            (scenario, delivery), evidence = made_up[0], document["evidence"][cell["failures"][0]["evidence"]]
            address = shlex.split(evidence["reproduce"])[2]
            name = scenario.partition(".")[2]
            yield _Failure(address, cell["provider"], cell["rule"], name, delivery.partition("@")[0].partition("#")[0])


def _failing(failure: _Failure, rows: Sequence[Row], images: tuple[ImagePart, ...], selection: Selection) -> list[bool]:
    """Which of the rows break the same rule."""
    from conformance.runner.entry import run

    with scratch() as folder:
        for number, row in enumerate(rows):
            name = f"row{number}"
            write_scenario(_scenario(row, name, failure, images), folder / "tried" / f"{name}.json")
        done = run(
            failure.adapter, providers=failure.provider, rules=failure.rule, scenario_folder=folder, jobs=1,
            deliveries=failure.delivery, profile=selection.profile,
        ).finish()  # fmt: skip
    broken = {item["case"].partition("/")[0] for cell in done.document["cells"] for item in cell["failures"]}
    return [f"tried.row{number}" in broken for number in range(len(rows))]


def _scenario(row: Row, name: str, failure: _Failure, images: tuple[ImagePart, ...]) -> Scenario:
    made = Builder({**row, "delivery": failure.delivery}, images).scenario(name)
    title = f"Made up: it breaks {failure.rule} on {failure.provider}"[:120]
    return replace(made, title=title, rules=(failure.rule,), providers=(failure.provider,), deliveries=None)
