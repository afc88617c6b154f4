"""A rule that was renamed is found by its former ids, wherever a rule is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.engine.cases import Selection, scenarios_of, selected_rules
from conformance.judgements import FailedCase, Pattern
from conformance.report.diff import difference
from conformance.report.explain_cell import find_cell
from conformance.rules import catalogue, find_rule, is_called, names_of
from conformance.runner.selection import scenario_ids

OLD, NEW = "ourapi.result.tool-decision", "unified.result.tool-decision"
GATEWAY = [name for name, rule in catalogue().items() if name.startswith("unified.") and rule.since == "0.1.0"]
"""The rules that once had other ids: those that are newer never had."""

SCENARIO = """
title: a conversation of our own
rules: [ourapi.result.tool-decision]
steps:
- user: Hello
- model: {text: Hello}
"""


@pytest.mark.parametrize("name", GATEWAY)
def test_rules_of_the_gateway_keep_their_old_ids(name: str) -> None:
    rule = find_rule(name.replace("unified.", "ourapi.", 1))
    assert rule is not None
    assert rule.id == name


def test_no_former_id_is_the_id_of_another_rule() -> None:
    former = [alias for rule in catalogue().values() for alias in rule.aliases]
    assert len(set(former)) == len(former)
    assert not set(former) & set(catalogue())


def test_a_rule_has_all_its_names() -> None:
    assert names_of(OLD) == names_of(NEW) == (NEW, OLD)
    assert names_of("a.rule.of-yours") == ("a.rule.of-yours",)
    assert is_called(NEW, ["ourapi.result.*"])
    assert is_called(OLD, ["unified.*"])
    assert not is_called(NEW, ["ourapi.parse.*", "common.*"])


def test_selections_take_old_ids() -> None:
    assert [rule.id for rule in selected_rules(Selection(rules=("ourapi.*",)))] == GATEWAY


def test_judgements_take_old_ids_on_either_side() -> None:
    assert Pattern(rule=(OLD,)).matches(FailedCase("unified", NEW, "unified.reject/blocking"))
    assert Pattern(rule=(NEW,)).matches(FailedCase("unified", OLD, "unified.reject/blocking"))
    assert not Pattern(rule=(OLD,)).matches(FailedCase("unified", GATEWAY[0], "unified.reject/blocking"))


def test_own_scenarios_take_old_ids(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "hello.yaml").write_text(SCENARIO)
    assert list(scenario_ids(tmp_path)) == ["mine.hello"]
    assert scenarios_of(Selection(root=tmp_path))["mine.hello"].rules == (NEW,)


def test_a_rule_is_explained_by_its_old_id(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", OLD, "--format", "json"]) == 0
    explained = json.loads(capsys.readouterr().out)
    assert (explained["id"], explained["aliases"]) == (NEW, [OLD])


@pytest.mark.parametrize("wanted", [OLD, NEW])
@pytest.mark.parametrize("written", [OLD, NEW])
def test_cells_of_results_are_found_by_either_id(wanted: str, written: str) -> None:
    cell = {"adapter": "mine", "provider": "unified", "rule": written}
    assert find_cell({"cells": [cell]}, f"mine/unified/{wanted}", Path("result.json")) is cell


def test_results_are_compared_across_a_renaming() -> None:
    run = {"profile": "portable", "started": "2026-11-22T12:00:00Z", "command": ["conformance", "run"]}
    document = {"run": run, "suite": {"version": "0.1.0"}, "adapters": []}
    cell = {"adapter": "mine", "provider": "unified", "outcome": "pass"}
    before = {**document, "cells": [{**cell, "rule": OLD}]}
    failed = {"outcome": "fail", "failed_cases": ["unified.reject/blocking"]}
    after = {**document, "cells": [{**cell, "rule": NEW, **failed}]}
    found = difference(before, after)
    assert (found["compared"], found["only_before"], found["only_after"]) == (1, [], [])
    assert [change["rule"] for change in found["regressions"]] == [NEW]
