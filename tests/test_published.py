"""What is published in the repository is what the code makes."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance.adapters.libraries import LIBRARIES
from conformance.cli.report_command import programs_of
from conformance.documents import Document
from conformance.judgements import failed_cases, read_judgements
from conformance.judgements.checks import complaints
from conformance.judgements.classes import complaints_of_causes
from conformance.report.coverage import coverage
from conformance.report.html import folder_files
from conformance.report.markdown import markdown
from conformance.rules import catalogue
from conformance.schemas import schema

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "reports"
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "pages")]

import staleness  # noqa: E402
from libraries import ours  # noqa: E402
from publish import PARTS  # noqa: E402

PUBLISHED = ["reference", "reference-portable"]


def same_page(folder: Path, result: dict[str, Any]) -> None:
    """The published page is of this result: all of its files, and no others beside them."""
    made = dict(folder_files(result, programs_of(folder)))
    there = {f"data/{path.name}" for path in (folder / "data").iterdir()} | {"index.html"}
    assert there == made.keys()
    assert [name for name, text in made.items() if (folder / name).read_text("utf-8") != text] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_matrix_is_current_and_green(name: str) -> None:
    result = json.loads((REPORTS / name / "result.json").read_text("utf-8"))
    jsonschema.validate(result, schema("result"))
    assert result["run"]["exit_code"] == 0
    assert (REPORTS / name / "matrix.md").read_text("utf-8") == markdown(result)
    assert (REPORTS / name / "coverage.md").read_text("utf-8") == coverage(result)
    same_page(REPORTS / name, result)


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_rule_is_idle_by_mistake(name: str) -> None:
    """Every cell of the reference adapters passes, or the catalogue says why nothing can be seen there."""
    result = json.loads((REPORTS / name / "result.json").read_text("utf-8"))
    idle = [cell for cell in result["cells"] if cell["outcome"] != "pass"]
    unexplained = [(cell["provider"], cell["rule"]) for cell in idle if not cell.get("why")]
    assert unexplained == []
    assert {cell["outcome"] for cell in idle} <= {"not_applicable", "unsupported"}


def test_a_reason_for_being_idle_is_not_stale() -> None:
    """A rule that the catalogue calls unobservable is exercised in neither profile."""
    exercised = {
        (cell["provider"], cell["rule"])
        for name in PUBLISHED
        for cell in json.loads((REPORTS / name / "result.json").read_text("utf-8"))["cells"]
        if cell["outcome"] == "pass"
    }
    for rule in catalogue().values():
        for provider, why in rule.not_observed.items():
            if "native profile" not in why:
                assert (provider, rule.id) not in exercised, f"{rule.id} is observed on {provider} after all"


def test_the_published_selftest_is_without_problems() -> None:
    assert "; no problems**" in (REPORTS / "selftest.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PARTS if name != "schemas"])
def test_a_published_part_is_not_stale(name: str) -> None:
    """Cheap signs that it was made of something else than what there is now: nothing is run.

    The schemas are made anew by `test_schemas`, where the SDKs are those that they were made with.
    """
    assert PARTS[name].stale() == [], f"run python tools/publish.py {name}"


def test_a_page_of_another_set_of_rules_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = {rule: words for rule, words in catalogue().items() if rule != "common.result.no-orphan"}
    monkeypatch.setattr(staleness, "catalogue", lambda: fewer)
    for name in ("reference", "reference-portable", "selftest", "libraries"):
        assert any("common.result.no-orphan" in line for line in PARTS[name].stale()), name


def test_a_rule_that_came_later_makes_no_published_run_of_libraries_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    """It accuses nobody, and waits for the next run. The reference adapters are run again at once."""
    old = catalogue()["common.result.no-orphan"]
    more = {**catalogue(), "common.result.later": dataclasses.replace(old, id="common.result.later")}
    monkeypatch.setattr(staleness, "catalogue", lambda: more)
    assert PARTS["libraries"].stale() == []
    assert any("common.result.later" in line for line in PARTS["libraries"].newer())
    assert any("common.result.later" in line for line in PARTS["reference"].stale())


def test_a_published_accusation_is_of_the_rules_words_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = {cell["rule"] for result in library_results() for cell in result["cells"] if cell["failures"]}
    accusing = catalogue()[min(failed)]
    other = {**catalogue(), accusing.id: dataclasses.replace(accusing, statement="Something else.")}
    monkeypatch.setattr(staleness, "catalogue", lambda: other)
    assert f"{accusing.id} says something else now" in PARTS["libraries"].stale()


def test_what_people_judged_stands_apart_from_what_is_generated() -> None:
    assert [path.name for path in REPORTS.rglob("*.yaml")] == []


LIBRARIES_REPORT = REPORTS / "libraries"
LIBRARIES_FOLDERS = (LIBRARIES_REPORT, LIBRARIES_REPORT / "portable")


def library_results() -> list[Document]:
    """The published results of libraries, in both profiles."""
    return [json.loads((folder / "result.json").read_text("utf-8")) for folder in LIBRARIES_FOLDERS]


@pytest.mark.slow
def test_nothing_published_was_raised_in_a_shim_of_ours() -> None:
    for result in library_results():
        assert list(ours(result, list(LIBRARIES))) == []


@pytest.mark.parametrize(
    ("file", "told"), [("conformance/adapters/libraries/openai_chat.py", 1), ("openai/_base_client.py", 0)]
)
def test_what_a_shim_of_ours_raised_is_a_complaint(file: str, told: int) -> None:
    failure = {"case": "shell.success/blocking", "found": "complete raised IndexError", "evidence": "e"}
    cells = [{"adapter": "openai", "failures": [failure]}]
    evidence = {"e": {"failure": {"traceback": f'Traceback:\n  File "{file}", line 1, in ask\nIndexError'}}}
    assert len(list(ours({"cells": cells, "evidence": evidence}, ["openai"]))) == told


def test_every_failure_of_every_library_was_judged() -> None:
    """And every judgement is about a failure; a program that is linked is there."""
    results = library_results()
    every = {judged.adapter: judged for judged in read_judgements(ROOT / "judgements" / "libraries")}
    assert set(every) <= set(LIBRARIES)
    for result in results:
        jsonschema.validate(result, schema("result"))
        assert {adapter["id"] for adapter in result["adapters"]} == set(every)
    assert [line for judged in every.values() for line in complaints(judged, *results)] == []
    assert list(complaints_of_causes(list(every.values()), *results)) == []
    linked = re.findall(r"\((programs/[^)]+)\)", (LIBRARIES_REPORT / "findings.md").read_text("utf-8"))
    assert len(linked) > 50
    assert {LIBRARIES_REPORT / name for name in linked} == set((LIBRARIES_REPORT / "programs").glob("*/*.*"))


WORST_FIRST = ("rejected", "presumed", "lost", "degraded")


@pytest.mark.slow
def test_no_finding_about_a_library_is_worse_than_its_rules() -> None:
    """Whoever reads a finding reads no more than the rules that saw it say of that provider."""
    every = [cell for result in library_results() for cell in result["cells"] if cell["outcome"] != "pass"]
    cells = [(cell, failed_cases(cell)) for cell in every]
    worse = []
    for judged in read_judgements(ROOT / "judgements" / "libraries"):
        own = [(cell, cases) for cell, cases in cells if cell["adapter"] == judged.adapter]
        for finding in judged.findings:
            told = [cell["consequence"] for cell, cases in own if any(map(finding.explains, cases))]
            if told and WORST_FIRST.index(finding.consequence) < min(map(WORST_FIRST.index, told)):
                worse.append(f"{judged.adapter}/{finding.id} is {finding.consequence}; its rules say {set(told)}")
    assert worse == []


@pytest.mark.slow
@pytest.mark.parametrize("folder", LIBRARIES_FOLDERS, ids=lambda folder: folder.name)
def test_the_report_of_libraries_is_of_its_result(folder: Path) -> None:
    result = json.loads((folder / "result.json").read_text("utf-8"))
    assert (folder / "matrix.md").read_text("utf-8") == markdown(result)
    same_page(folder, result)


def test_nothing_that_is_published_names_a_machine() -> None:
    places = re.compile(rb"/(?:root|home|Users|work|tmp)/[\w.]")
    for path in sorted(LIBRARIES_REPORT.rglob("*.*")):
        assert places.search(path.read_bytes()) is None, path
