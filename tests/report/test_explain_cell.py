"""A cell explained, as text and as data, and the result that it is looked for in."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from one_failure import RULE, result
from test_writers import matches

from conformance.cli import main
from conformance.report.explain_cell import result_file


@pytest.fixture
def ollama(tmp_path: Path) -> Path:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result("ollama", "ollama", "parallel_calls.two_reads/blocking", 2)), "utf-8")
    return path


def test_a_cell_as_text(ollama: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ollama.parent)
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["explain", f"ollama/ollama/{RULE}"]) == 0
    matches("explain-cell.txt", capsys.readouterr().out)


def test_a_cell_as_data(ollama: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"ollama/ollama/{RULE}", "--result", str(ollama), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["outcome"] == "fail"
    assert document["failures"][0]["evidence"]["request"]["body"] == {"n": list(range(90))}


def reported(folder: Path, name: str, adapter: str, started: str, written: int) -> Path:
    """A result in ``reports``, of a run that ``started`` then; its file says that it was ``written`` then."""
    path = folder / "reports" / name / "result.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(result(adapter, "ollama", "shell.success/blocking", started=started)), "utf-8")
    os.utime(path, (written, written))
    return path


def test_of_the_reports_the_newest_run_of_the_adapter_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    reported(tmp_path, "older", "ollama", "2026-01-15T10:20:30Z", written=3)
    newer = reported(tmp_path, "newer", "ollama", "2026-02-15T10:20:30Z", written=1)
    newest = reported(tmp_path, "newest", "litellm", "2026-03-15T10:20:30Z", written=2)
    (tmp_path / "reports" / "odd").mkdir()
    (tmp_path / "reports" / "odd" / "result.json").write_text("[]", "utf-8")
    assert result_file(f"ollama/ollama/{RULE}").samefile(newer)
    assert result_file(f"litellm/ollama/{RULE}").samefile(newest)
    assert result_file(f"unknown/ollama/{RULE}").samefile(newest)
    assert main(["explain", f"ollama/ollama/{RULE}"]) == 0
    assert "Every result has its call." in capsys.readouterr().out


def test_a_result_at_hand_comes_first(ollama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ollama.parent)
    reported(ollama.parent, "newest", "ollama", "2027-01-15T10:20:30Z", written=1)
    assert result_file(f"ollama/ollama/{RULE}").samefile(ollama)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([f"olama/ollama/{RULE}"], "did you mean 'ollama'?"),
        ([f"ollama/olama/{RULE}"], "did you mean 'ollama'?"),
        (["ollama/ollama/common.result.no-orphans"], f"did you mean '{RULE}'?"),
        (["ollama/ollama"], "a cell is ADAPTER/PROVIDER/RULE"),
        ([f"ollama/ollama/{RULE}", "--result", "missing.json"], "No such file"),
        ([RULE, "--script"], "are for cells"),
    ],
)
def test_what_is_not_there_is_one_line(
    words: list[str],
    complaint: str,
    ollama: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ollama.parent)
    assert main(["explain", *words]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_without_any_result_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explain", f"ollama/ollama/{RULE}"]) == 2
    assert "name one with --result" in capsys.readouterr().err
