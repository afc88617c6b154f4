"""A large result is read, merged and written with its evidence on disk, and says the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sample_results import hostile, sample

from conformance import result
from conformance.cli import main
from conformance.older_results import completed
from conformance.report.html import folder_files, page
from conformance.report.merge import merged_results
from conformance.result import ResultError, as_text, open_result, read_result, text_pieces


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result, "LARGE", 0)


def written(tmp_path: Path, document: dict[str, Any], name: str = "result.json") -> Path:
    path = tmp_path / name
    path.write_text(as_text(completed(document)), "utf-8")
    return path


@pytest.mark.parametrize("document", [sample(), hostile(sample())], ids=["usual", "hostile"])
def test_it_says_the_same(tmp_path: Path, document: dict[str, Any]) -> None:
    path = written(tmp_path, document)
    opened, read = open_result(path), read_result(path)
    assert not isinstance(opened["evidence"], dict)
    assert {**opened, "evidence": dict(opened["evidence"])} == read
    assert page(opened) == page(read)
    assert list(folder_files(opened)) == list(folder_files(read))
    assert "".join(text_pieces(opened)) == "".join(text_pieces(read))


@pytest.mark.parametrize("evidence", [{}, sample()["evidence"]])
def test_a_result_in_pieces_is_the_result(evidence: dict[str, Any]) -> None:
    document = {**sample(), "evidence": evidence}
    assert "".join(text_pieces(document)) == as_text(document)


@pytest.mark.parametrize("version", ["1.2.0", "1.3.0"])
def test_two_of_them_stand_beside_each_other(tmp_path: Path, version: str) -> None:
    other = sample("alpha")
    other["adapters"][0]["version"] = version
    paths = [written(tmp_path, sample("alpha"), "one.json"), written(tmp_path, other, "two.json")]
    both = ([read(path) for path in paths] for read in (open_result, read_result))
    on_disk, in_memory = (merged_results(documents, beside=True) for documents in both)
    assert {**on_disk, "evidence": dict(on_disk["evidence"])} == in_memory
    assert "nothing" not in on_disk["evidence"]
    assert page(on_disk) == page(in_memory)


def test_a_folder_may_report_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, sample())
    assert main(["report", str(path), "--out", str(tmp_path)]) == 0
    again = path.read_text("utf-8")
    assert main(["report", str(path), "--out", str(tmp_path)]) == 0
    assert path.read_text("utf-8") == again


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"causes": [], "evidence": {"a": {}}}', "/evidence/a"),
        ('{"causes": [], "evidence": {}}', "not a result"),
        ('{"evidence": {"a": ', "cut short"),
        ("[]", "cut short"),
    ],
)
def test_what_is_no_result_is_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "result.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ResultError, match=complaint) as raised:
        open_result(path)
    assert "\n" not in str(raised.value)
