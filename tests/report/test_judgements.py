"""Judgements are checked from both sides, and every report shows them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from sample_results import sample

from conformance.cli import main
from conformance.judgements import (
    FailedCase,
    JudgementError,
    Pattern,
    failed_cases,
    read_causes,
    read_judgements,
)
from conformance.judgements.checks import complaints, with_judgements
from conformance.judgements.classes import Failures, classed, complaints_of_causes, derived_class
from conformance.outcomes import FAILURES
from conformance.report import summary
from conformance.report.explain_cell import cell_text, find_cell
from conformance.report.findings import findings
from conformance.report.html import page
from conformance.report.markdown import markdown
from conformance.result import as_text
from conformance.schemas import schema

WHOLE = "{rule: '*'}"
ISSUE = "https://example.org/issues/7"
THREAD = {"url": ISSUE, "state": "closed", "date": "2026-11-23"}
CLASS = {"title": "Numbers are rounded", "judgement": "fault", "consequence": "lost"}
WHY = {"why": "`parse` makes them *floats*."}
CAUSES = """\
causes:
  - id: doubles
    title: Numbers are rounded
    judgement: limit
    consequence: degraded
    why: Numbers are doubles.
"""


def judgements(folder: Path, *cells: str, version: str = "1.2.0", name: str = "alpha", **fields: object) -> Path:
    """A file of judgements with one finding."""
    told = {"id": "rounds-numbers", "issues": [THREAD], **(fields or CLASS | WHY)}
    body = "".join(f"    {key}: {value!r}\n" for key, value in told.items())
    patterns = "".join(f"      - {cell}\n" for cell in cells)
    text = f"version: {version!r}\nfindings:\n  -\n{body}    cells:\n{patterns}"
    path = folder / f"{name}.yaml"
    path.write_text(text, "utf-8")
    return path


def failures() -> list[FailedCase]:
    cells = [cell for cell in sample()["cells"] if cell["adapter"] == "alpha"]
    return [failed for cell in cells for failed in failed_cases(cell)]


def test_every_case_of_every_failing_cell_has_to_be_read() -> None:
    document = sample("alpha")
    for cell in document["cells"]:
        seen = {failed.case for failed in failed_cases(cell)}
        assert seen == (set(cell["failed_cases"]) if cell["outcome"] in FAILURES | {"warn"} else set())
    assert failures()


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ({}, True),
        ({"provider": ("gemini", "open*")}, True),
        ({"provider": ("gemini",)}, False),
        ({"rule": ("common.parse.*",), "case": ("arguments.*/stream:*",)}, True),
        ({"rule": ("common.parse.*",), "case": ("arguments.*/blocking",)}, False),
    ],
)
def test_a_pattern_matches_in_every_field(pattern: dict[str, Any], matches: bool) -> None:
    failed = FailedCase("openai-chat", "common.parse.args-types-preserved", "arguments.floats/stream:whole")
    assert Pattern(**pattern).matches(failed) is matches


@pytest.mark.parametrize(
    ("cells", "version", "complaint"),
    [
        ([WHOLE], "1.2.0", None),
        ([WHOLE], "1.1.0", "judged was 1.1.0, but the result is about 1.2.0"),
        ([WHOLE, "{case: 'shell.*'}"], "1.2.0", "rounds-numbers explains no failure (case shell.*)"),
        (["{case: 'arguments.big_integers/*'}"], "1.2.0", "not judged: "),
    ],
)
def test_judgements_are_held_against_the_result(
    tmp_path: Path, cells: list[str], version: str, complaint: str | None
) -> None:
    (judged,) = read_judgements(judgements(tmp_path, *cells, version=version))
    found = list(complaints(judged, sample()))
    assert bool(found) is (complaint is not None)
    assert complaint is None or complaint in found[0]


def lightened(document: dict[str, Any]) -> dict[str, Any]:
    """The result, as if only hosts that deviate from the provider made all of its failures."""
    cells = [{**cell, "lightened_cases": cell.get("failed_cases", [])} for cell in document["cells"]]
    return {**document, "cells": cells}


@pytest.mark.parametrize(
    ("own", "others", "complaint"),
    [
        ("fault", True, "leave it out"),
        ("limit", True, "leave it out"),
        (None, True, None),
        ("fault", False, None),
        (None, False, "names no class"),
    ],
)
def test_what_only_other_hosts_show_is_an_oddity_and_nobody_types_another_class(
    tmp_path: Path, own: str | None, others: bool, complaint: str | None
) -> None:
    document = lightened(sample("alpha")) if others else sample("alpha")
    told = {name: value for name, value in (CLASS | WHY | {"judgement": own}).items() if value is not None}
    every = read_judgements(judgements(tmp_path, WHOLE, **told))
    found = [line for judged in every for line in complaints(judged, document)]
    assert [complaint in line for line in found] == ([True] if complaint else [])
    shown = {item.judgement for judged in classed(every, document) for item in judged.findings}
    assert shown == {own or ("oddity" if others else None)}


@pytest.mark.parametrize("kind", ["judgements", "causes"])
def test_an_oddity_is_never_typed(kind: str) -> None:
    """Whose doing a case is, scenarios and cards say with their evidence."""
    [items] = [value for name, value in schema(kind)["properties"].items() if name in ("findings", "causes")]
    assert items["items"]["properties"]["judgement"]["enum"] == ["fault", "limit"]


@pytest.mark.parametrize(
    ("case", "follows"),
    [
        ("arguments.trailing_text/blocking", "oddity"),
        ("errors.length_in_arguments/blocking", "oddity"),
        ("errors.length_in_arguments/stream:per-event", None),
        ("quirks.unknown_fields/blocking", None),
        ("no.such_scenario/blocking", None),
    ],
)
def test_whose_doing_a_case_is_the_scenarios_of_today_say(case: str, follows: str | None) -> None:
    """A result was made when less was known, or by a run that took all for the provider's own."""
    cell = {"adapter": "alpha", "provider": "anthropic", "rule": "common.adapter.completes", "outcome": "fail"}
    document = {"cells": [{**cell, "failures": [], "failed_cases": [case]}]}
    failures = Failures.of("alpha", [document])
    assert derived_class(failures.all, failures.light) == follows


