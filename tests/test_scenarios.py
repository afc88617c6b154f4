"""The scenarios that come with the package: each one small, different, answered in full and about rules that exist."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest
from every import of_every

from conformance.capabilities import CAPABILITIES, OWED_NEWS
from conformance.coverage.measure import packaged
from conformance.derivation.trial import AnswerTrial
from conformance.documents import read_yaml
from conformance.engine.cases import fits
from conformance.model import Json, Profile
from conformance.rules import catalogue
from conformance.scenarios import (
    AnswerStep,
    DecisionsStep,
    ResultsStep,
    Scenario,
    Shelf,
    generated_names,
    load_scenario,
    load_scenarios,
    packaged_files,
    packaged_scenario,
    scenario_root,
)
from conformance.scenarios.outlines import outline_of, packaged_outlines
from conformance.schemas import schema
from conformance.script import QUIRKS, CutPlace, ScriptCall, ScriptTurn
from conformance.session.turns import foreign_turn
from conformance.wires import PROVIDERS, card, wire

ROOT = scenario_root()
FILES = sorted(ROOT.glob("*/*.yaml"))
SCENARIOS = load_scenarios()
README = (ROOT / "README.md").read_text("utf-8")
PROFILES: tuple[Profile, ...] = ("portable", "native")

WITHOUT_SCENARIO = {
    "compat.choose.alibaba-thinking-forbids-forcing": "only Alibaba's hosts know the switch; recorded traffic has it",
    "compat.shape.taken-by-its-host": "every case examines it where the host's file says what it refuses",
    "common.adapter.leaves-what-it-is-given": "every case examines it",
    "common.http.stream-as-asked": "every case examines it",
    "common.http.as-recorded": "every case that recordings answer examines it",
    "common.http.accepted": "every case that a provider answers, live or recorded, examines it",
    "chat.shape.request-types": "every case examines it",
    "responses.shape.request-types": "every case examines it",
    "anthropic.shape.request-types": "every case examines it",
    "gemini.shape.request-types": "every case examines it",
    "ollama.shape.request-types": "every case examines it",
    "responses.continuation.previous-response-id": "it is the adapter's choice, in any scenario of several turns",
    "gemini.choose.parallel-not-supported": "what a provider cannot do makes no case",
    "ollama.choose.unsupported": "what a provider cannot do makes no case",
    "anthropic.history.no-prefill": "no scenario asks for a Claude model by its name",
    "common.choose.allowed-declared": "no scenario allows some of its tools only; recorded traffic has it",
    "compat.history.reasoning-details": "only some hosts send them, which are played by their names",
    "anthropic.result.references-declared": "the neutral model has no search for tools; recorded traffic has it",
}
"""Rules that no scenario is for, and why."""

every_scenario = of_every({name: (scenario,) for name, scenario in SCENARIOS.items()})


def places(scenario: Scenario) -> Iterator[tuple[str, Profile]]:
    """Where the scenario makes cases: providers and profiles."""
    return ((name, profile) for profile in PROFILES for name in PROVIDERS if fits(scenario, name, profile))


def test_there_are_many_and_each_has_its_own_id_and_title() -> None:
    assert len(SCENARIOS) == len(FILES) >= 70
    assert all(re.fullmatch(r"[a-z_]+\.[a-z0-9_]+", name) for name in SCENARIOS)
    titles = [scenario.title for scenario in SCENARIOS.values()]
    assert len(set(titles)) == len(titles)
    assert [title for title in titles if "\n" in title or title.endswith(".")] == []


@pytest.mark.slow
def test_ours_are_what_a_strict_reader_takes() -> None:
    """They are not looked at again when they are loaded: that would take longer than reading them."""
    assert any(scenario.has_changes for scenario in SCENARIOS.values())
    for name, scenario in SCENARIOS.items():
        if scenario.has_changes:
            [path] = scenario_root().glob(name.replace(".", "/") + ".*")
            assert load_scenario(path, Shelf.packaged()) == scenario
    for name in generated_names():
        path = scenario_root() / name.replace(".", "/")
        assert load_scenario(path.with_suffix(".json"), Shelf.packaged()) == packaged_scenario(name)


def test_what_a_plan_asks_is_what_the_scenarios_say() -> None:
    outlines = packaged_outlines()
    assert list(outlines) == list(packaged_files())
    for name in list(outlines)[::7]:
        assert outlines[name] == outline_of(packaged_scenario(name))


def test_no_two_say_the_same() -> None:
    scripts: dict[str, Path] = {}
    for path in FILES:
        document = {key: value for key, value in read_yaml(path).items() if key not in ("title", "rules")}
        script = json.dumps(document, sort_keys=True)
        assert script not in scripts, f"{path} says what {scripts[script]} says"
        scripts[script] = path


@every_scenario
def test_it_makes_cases(scenario: Scenario) -> None:
    assert list(places(scenario)), "no provider can show it"


@every_scenario
def test_its_rules_exist_and_apply_where_it_runs(scenario: Scenario) -> None:
    for name in scenario.rules:
        rule = catalogue()[name]
        assert any(rule.applies_to(provider, profile) for provider, profile in places(scenario)), name


@every_scenario
def test_every_call_is_answered_before_the_next_request(scenario: Scenario) -> None:
    if "unanswered_calls" in scenario.needs:
        return
    open_calls: set[str] = set()
    asking = {tool.name for tool in scenario.tools if tool.server is not None}
    asked: set[str] = set()
    for step in scenario.steps:
        match step:
            case AnswerStep(ScriptTurn() as turn, labels):
                asked = {label for label, call in zip(labels, turn.calls, strict=True) if call.tool in asking}
                assert not open_calls, f"no result for {', '.join(open_calls)}"
                broken = turn.only_streams or turn.stops_with not in ("tool_calls", "length")
                open_calls = set() if broken else set(labels)
            case ResultsStep(results):
                open_calls -= {result.label for result in results}
            case DecisionsStep(accepted):
                open_calls -= {label for label, accept in accepted.items() if not accept or label in asked}
            case _:
                pass
    assert not isinstance(scenario.steps[-1], ResultsStep), "the results are never sent: end with a model step"


@every_scenario
def test_arguments_fit_the_tools(scenario: Scenario) -> None:
    tools = {tool.name: tool.parameters or {} for tool in scenario.tools}
    for turn in scenario.turns:
        for call in turn.calls:
            if call.raw is None and not call.undeclared:
                jsonschema_rs.validate(dict(tools[call.tool]), call.arguments or {})


def test_every_rule_has_a_scenario() -> None:
    named = {name for scenario in SCENARIOS.values() for name in scenario.rules}
    assert catalogue().keys() - named == WITHOUT_SCENARIO.keys()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_quirk_of_a_provider_is_played(provider: str) -> None:
    played = {quirk for item in SCENARIOS.values() if fits(item, provider, "portable") for quirk in item.quirks}
    assert wire(provider).card.quirks - played == set()


def test_every_quirk_and_every_capability_is_used() -> None:
    assert {quirk for scenario in SCENARIOS.values() for quirk in scenario.quirks} == QUIRKS.keys()
    needed = {capability for scenario in SCENARIOS.values() for capability in scenario.needs}
    assert needed | {"blocking", "streaming"} | OWED_NEWS.keys() == CAPABILITIES.keys()


# --- what is written about them --------------------------------------------------------------------------------------


def test_the_readme_has_every_family_and_every_quirk() -> None:
    families = {path.parent.name for path in FILES}
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", README, re.MULTILINE))
    assert families - set(PROVIDERS) <= rows.keys()
    assert {name: rows.get(name) for name in QUIRKS} == dict(QUIRKS)


def test_the_readme_has_every_field() -> None:
    fields = schema("scenario")
    for part in (fields, *(fields["$defs"][name] for name in ("step", "model", "call", "error", "tool"))):
        for name in part["properties"]:
            assert f"`{name}`" in README or f"`{name}:" in README, name


def test_the_example_of_the_readme_is_a_real_one() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    assert example == (ROOT / "parallel_calls" / "two_reads.yaml").read_text("utf-8")


def test_the_schema_knows_the_capabilities() -> None:
    listed: list[Any] = schema("scenario")["$defs"]["capability"]["enum"]
    assert set(listed) == CAPABILITIES.keys()


def test_a_file_may_say_every_cut() -> None:
    assert schema("scenario")["$defs"]["model"]["properties"]["cut"]["enum"] == [*get_args(CutPlace)]


@pytest.mark.parametrize(
    ("scenario", "itself", "others"),
    [
        ("quirks.missing_index", ["mistral"], ["openai-chat"]),
        ("quirks.finish_stop", ["openai-chat", "azure"], ["anthropic"]),
        ("quirks.content_missing", [], ["openai-chat", "ollama", "mistral"]),
        ("parallel_calls.interleaved", [], ["openai-chat", "openai-responses", "unified"]),
        ("quirks.same_id_in_two_turns", [], [*PROVIDERS]),
        ("arguments.not_an_object", ["openai-chat"], ["anthropic"]),
        ("arguments.trailing_text", ["openai-chat", "openai-responses"], ["anthropic"]),
        ("errors.length_in_arguments", ["openai-chat", "anthropic"], []),
        ("shell.success", [*PROVIDERS], []),
    ],
)
def test_a_scenario_says_who_does_what_it_is_about(scenario: str, itself: list[str], others: list[str]) -> None:
    """What only others than the provider do is told with the evidence, and is no fault against the provider."""
    one = load_scenarios()[scenario]
    assert not any(one.elsewhere_than(provider) for provider in itself)
    assert all(one.elsewhere_than(provider) for provider in others)


def test_a_provider_may_do_it_itself_in_some_deliveries_only() -> None:
    """Claude's stream ends in the middle of arguments, and whole input is an object whatever happens."""
    cut = load_scenarios()["errors.length_in_arguments"]
    assert cut.elsewhere_than("anthropic", "blocking")
    assert not cut.elsewhere_than("anthropic", "stream:per-event")
    assert not cut.elsewhere_than("openai-chat", "blocking")


