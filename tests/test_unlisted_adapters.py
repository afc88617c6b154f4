"""Adapters that are broken in ways no rule was written for: those that were told once are told in the same case."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from unlisted_adapters import UNLISTED, is_held_out

from conformance.engine.cases import Group

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools" / "pages")]

import broken_adapters  # noqa: E402

RESULTS = json.loads(broken_adapters.DATA.read_text("utf-8"))
TOLD = {name: broken_adapters.Told(**told) for name, told in RESULTS.items() if told is not None}
HELD_OUT = {
    "CountsCallsFromZero", "ForgetsThePhase", "ForgetsWhatIsRequired", "KeepsTheLastMessages",
    "LeavesTheKindOfCallsOut", "ReadsTextsAsValues", "SpeaksAsTheSystem",
}  # fmt: skip


def test_the_third_is_the_one_that_was_chosen_before_the_first_run() -> None:
    assert {name for name in UNLISTED if is_held_out(name)} == HELD_OUT


def test_the_page_has_all_of_them() -> None:
    assert RESULTS.keys() == UNLISTED.keys()
    assert broken_adapters.REPORT.read_text("utf-8") == broken_adapters.page(RESULTS)


@pytest.mark.parametrize("name", TOLD)
def test_what_was_told_is_told(name: str) -> None:
    case = TOLD[name]
    group = Group(name, case.provider, case.scenario, (case.delivery,))
    assert set(case.rules) <= set(broken_adapters.broken_rules(name, group, case.profile, case.delivery))