PREFERENCE = FailedCase("anthropic", "common.history.only-extended", "multi_turn.follow_up/blocking")
REFUSED = FailedCase("anthropic", "anthropic.result.references-tool-use-id", "shell.success/blocking")


@pytest.mark.parametrize(
    ("failed", "light", "follows"),
    [
        ([PREFERENCE], [], "limit"),
        ([PREFERENCE, REFUSED], [], None),
        ([PREFERENCE, REFUSED], [REFUSED], "limit"),
        ([PREFERENCE, REFUSED], [PREFERENCE, REFUSED], "oddity"),
        ([FailedCase("anthropic", "common.gone.rule", "a.b/blocking")], [], None),
        ([], [], None),
    ],
)
def test_a_class_follows_from_the_cases(failed: list[FailedCase], light: list[FailedCase], follows: str | None) -> None:
    assert derived_class(failed, light) == follows


@pytest.mark.parametrize(
    ("own", "others", "complaint"),
    [("fault", True, "leave it out"), ("fault", False, None), (None, True, None), (None, False, "names no class")],
)
def test_the_class_of_a_cause_follows_from_its_cases_too(
    tmp_path: Path, own: str | None, others: bool, complaint: str | None
) -> None:
    document = lightened(sample("alpha")) if others else sample("alpha")
    cause = {name: value for name, value in (CLASS | {"judgement": own}).items() if value is not None}
    (tmp_path / "causes.yaml").write_text(json.dumps({"causes": [{"id": "rounded", "why": "So it is.", **cause}]}))
    every = read_judgements(judgements(tmp_path, WHOLE, cause="rounded"))
    assert [complaint in line for line in map(str, complaints_of_causes(every, document))] == [True] * bool(complaint)
    [finding] = classed(every, document)[0].findings
    assert finding.cause is not None
    assert finding.judgement == finding.cause.judgement == (own or ("oddity" if others else None))


