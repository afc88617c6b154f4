"""Adapters that are broken in ways no rule was written for: those that were told once are told in the same case."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from every import of_every
from unlisted_adapters import UNLISTED, is_held_out
from unlisted_again_answers import AGAIN

from conformance.engine.cases import Group
from conformance.outcomes import FAILURES

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools" / "pages")]

import broken_adapters  # noqa: E402

RESULTS = json.loads(broken_adapters.DATA.read_text("utf-8"))
TOLD = {name: broken_adapters.Told(**told) for name, told in RESULTS.items() if told is not None}
HELD_OUT = {
    "CountsCallsFromZero", "ForgetsThePhase", "ForgetsWhatIsRequired", "KeepsTheLastMessages",
    "LeavesTheKindOfCallsOut", "ReadsTextsAsValues", "SpeaksAsTheSystem",
}  # fmt: skip
HELD_OUT_AGAIN = {
    "BelievesTheReason", "CountsBooleans", "CountsTheOpening", "CutsResults", "EndsAtDoneAnywhere", "EvaluatesEscapes",
    "FillsDefaultsIn", "JoinsNames", "LeavesTypesOut", "NeverRetries", "NoCallsBesideText", "PrintsTheError",
    "ReadsNoRefusal", "RepairsArguments", "SaysPlainText", "SendsTheLastPart", "SortsArguments",
    "TakesTheFirstAlternative", "TellsThoughts", "WaitsInMilliseconds",
}  # fmt: skip


def test_the_third_is_the_one_that_was_chosen_before_the_first_run() -> None:
    assert {name for name in UNLISTED if is_held_out(name)} == HELD_OUT
    assert {name for name in AGAIN if is_held_out(name, AGAIN)} == HELD_OUT_AGAIN


def test_the_page_has_all_of_them() -> None:
    assert RESULTS.keys() == UNLISTED.keys() | AGAIN.keys()
    assert broken_adapters.REPORT.read_text("utf-8") == broken_adapters.page(RESULTS)


@pytest.mark.parametrize("name", [name for name in TOLD if name in UNLISTED])
def test_what_was_told_is_told(name: str) -> None:
    _check_told(name)


@pytest.mark.slow
@of_every({name: (name,) for name in TOLD if name in AGAIN})
def test_what_was_told_of_the_second_series_is_told(name: str) -> None:
    _check_told(name)


def _check_told(name: str) -> None:
    case = TOLD[name]
    group = Group(name, case.provider, case.scenario, (case.delivery,))
    broken = broken_adapters.broken_rules(name, group, case.profile, case.delivery)
    assert set(case.rules) <= broken.keys()
    assert case.warned is FAILURES.isdisjoint(broken.values())
