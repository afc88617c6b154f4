"""Generated scenarios: what they are made of, that nothing is forgotten, and that the files are what is made."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import jsonschema_rs
import pytest
from every import each

from conformance.adapters.addresses import find_adapter
from conformance.engine.cases import Selection, groups, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.generated.arrays import LAYERS, combined, covering_array, layer, possible
from conformance.generated.catalogue import built, random_rows
from conformance.generated.factors import BY_NAME, FACTORS, FIELDS, USUAL, Factor, FactorGroup, Row
from conformance.generated.rows import FORBIDDEN, Condition, differing, makes_sense, names_in, tidied, truth
from conformance.generated.smaller import smallest
from conformance.generated.texts import TEXTS, taken, text_records
from conformance.model import ImagePart, JsonPart, TextPart, Tool, ToolChoice
from conformance.outcomes import FAILURES
from conformance.scenario_files import scenario_document
from conformance.scenarios import (
    AnswerStep,
    DecisionsStep,
    ResultsStep,
    Scenario,
    ScriptResult,
    Shelf,
    UserStep,
    generated_names,
    packaged_scenario,
)
from conformance.script import ScriptCall, ScriptError, ScriptTurn, ServerSearch
from conformance.wires import PROVIDERS

PARTS: Sequence[type] = (
    Scenario, Tool, ToolChoice, UserStep, AnswerStep, ResultsStep, DecisionsStep, ScriptResult, ScriptTurn, ScriptCall,
    ScriptError, ServerSearch, TextPart, JsonPart, ImagePart,
)  # fmt: skip
"""All that a scenario is made of."""

SMALL: Sequence[FactorGroup] = ("strict", "search")
"""Groups whose arrays are made in a second."""


# --- factors ---------------------------------------------------------------------------------------------------------


def test_no_field_of_a_scenario_is_forgotten() -> None:
    fields = {f"{part.__name__}.{field.name}" for part in PARTS for field in dataclasses.fields(part)}
    assert fields == FIELDS.keys()


def test_every_factor_varies_a_field() -> None:
    named = set(chain.from_iterable(names for names in FIELDS.values() if isinstance(names, tuple)))
    assert named == BY_NAME.keys()


@pytest.mark.parametrize("factor", FACTORS, ids=lambda factor: factor.name)
def test_levels_differ_and_the_first_is_usual(factor: Factor) -> None:
    assert len(set(factor.levels)) == len(factor.levels) > 1
    assert USUAL[factor.name] == factor.levels[0]


@each("name", TEXTS)
def test_a_text_survives_json(name: str) -> None:
    text = TEXTS[name].text
    assert json.loads(json.dumps(text, ensure_ascii=False).encode()) == text


def test_texts_are_asked_only_where_they_are_taken() -> None:
    assert "empty" not in BY_NAME["user text"].levels  # Anthropic refuses it
    assert "empty" in BY_NAME["turn text"].levels
    assert taken("empty", "UserStep.text", "anthropic") is None
    assert taken("letters", "property at the root", "anthropic") is False
    assert taken("letters", "property.name", "anthropic") is True


def test_every_record_about_texts_is_about_something() -> None:
    for one in text_records():
        assert set(one.classes) <= TEXTS.keys()
        assert set(one.providers) <= {*PROVIDERS, "all"}
        assert one.source


# --- rows ------------------------------------------------------------------------------------------------------------


def test_a_level_that_changes_nothing_may_not_stand_in_a_row() -> None:
    idle = {**USUAL, "calls": "none", "argument text": "letters"}
    assert not makes_sense(idle)
    assert tidied(idle)["argument text"] == USUAL["argument text"]
    assert makes_sense(tidied(idle))


@pytest.mark.parametrize(("why", "condition"), FORBIDDEN, ids=[why for why, _ in FORBIDDEN])
def test_what_is_forbidden_can_be_asked_for(why: str, condition: Condition) -> None:
    """Each is about levels that there are, or it would forbid nothing."""
    factors = [BY_NAME[name] for name in sorted(names_in(condition))]
    assert any(truth(condition, {**USUAL, **dict(one)}) for one in possible(factors, len(factors))), why


def test_the_usual_row_makes_sense() -> None:
    assert makes_sense(USUAL)
    assert list(differing(USUAL)) == []


@pytest.mark.parametrize("strength", [2, 3])
def test_an_array_has_every_combination_that_can_be(strength: int) -> None:
    factors = [BY_NAME[name] for name in ("calls", "arguments", "results order", "parallel", "tool choice", "strict")]
    rows = [row for _, row in covering_array(factors, strength)]
    every = [{**USUAL, **dict(one)} for one in possible(factors, len(factors))]
    sensible = [row for row in every if makes_sense(row)]
    assert combined(rows, factors, strength) == combined(sensible, factors, strength)
    assert all(makes_sense(row) for row in rows)
    assert len(rows) < len(sensible) / 2


@pytest.mark.slow
def test_an_array_is_the_same_every_time() -> None:
    assert layer("search") == layer("search")


def test_rows_by_chance_are_those_of_their_seed() -> None:
    assert list(random_rows(3, 5)) == list(random_rows(3, 5)) != list(random_rows(4, 5))
    assert all(makes_sense(row) for row in random_rows(3, 50))


# --- scenarios -------------------------------------------------------------------------------------------------------


def some_generated(every: int) -> Iterator[Scenario]:
    return map(packaged_scenario, generated_names()[::every])


@pytest.mark.parametrize("group", SMALL)
def test_the_files_are_what_is_made(group: FactorGroup) -> None:
    images = Shelf.packaged().images
    for scenario in built(layer(group)):
        kept = packaged_scenario(scenario.id)
        assert scenario_document(kept, images) == scenario_document(scenario, images), scenario.id


def test_each_group_has_files() -> None:
    assert len(generated_names()) > 1000
    for group in LAYERS:
        own = [factor.name.replace(" ", "-") for factor in FACTORS if factor.group == group]
        assert any(name in file for name in own for file in generated_names()), group


def test_arguments_fit_the_schemas() -> None:
    for scenario in some_generated(5):
        tools = {tool.name: tool.parameters for tool in scenario.tools}
        for call in (call for turn in scenario.turns for call in turn.calls):
            schema = tools[call.tool]
            if schema is None:
                assert call.arguments == {}
            else:
                jsonschema_rs.validate(dict(schema), call.arguments)


@pytest.mark.slow
def test_the_reference_adapters_stand_them() -> None:
    found, selection = find_adapter("reference"), Selection()
    rules, played = selected_rules(selection), 0
    for scenario in some_generated(150):
        for group in groups(found.address, found.info, {scenario.id: scenario}, selection):
            play = GroupPlay(found, group, scenario, selection, rules)
            for delivery in group.deliveries if not group.unsupported else ():
                broken = [name for name, entry in play.case(delivery).rules.items() if entry.outcome in FAILURES]
                assert not broken, (scenario.id, group.provider, delivery)
                played += 1
    assert played > 30


# --- smaller ---------------------------------------------------------------------------------------------------------


def test_a_row_is_made_as_small_as_it_can_be() -> None:
    start = next(row for row in random_rows(1, 400) if row["calls"] == "several" and row["result text"] == "letters")

    def failing(rows: Sequence[Row]) -> list[bool]:
        return [row["calls"] == "several" and row["result text"] == "letters" for row in rows]

    assert dict(differing(smallest(start, failing))) == {"calls": "several", "result text": "letters"}


@pytest.mark.slow
def test_what_fails_by_chance_becomes_a_small_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from conformance.cli import main

    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[1]))
    words = ["run", "python:wrong_adapters:DropsIds", "--provider", "openai-chat", "-j", "1"]
    made_up = ["--generated", "none", "--seed", "5", "--scenario", "generated.seed-5-3*", "--found", str(tmp_path)]
    assert main([*words, *made_up]) == 1
    told = capsys.readouterr().err
    found = sorted((tmp_path / "found").iterdir())
    assert found and all(f"{path}: breaks" in told for path in found)
    assert main([*words, "--scenarios", str(tmp_path), "--delivery", "blocking"]) == 1
    assert "common.ids.unique-in-conversation" in capsys.readouterr().out
