"""Requirement sets: what is frozen, what errata take away, and what a run of a set plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.engine.cases import Selection, outlines_of, selected_rules
from conformance.rules import find_rule
from conformance.schemas import problems
from conformance.sets import HERE, Erratum, Requirements, errata, hashes, requirement_set, set_names, with_errata

NAME = "2026-11"
MADE = Requirements("2026-01", "2026-01-31", "0.1.0", ("a.b.one", "a.b.two"), {"x.one": "1", "x.two": "2"})
SAID = {"date": "2026-02-01", "reason": "it accused somebody who does as documented", "link": "https://example.com"}


@pytest.mark.parametrize("name", set_names())
def test_a_set_is_small_and_all_of_it_is_known_or_withdrawn(name: str) -> None:
    path = HERE / f"{name}.json"
    assert path.stat().st_size < 300_000
    assert list(problems("set", json.loads(path.read_text("utf-8")))) == []
    withdrawn = {item.rule for item in errata()}
    assert [rule for rule in requirement_set(name).rules if find_rule(rule) is None and rule not in withdrawn] == []


def test_an_erratum_names_what_a_set_has() -> None:
    rules = {rule for name in set_names() for rule in requirement_set(name).rules}
    scenarios = {scenario for name in set_names() for scenario in requirement_set(name).scenarios}
    assert [item.id for item in errata() if item.rule not in rules and item.scenario not in scenarios] == []


ONE, TWO = MADE.rules
BOTH = {"x.one": "1", "x.two": "2"}


@pytest.mark.parametrize(
    ("known", "now", "rules", "scenarios", "changed", "applied"),
    [
        ((), {**BOTH, "x.new": "3"}, {ONE, TWO}, {"x.one", "x.two"}, (), ()),
        ((), {**BOTH, "x.two": "9"}, {ONE, TWO}, {"x.one"}, ("x.two",), ()),
        ((), {"x.one": "1"}, {ONE, TWO}, {"x.one"}, ("x.two",), ()),
        ((Erratum("e", **SAID, rule=TWO),), BOTH, {ONE}, {"x.one", "x.two"}, (), ("e",)),
        ((Erratum("e", **SAID, scenario="x.two"),), {"x.one": "1"}, {ONE, TWO}, {"x.one"}, (), ("e",)),
        (
            (Erratum("e", **SAID, scenario="x.two", mended="9"),), {**BOTH, "x.two": "9"},
            {ONE, TWO}, {"x.one", "x.two"}, (), ("e",),
        ),
        ((Erratum("e", **SAID, rule="of.another.set"),), BOTH, {ONE, TWO}, {"x.one", "x.two"}, (), ()),
    ],
)  # fmt: skip
def test_what_is_left_of_a_set(
    known: tuple[Erratum, ...], now: dict[str, str], rules: set[str], scenarios: set[str],
    changed: tuple[str, ...], applied: tuple[str, ...],
) -> None:  # fmt: skip
    left = with_errata(MADE, known, now)
    assert (left.rules, left.scenarios, left.changed, left.errata) == (rules, scenarios, changed, applied)


@pytest.mark.parametrize(
    ("entry", "is_right"),
    [
        ({"rule": "a.b.c"}, True),
        ({"scenario": "a.b", "mended": "0" * 32}, True),
        ({}, False),
        ({"rule": "a.b.c", "scenario": "a.b"}, False),
        ({"rule": "a.b.c", "mended": "0" * 32}, False),
        ({"rule": "a.b.c", "reason": "because"}, False),
        ({"rule": "a.b.c", "link": "http://example.com"}, False),
    ],
)
def test_an_erratum_says_who_was_accused_and_why_that_was_wrong(entry: dict[str, str], is_right: bool) -> None:
    document = {"errata": [{"id": "erratum-1", **SAID, **entry}]}
    assert (list(problems("errata", document)) == []) is is_right


@pytest.mark.slow
def test_a_selection_of_a_set_holds_no_more_than_the_set() -> None:
    selection, one = Selection(requirement_set=NAME), requirement_set(NAME)
    assert {rule.id for rule in selected_rules(selection)} <= {find_rule(name).id for name in one.rules}  # type: ignore[union-attr]
    assert set(outlines_of(selection)) == {name for name, mark in one.scenarios.items() if hashes().get(name) == mark}


def test_a_run_says_which_set_it_played(tmp_path: Path) -> None:
    words = ["--provider", "ollama", "--scenario", "shell.success", "--delivery", "blocking", "--format", "json"]
    out = tmp_path / "result.json"
    assert main(["run", "--set", NAME, *words, "-j", "1", "--out", str(out)]) == 0
    document = json.loads(out.read_text())
    assert list(problems("result", document)) == []
    assert (document["run"]["set"]["name"], document["run"]["set"]["errata"]) == (NAME, [])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--set", "2026-12"], "there is no set '2026-12'; did you mean '2026-11'?"),
        (["--set", NAME, "--scenarios", "."], f"--set {NAME} plays what it holds: leave out --scenarios"),
        (["--set", NAME, "--generated", "all"], "leave out --generated"),
        (["--set", NAME, "--seed", "7"], "leave out --seed"),
    ],
)
def test_wrong_usage_is_one_clear_line(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *words]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1
