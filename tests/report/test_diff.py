"""What changed between two results."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from sample_results import Document, sample

from conformance.cli import main
from conformance.report.diff import DiffError, diff_lines, diff_markdown, difference
from conformance.result import as_text
from conformance.schemas import schema

PLACE = ("alpha", "openai-chat", "common.parse.integers-above-2-53")


def cell_of(document: Document, place: tuple[str, str, str] = PLACE) -> Document:
    """One cell."""
    cells: list[Document] = document["cells"]
    return next(cell for cell in cells if (cell["adapter"], cell["provider"], cell["rule"]) == place)


def changed(outcome: str, failed: list[str]) -> Document:
    """The sample with this outcome in one cell."""
    document = copy.deepcopy(sample("alpha"))
    cell = cell_of(document)
    cell["outcome"] = outcome
    cell["failed_cases"] = failed
    return document


def kinds(found: Document) -> set[str]:
    return {kind for kind in ("regressions", "fixes", "unseen", "seen") if found[kind]}


def test_a_result_does_not_differ_from_itself() -> None:
    found = difference(sample(), sample())
    jsonschema.validate(found, schema("diff"))
    assert kinds(found) == set()
    assert found["only_before"] == found["only_after"] == []
    examined = [cell for cell in sample()["cells"] if cell["outcome"] not in ("unsupported", "not_applicable")]
    assert found["compared"] == len(examined) < len(sample()["cells"])


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (("pass", []), ("fail", ["a/blocking"]), "regressions"),
        (("pass", []), ("warn", ["a/blocking"]), "regressions"),
        (("warn", ["a/blocking"]), ("crash", ["a/blocking"]), "regressions"),
        (("fail", ["a/blocking"]), ("fail", ["a/blocking", "b/blocking"]), "regressions"),
        (("fail", ["a/blocking"]), ("fail", ["b/blocking"]), "regressions"),
        (("not_applicable", []), ("timeout", ["a/blocking"]), "regressions"),
        (("fail", ["a/blocking"]), ("pass", []), "fixes"),
        (("error", ["a/blocking"]), ("warn", ["a/blocking"]), "fixes"),
        (("fail", ["a/blocking", "b/blocking"]), ("fail", ["b/blocking"]), "fixes"),
        (("pass", []), ("unsupported", []), "unseen"),
        (("unsupported", []), ("pass", []), "seen"),
        (("unsupported", []), ("not_applicable", []), None),
        (("fail", ["a/blocking"]), ("timeout", ["a/blocking"]), None),
    ],
)
def test_what_became_of_a_cell(before: tuple[str, list[str]], after: tuple[str, list[str]], kind: str | None) -> None:
    found = difference(changed(*before), changed(*after))
    jsonschema.validate(found, schema("diff"))
    assert kinds(found) == ({kind} if kind else set())
    if kind:
        (change,) = found[kind]
        assert (change["adapter"], change["provider"], change["rule"]) == PLACE
        assert set(change.get("failing", [])) == set(after[1]) - set(before[1])
        assert set(change.get("passing", [])) == set(before[1]) - set(after[1])


def test_rules_and_columns_of_one_result_are_told_once() -> None:
    before, after = sample(), sample("alpha")
    gone = PLACE[2]
    after["cells"] = [cell for cell in after["cells"] if cell["rule"] != gone]
    found = difference(before, after)
    names = [(item["what"], item["name"]) for item in found["only_before"]]
    assert ("rule", gone) in names
    assert any(what == "column" and name.startswith("beta on ") for what, name in names)
    assert len(names) == len(set(names))
    assert kinds(found) == set()
    back = difference(after, before)
    assert back["only_after"] == found["only_before"]


def test_results_of_two_profiles_are_refused() -> None:
    other = sample()
    other["run"]["profile"] = "native"
    with pytest.raises(DiffError, match="portable and native"):
        difference(sample(), other)


def test_it_reads_as_text_and_as_markdown() -> None:
    found = difference(changed("pass", []), changed("fail", ["a/blocking", "b/x", "c/x", "d/x", "e/x"]))
    text = "\n".join(diff_lines(found))
    line = "alpha on openai-chat: common.parse.integers-above-2-53: pass → fail; "
    assert f"Regressions\n  {line}fails now: a/blocking, b/x, c/x and 2 more" in text
    assert text.splitlines()[-1].startswith("1 regression, 0 fixes — ")
    markdown = diff_markdown(found)
    assert "### Regressions\n\n- alpha on openai-chat" in markdown


@pytest.mark.parametrize(("after", "code"), [("pass", 0), ("fail", 1)])
def test_the_command(after: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, outcome in zip(paths, ("pass", after), strict=True):
        path.write_text(as_text(changed(outcome, [])), "utf-8")
    words = ["diff", *map(str, paths)]
    assert main([*words, "--format", "json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, schema("diff"))
    assert main(words) == main([*words, "--format", "markdown"]) == code
    paths[1].write_text(as_text(sample("beta")), "utf-8")
    assert main(words) == 4
    assert "nothing was compared" in capsys.readouterr().out
    assert main(["diff", str(paths[0]), str(tmp_path / "none.json")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_cells_in_which_nothing_was_examined_are_no_comparison(tmp_path: Path) -> None:
    """Both results have the cells, and one of them looked at nothing: that is no proof that nothing is worse."""
    empty = sample("alpha")
    for cell in empty["cells"]:
        cell["outcome"], cell["failed_cases"] = "not_applicable", []
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, document in zip(paths, (sample("alpha"), empty), strict=True):
        path.write_text(as_text(document), "utf-8")
    assert main(["diff", *map(str, paths)]) == 4
    assert main(["diff", *map(str, reversed(paths))]) in (1, 4), "what fails where nothing was seen before is worse"
