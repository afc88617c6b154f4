"""What records of releases say: since when, where it turned, and what they do not say."""

from __future__ import annotations

import pytest

from conformance.history.record import ReleaseRecord, ReleaseStanding
from conformance.history.turns import PackageChange, Since, TurningPoint, package_changes, since, turns
from conformance.outcomes import FAILURES, Outcome, worst

RULE, PLACE = "common.parse.text-kept", "ollama"


def record(version: str, cases: dict[str, Outcome] | None, standing: ReleaseStanding = "played") -> ReleaseRecord:
    if cases is None:
        return ReleaseRecord(version, "2026-01-01", "misfit" if standing == "played" else standing)
    told = {case: {RULE: outcome} for case, outcome in cases.items()}
    cells = {PLACE: {RULE: worst(cases.values())}} if cases else {}
    return ReleaseRecord(version, "2026-01-01", standing, cells=cells, cases={PLACE: told})


def history(*releases: dict[str, Outcome] | None) -> list[ReleaseRecord]:
    return [record(str(number), cases) for number, cases in enumerate(releases)]


@pytest.mark.parametrize(
    ("releases", "told"),
    [
        ([{"a": "pass"}, {"a": "fail"}], [("broke", "0", "1", ("a",), ())]),
        ([{"a": "error"}, {"a": "pass"}], [("mended", "0", "1", ("a",), ())]),
        ([{"a": "pass"}, {"a": "warn"}], [("broke", "0", "1", ("a",), ())]),
        ([{"a": "pass"}, {"a": "pass"}], []),
        ([{"a": "pass"}, {"a": "pass", "b": "fail"}], []),  # seen for the first time
        ([{"a": "pass"}, None, {"a": "fail"}], [("broke", "0", "2", ("a",), ("1",))]),
        ([{"a": "pass"}, {"b": "pass"}, {"a": "fail"}], [("broke", "0", "2", ("a",), ("1",))]),
        ([{"a": "pass"}, {"a": "harness_error"}, {"a": "pass"}], []),  # ours
        (
            [{"a": "pass", "b": "fail"}, {"a": "fail", "b": "pass"}],
            [("broke", "0", "1", ("a",), ()), ("mended", "0", "1", ("b",), ())],
        ),
    ],
)
def test_turns(releases: list[dict[str, Outcome] | None], told: list[tuple[object, ...]]) -> None:
    found = turns(history(*releases))
    assert [(one.kind, one.before, one.after, one.cases, one.between) for one in found] == told


def test_the_newest_turn_comes_first() -> None:
    found = turns(history({"a": "pass"}, {"a": "fail"}, {"a": "pass"}))
    assert [(one.after, one.was, one.now) for one in found] == [("2", "fail", "pass"), ("1", "pass", "fail")]
    assert isinstance(found[0], TurningPoint)


@pytest.mark.parametrize(
    ("releases", "told"),
    [
        ([{"a": "pass"}, {"a": "fail"}, {"a": "fail"}], Since("fail", "1", "pass", False)),
        ([{"a": "fail"}, {"a": "fail"}], Since("fail", "0", None, True)),
        ([None, {"a": "fail"}], Since("fail", "1", None, True)),
        ([{"a": "fail"}, None, {"a": "pass"}, None], Since("pass", "2", "fail", False)),
        ([{}, {"a": "pass"}], Since("pass", "1", "not_applicable", False)),
    ],
)
def test_since_when(releases: list[dict[str, Outcome] | None], told: Since) -> None:
    assert since(history(*releases), PLACE, RULE) == told


def test_every_failure_is_a_breach_but_the_harness_own() -> None:
    cases: dict[str, Outcome] = {str(outcome): outcome for outcome in sorted(FAILURES)}
    assert set(record("1", cases).ranks(PLACE, RULE)) == FAILURES - {"harness_error"}


def test_what_else_changed_may_be_the_reason() -> None:
    before = ReleaseRecord("1", "", "played", packages={"lib": "1", "httpx": "0.27", "gone": "3"})
    after = ReleaseRecord("2", "", "played", packages={"lib": "2", "httpx": "0.28", "new": "4"})
    assert package_changes(before, after, "lib") == [
        PackageChange("gone", "3", ""), PackageChange("httpx", "0.27", "0.28"), PackageChange("new", "", "4"),
    ]  # fmt: skip