def test_the_class_of_a_cause_follows_from_all_its_findings(tmp_path: Path) -> None:
    """One adapter fails it on other hosts alone, another at the provider, too: they do the same, so it is one class."""
    cell = {"provider": PREFERENCE.provider, "rule": PREFERENCE.rule, "outcome": "warn", "failures": []}
    elsewhere, itself = {"failed_cases": ["quirks.finish_stop/blocking"]}, {"failed_cases": [PREFERENCE.case]}
    document = {"cells": [{**cell, "adapter": "alpha", **elsewhere}, {**cell, "adapter": "beta", **itself}]}
    (tmp_path / "causes.yaml").write_text(CAUSES.replace("    judgement: limit\n", ""), "utf-8")
    for name in ("alpha", "beta"):
        judgements(tmp_path, WHOLE, name=name, cause="doubles")
    every = read_judgements(tmp_path)
    assert list(complaints_of_causes(every, document)) == []
    assert [judged.findings[0].judgement for judged in classed(every, document)] == ["limit", "limit"]


@pytest.mark.parametrize(("own", "shown"), [("limit", "limit"), ("fault", "fail")])
def test_a_cell_in_which_somebody_found_no_fault_is_not_red(tmp_path: Path, own: str, shown: str) -> None:
    every = read_judgements(judgements(tmp_path, WHOLE, **CLASS | WHY | {"judgement": own}))
    cells = with_judgements(sample("alpha"), every)["cells"]
    assert {summary.shown(cell) for cell in cells if cell["outcome"] == "fail" and "flag" not in cell} == {shown}


def test_judgements_of_an_adapter_that_is_not_there_are_a_complaint(tmp_path: Path) -> None:
    (judged,) = read_judgements(judgements(tmp_path, WHOLE, name="gamma"))
    assert list(complaints(judged, sample())) == ["judgements of gamma: the result has no such adapter"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("findings: []", "version"),
        ("version: '1'\nfindings: [{}]", "id"),
        ("version: '1'\nfindings: [", "not YAML"),
        ("version: '1'\nfindings: []\nmore: 1", "more"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "alpha.yaml").write_text(text, "utf-8")
    with pytest.raises(JudgementError, match=words) as raised:
        read_judgements(tmp_path)
    assert "\n" not in str(raised.value)


def test_a_finding_stands_once_in_a_file(tmp_path: Path) -> None:
    path = judgements(tmp_path, WHOLE)
    text = path.read_text("utf-8")
    path.write_text(text + text.partition("findings:\n")[2], "utf-8")
    with pytest.raises(JudgementError, match="two findings are called rounds-numbers"):
        read_judgements(path)


def test_a_judged_result_is_still_a_result(tmp_path: Path) -> None:
    document = with_judgements(sample(), read_judgements(judgements(tmp_path, WHOLE)))
    jsonschema.validate(document, schema("result"))
    for cell in document["cells"]:
        assert ("judged" in cell) is (cell["adapter"] == "alpha" and bool(failed_cases(cell)))


def test_every_report_tells_what_was_judged(tmp_path: Path) -> None:
    every = read_judgements(judgements(tmp_path, WHOLE))
    document = with_judgements(sample(), every)
    assert f"- judged: **lost**, fault: Numbers are rounded ({ISSUE}, closed on 2026-11-23)" in markdown(document)
    cell = find_cell(document, "alpha/openai-chat/common.parse.integers-above-2-53", tmp_path)
    assert "judged       Numbers are rounded (lost, fault)" in cell_text(document, cell, 100)
    assert f"{ISSUE} (closed, 2026-11-23)" in cell_text(document, cell, 100)
    assert "Numbers are rounded" in page(document)
    text = findings(document, every, {("alpha", "rounds-numbers"): "programs/alpha/rounds-numbers.py"})
    assert "**lost**, *fault*. `parse` makes them \\*floats\\*." in text
    assert "[rounds-numbers.py](programs/alpha/rounds-numbers.py)" in text
    assert f"- issue: {ISSUE} (closed, 2026-11-23)" in text


def test_what_adapters_share_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "causes.yaml").write_text(CAUSES, "utf-8")
    judgements(tmp_path, WHOLE, cause="doubles", why="Here by `parse`.")
    judgements(tmp_path, WHOLE, name="beta", cause="doubles")
    every = read_judgements(tmp_path)
    assert [judged.adapter for judged in every] == ["alpha", "beta"]
    assert {(one.title, one.judgement, one.consequence) for judged in every for one in judged.findings} == {
        ("Numbers are rounded", "limit", "degraded")
    }
    document = with_judgements(sample(), every)
    jsonschema.validate(document, schema("result"))
    (told,) = next(cell["judged"] for cell in document["cells"] if "judged" in cell)
    assert (told["cause"], told["why"]) == ("doubles", "Numbers are doubles. Here by `parse`.")
    text = findings(document, every, {})
    assert text.count("Numbers are doubles.") == 1
    assert text.count("### Numbers are rounded") == 1
    assert text.count("[Numbers are rounded](#cause-doubles)") == 2
    assert "2 findings of 2 adapters with 1 cause" in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"cause": "triples"}, "causes.yaml has no cause triples"),
        ({"cause": "doubles", "judgement": "fault"}, "judgement"),
        ({"cause": "doubles", "consequence": "lost"}, "consequence"),
        ({"cause": "doubles", "title": "Numbers are wrong"}, "title"),
        (CLASS, "why"),
    ],
)
def test_a_finding_has_the_class_of_its_cause_and_none_of_its_own(
    tmp_path: Path, fields: dict[str, str], words: str
) -> None:
    (tmp_path / "causes.yaml").write_text(CAUSES, "utf-8")
    with pytest.raises(JudgementError, match=words):
        read_judgements(judgements(tmp_path, WHOLE, **fields))


