"""Derived answers: what is made shows the forms it is for, says what the script says, and is as it would be made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.coverage.forms import forms_of
from conformance.coverage.walk import FormWalker
from conformance.derivation.bases import bases_of
from conformance.derivation.derive import derive
from conformance.derivation.files import answer_scenarios
from conformance.derivation.trial import AnswerTrial
from conformance.derivation.values import CoveringValues, place_in, recorded_values
from conformance.scenarios import Scenario, load_scenarios

SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "items": {"type": "array", "items": {"allOf": [
            {"if": {"properties": {"type": {"const": kind}}},
             "then": {"type": "object", "required": ["type"], "properties": {"type": {}, **more}}}
            for kind, more in {"x": {"n": {"type": "integer"}}, "y": {"s": {"type": "string"}}}.items()
        ]}},
    },
    "required": ["id"],
}  # fmt: skip

MADE = [scenario for name, scenario in load_scenarios().items() if name.startswith("answers.")]


def test_covering_values_have_every_form() -> None:
    values = CoveringValues({}).values(SCHEMA, "response")
    found = {each.form for value in values for each in FormWalker(SCHEMA).occurrences(value, "response")}
    assert forms_of(SCHEMA, "response") <= found


def test_only_what_is_allowed_is_made() -> None:
    allowed = {"response.id", "response.items", "response.items[type=x]"}
    assert CoveringValues({}, allowed=allowed).values(SCHEMA, "response")[0]["items"] == [{"type": "x"}]


def test_a_place_is_found_in_a_schema() -> None:
    found = place_in(SCHEMA, {}, "response.items[type=y].s")
    assert found == {"type": "string"}
    assert place_in(SCHEMA, {}, "response.nothing.at.all") is None


def test_values_are_made_from_recorded_forms_alone() -> None:
    forms = ["response.a", "response.a.b", "response.a.b = one", "response.a.b = null", "response.a[]", "response.ab"]
    assert recorded_values("response.a.b", forms) == ["one", None]
    assert recorded_values("response.t", ["response.t[]", "response.t[type=x]", "response.t[type=x].n_tokens"]) == [
        [{"type": "x", "n_tokens": 0}]
    ]


@pytest.mark.parametrize("scenario", MADE, ids=lambda scenario: scenario.id.partition("_")[2])
def test_what_is_changed_says_what_the_script_says(scenario: Scenario) -> None:
    assert scenario.providers is not None and scenario.deliveries is not None
    for turn in scenario.turns:
        for delivery in scenario.deliveries:
            plain = AnswerTrial(scenario.providers[0], turn, delivery != "blocking")
            own = [change for change in turn.changes if change.streams == plain.streaming]
            assert plain.with_changes(own).refusal(plain) is None


def test_answers_that_nobody_sent_as_they_are_count_as_tolerance() -> None:
    assert MADE and all(scenario.elsewhere_than(scenario.providers[0]) for scenario in MADE if scenario.providers)


def test_a_form_that_is_not_shown_is_derived() -> None:
    form = "response.usage.cost"
    found = derive("xai", frozenset(), {form: 3, "response.no.such.place absent": 1}, bases_of("xai"))
    changes = [change for scenario in answer_scenarios(found) for turn in scenario.turns for change in turn.changes]
    assert form in {change.at for change in changes if change.evidence == "own host"}
    assert found.refused["response.no.such.place absent"] == "unfit"


@pytest.mark.slow
def test_the_files_are_as_they_would_be_made() -> None:
    tool = Path(__file__).resolve().parents[2] / "tools" / "generate_answers.py"
    done = subprocess.run([sys.executable, tool, "--check", "ollama", "deepseek"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
