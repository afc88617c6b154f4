"""Baselines are checked from both sides."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from conformance.adapters.contract import AdapterInfo
from conformance.baseline import BaselineError, apply_baseline, read_baseline
from conformance.engine.cases import Selection
from conformance.engine.pool import AdapterProbe
from conformance.engine.report import CaseReport, Failure, RuleReport
from conformance.matrix import Matrix
from conformance.scenarios import load_scenarios

TODAY = datetime.date(2026, 11, 21)
RULE = "common.result.no-orphan"
OTHER = "common.result.exactly-one-per-call"


def matrix(**selection: tuple[str, ...]) -> Matrix:
    """A matrix in which RULE fails in two cases on openai-chat, and OTHER passes."""
    info = AdapterInfo("mine", {"openai-chat": {"blocking"}})
    made = Matrix([AdapterProbe("mine", info, "translator")], load_scenarios(), Selection(**selection))
    for delivery in ("blocking", "stream:whole"):
        report = CaseReport("mine", "openai-chat", "shell.success", delivery, evidence={"e": {}})
        failure = Failure("/messages/1", "an id", None, "request", "e")
        report.rules = {RULE: RuleReport("fail", 1, [failure]), OTHER: RuleReport("pass", 1)}
        made.enter(report)
    return made


def entries(folder: Path, *lines: str) -> Path:
    """A baseline file with one entry made of the given lines, and what every entry needs."""
    path = folder / "baseline.yaml"
    rest = {"reason": "known", "link": "https://example.org/1", "expires": "2027-01-31"}
    given = dict(line.split(": ", 1) for line in lines)
    body = "\n    ".join(f"{key}: {value}" for key, value in {**rest, **given}.items())
    path.write_text(f"expected_failures:\n  - {body}\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([f"rule: {RULE}"], None),
        (["rule: common.result.*"], None),
        ([f"rule: {RULE}", "case: shell.success/*"], None),
        ([f"rule: {RULE}", "provider: openai-chat", "adapter: mine"], None),
        ([f"rule: {RULE}", "case: shell.success/blokking"], "covers none of the failing cases; did you mean"),
        ([f"rule: {OTHER}"], "passes unexpectedly"),
        (["rule: common.result.no-orphans"], f"did you mean '{RULE}'?"),
        ([f"rule: {RULE}", "provider: openai-chad"], "did you mean 'openai-chat'?"),
        ([f"rule: {RULE}", "adapter: mina"], "did you mean 'mine'?"),
        (["rule: gemini.result.role-user", "provider: openai-chat"], "its rule does not apply to its provider"),
        (["rule: common.result.empty-result-sent"], "were not exercised"),
        ([f"rule: {RULE}", "expires: 2026-11-20"], "expired on 2026-11-20"),
    ],
)
def test_entries_are_held_to_what_they_say(tmp_path: Path, lines: list[str], complaint: str | None) -> None:
    complaints = apply_baseline(read_baseline(entries(tmp_path, *lines)), matrix(), TODAY)
    assert len(complaints) == (complaint is not None)
    assert complaint is None or complaint in complaints[0]


def test_a_cell_is_expected_to_fail_only_if_all_its_failing_cases_are(tmp_path: Path) -> None:
    made = matrix()
    assert not apply_baseline(read_baseline(entries(tmp_path, f"rule: {RULE}", "case: '*/blocking'")), made, TODAY)
    assert made.cells["mine", "openai-chat", RULE].flag is None
    assert not apply_baseline(read_baseline(entries(tmp_path, f"rule: {RULE}")), made, TODAY)
    assert made.cells["mine", "openai-chat", RULE].flag == "expected_fail"


def test_an_unexpected_pass_is_flagged(tmp_path: Path) -> None:
    made = matrix()
    apply_baseline(read_baseline(entries(tmp_path, f"rule: {OTHER}")), made, TODAY)
    assert made.cells["mine", "openai-chat", OTHER].flag == "unexpected_pass"


def test_what_a_run_leaves_out_is_not_stale(tmp_path: Path) -> None:
    path = entries(tmp_path, "rule: gemini.result.role-user", "provider: gemini")
    assert apply_baseline(read_baseline(path), matrix(providers=("openai-chat",)), TODAY) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("expected_failures: [", "not YAML"),
        ("[]", "is not of type"),
        ("expected_failures:\n  - {rule: x}", "reason"),
        ("expected_failures:\n  - {rule: x, reason: y, link: z, expires: 2027-01-01}", "/expected_failures/0/link"),
        ("expected_failures:\n  - {rule: x, reason: y, link: 'https://z', expires: 2027-02-31}", "must be a day"),
    ],
)
def test_a_broken_file_is_one_clear_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "baseline.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(BaselineError) as problem:
        read_baseline(path)
    assert words in str(problem.value)
    assert "\n" not in str(problem.value)