def test_a_cause_that_one_adapter_has_is_told_with_it(tmp_path: Path) -> None:
    (tmp_path / "causes.yaml").write_text(CAUSES, "utf-8")
    every = read_judgements(judgements(tmp_path, WHOLE, cause="doubles"))
    assert "## What several do" not in (text := findings(sample(), every, {}))
    assert "**degraded**, *limit*. Numbers are doubles." in text


JUDGED = Path(__file__).resolve().parents[2] / "judgements" / "libraries"


def test_one_cause_of_public_libraries_is_one_finding_with_one_class() -> None:
    """Who does the same as another names its cause: no two causes, and no two findings without one, have one title."""
    causes = read_causes(JUDGED / "causes.yaml")
    own = [(judged.adapter, one) for judged in read_judgements(JUDGED) for one in judged.findings]
    users = Counter(one.cause.id for _, one in own if one.cause is not None)
    assert set(users) == set(causes)
    assert [name for name, number in users.items() if number < 2] == []
    titles = Counter([one.title for _, one in own if one.cause is None] + [one.title for one in causes.values()])
    assert [title for title, number in titles.items() if number > 1] == []


def test_one_thread_has_one_state() -> None:
    states: dict[str, set[str]] = {}
    for judged in read_judgements(JUDGED):
        for thread in (thread for one in judged.findings for thread in one.all_issues):
            states.setdefault(thread.url, set()).add(thread.state)
    assert [url for url, said in states.items() if len(said) > 1] == []


@pytest.mark.parametrize(("cells", "code"), [([WHOLE], 0), (["{case: 'arguments.floats/*'}"], 1)])
def test_the_command_says_what_nobody_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cells: list[str], code: int
) -> None:
    result, out = tmp_path / "result.json", tmp_path / "out"
    result.write_text(as_text(sample("alpha")), "utf-8")
    path = judgements(tmp_path, *cells)
    assert main(["report", str(result), "--judgements", str(path), "--out", str(out)]) == code
    assert (out / "findings.md").exists()
    assert ("not judged" in capsys.readouterr().err) is bool(code)


def test_files_that_are_not_there_are_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = tmp_path / "result.json"
    result.write_text(as_text(sample("alpha")), "utf-8")
    words = ["report", str(result), "--out", str(tmp_path / "out"), "--judgements"]
    assert main([*words, str(tmp_path / "nothing.yaml")]) == 2
    assert main([*words, str(tmp_path / "out")]) == 2
    assert "No such file" in capsys.readouterr().err