def test_one_provider_leaves_the_content_out_itself() -> None:
    """All others that show it do so because hosts of their format do."""
    one = load_scenarios()["quirks.content_missing"]
    showing = [name for name in PROVIDERS if one.quirks <= card(name).quirks]
    assert len([name for name in showing if one.elsewhere_than(name) is None]) == 1
    assert len(showing) > 3


ANNOUNCED = {
    "arguments_object", "unknown_fields", "redacted_thinking", "arguments_in_pieces", "arguments_missing",
    "sparse_answers",
}  # fmt: skip
"""Quirks of which no form was recorded, and that providers' own documentation or types speak of."""


@pytest.mark.parametrize("provider", [name for name in PROVIDERS if name != "unified"])
def test_quirks_that_an_own_host_was_never_seen_to_show_are_others(provider: str) -> None:
    """A quirk that makes forms which the own host was not recorded to send belongs to others."""
    own, recorded = card(provider), packaged()[provider]
    assert own.elsewhere.keys() <= own.quirks and all(own.elsewhere.values())
    for quirk in own.quirks - own.elsewhere.keys() - ANNOUNCED:
        for form in _forms_of(provider, quirk) - {"stream: chunk → chunk+role"}:
            assert form in recorded, f"{quirk} shows {form}"


def _forms_of(provider: str, quirk: str) -> set[str]:
    """What a quirk adds to the forms of plain answers; the order of events apart."""
    call = ScriptCall("read_file", {"path": "a.txt"})
    found: set[str] = set()
    for turn in (ScriptTurn(calls=(call, call)), ScriptTurn("It is done.")):
        for streaming in (False, True):
            plain, odd = (
                AnswerTrial(provider, replace(turn, quirks=quirks), streaming) for quirks in (frozenset(), {quirk})
            )
            found |= odd.forms - odd.order - plain.forms
    return found


@pytest.mark.parametrize(
    ("raw", "arguments", "invalid"),
    [(None, {"a": 1}, False), ("", {}, False), ('{"b": 2}', {"b": 2}, False), ("[1]", None, True), ("{", None, True)],
)
def test_a_call_of_another_providers_model_holds_its_text(raw: str | None, arguments: Json, invalid: bool) -> None:
    says = ScriptTurn("", (ScriptCall("f", {"a": 1} if raw is None else None, raw),))
    (call,) = foreign_turn(says, "x").calls
    assert (call.arguments, call.raw, call.invalid) == (arguments, raw, invalid)
