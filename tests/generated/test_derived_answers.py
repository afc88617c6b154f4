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
from conformance.script import Change

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


def test_an_object_of_one_member_has_one_in_recorded_values() -> None:
    forms = ["response.at", "response.at.byte", "response.at.page", "response.at.page.end", "response.ids[]",
             "response.ids[].a", "response.ids[].b", "response.title"]  # fmt: skip
    made = recorded_values("response", forms, ["response.at", "*.ids[]"])
    assert [one["at"] for one in made] == [{"byte": "text"}, {"page": {"end": 0}}]
    assert {str(one["ids"]) for one in made} == {"[{'a': 'text'}, {'b': 'text'}]"}
    assert recorded_values("response.at", forms) == [{"byte": "text", "page": {"end": 0}}]


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


CONTENT = "response.output.message(role=assistant).content[]"
DELTA = "stream.contentBlockDelta.delta"
UNIONS = frozenset({"text", "toolUse", "toolResult", "reasoningContent", "citationsContent"})


def converse(form: str, *more: str) -> list[Change]:
    """The changes that show a form on Bedrock. ``more``: what else was recorded."""
    found = derive("bedrock", frozenset(more), dict.fromkeys((form, *more), 3), bases_of("bedrock"))
    assert not found.refused
    return [change for scenario in answer_scenarios(found) for turn in scenario.turns for change in turn.changes]


def test_a_member_that_stands_alone_comes_in_an_item_of_its_own() -> None:
    (change,) = converse(f"{CONTENT}.cachePoint", f"{CONTENT}.cachePoint.type")
    assert (change.do, change.at, change.value) == ("add", CONTENT, {"cachePoint": {"type": "text"}})


def test_a_member_that_says_the_words_of_another_takes_its_place() -> None:
    (change,) = converse(f"{CONTENT}.citationsContent", f"{CONTENT}.citationsContent.title")
    words = {"content": [{"text": "I read it."}]}
    assert (change.do, change.at, change.where) == ("set", CONTENT, "first")
    assert change.value == {"citationsContent": {"title": "text", **words}}


def test_a_delta_that_stands_alone_comes_in_an_event_of_its_own_where_it_was_recorded() -> None:
    after, before = "stream: stop+contentBlockStop → another delta+contentBlockDelta", "text delta+contentBlockDelta"
    orders = (after, f"stream: another delta+contentBlockDelta → {before}")
    (change,) = converse(f"{DELTA}.audio", f"{DELTA}.audio.bytes", *orders)
    assert (change.do, change.at) == ("insert", "stream: stop+contentBlockStop")
    assert change.value == [{"contentBlockDelta": {"delta": {"audio": {"bytes": "aGVsbG8="}}, "contentBlockIndex": 1}}]


def test_a_delta_that_was_not_recorded_between_others_is_not_put_there() -> None:
    found = derive("bedrock", frozenset(), {f"{DELTA}.audio": 3}, bases_of("bedrock"))
    assert set(found.refused) == {f"{DELTA}.audio"}


def test_what_is_there_says_its_type_where_no_schema_tells() -> None:
    (change,) = converse(f"{CONTENT}.toolUse(type=tool_use)")
    assert (change.do, change.at, change.value) == ("set", f"{CONTENT}.toolUse.type", "tool_use")


@pytest.mark.parametrize("scenario", [one for one in MADE if one.providers == ("bedrock",)], ids=lambda one: one.id)
def test_no_block_of_bedrock_has_two_members(scenario: Scenario) -> None:
    for turn in scenario.turns:
        own = [change for change in turn.changes if not change.streams]
        body = AnswerTrial("bedrock", turn, streaming=False).with_changes(own).body
        assert all(len(UNIONS & block.keys()) == 1 == len(block) for block in body["output"]["message"]["content"])
        events = AnswerTrial("bedrock", turn, streaming=True).with_changes(
            [change for change in turn.changes if change.streams]
        ).events
        said = [event.document.get("contentBlockDelta") for event in events]
        assert all(len(event.document) == 1 for event in events)
        assert all(len(one["delta"]) == 1 for one in said if one is not None)


@pytest.mark.slow
def test_the_files_are_as_they_would_be_made() -> None:
    tool = Path(__file__).resolve().parents[2] / "tools" / "generate_answers.py"
    done = subprocess.run([sys.executable, tool, "--check", "ollama", "deepseek"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
