"""What `conformance explain` shows at the widths of terminals, and that the data that goes with it is true."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from every import every
from rich.cells import cell_len
from test_writers import matches

from conformance.cli import main
from conformance.mutants.catalogue import mutants
from conformance.mutants.examples import patched
from conformance.mutants.kills import NAMED, Kills, Victim, kills_text, known_kills
from conformance.mutants.trace import Trace
from conformance.report.explain import RuleExplanation, as_data, explanation_text
from conformance.report.side_by_side import compared
from conformance.rules import Rule, catalogue
from conformance.rules.check import Finding
from conformance.scenarios import written_scenarios
from conformance.wires import cards

VICTIMS = (
    Victim("adapter:InventsReferences", "openai-chat", "A result needs an id of its own, so it gets one."),
    Victim("request:drop:/messages/:assistant", "openai-chat", "/messages/:assistant: Left out"),
)
SCENARIOS = tuple(f"family.scenario_{number}" for number in range(20))


def explained(rule_id: str, *, kills: Kills | None = None) -> RuleExplanation:
    """A rule with what a selftest may have shown of it."""
    rule = catalogue()[rule_id]
    violation = patched(rule.example, rule.violation)
    finding = Finding("/messages/1/tool_call_id", "the id of a call in this request", "call_1")
    return RuleExplanation(rule, violation, finding, ["handoff.long_id"], kills or Kills(137, VICTIMS, SCENARIOS))


@pytest.mark.parametrize("width", [80, 140])
def test_a_rule_on_a_terminal(width: int) -> None:
    matches(f"explain-{width}.txt", explanation_text(explained("common.result.no-orphan"), width))


@pytest.mark.parametrize("width", [80, 140])
def test_a_long_example_is_shown_around_the_difference(width: int) -> None:
    rule = catalogue()["anthropic.stream.signature-delta-kept"]
    violation = patched(rule.example, rule.violation)
    lines = list(compared(rule.example, violation, ("conforms", "breaks it"), width))
    matches(f"explain-long-{width}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("width", [40, 80, 140])
def test_every_difference_is_shown_in_the_room_there_is(width: int) -> None:
    every({name: (rule, width) for name, rule in catalogue().items()}, the_difference_is_shown)


def the_difference_is_shown(words: Rule, width: int) -> None:
    violation = patched(words.example, words.violation)
    lines = list(compared(words.example, violation, ("conforms", "breaks it"), width))
    assert all(cell_len(line) <= width for line in lines)
    marks = {line[:1] for line in lines} | {half[:1] for line in lines for half in line.split(" | ")[1:]}
    assert marks & {"-", "+"}


def test_columns_stand_below_each_other() -> None:
    one, other = {"text": "äöü" * 30, "wide": "漢字", "same": 1}, {"text": "äöü" * 30, "wide": "漢", "same": 1}
    lines = list(compared(one, other, ("conforms", "breaks it"), 120))
    bars = {cell_len(line[: line.index(" | ")]) for line in lines}
    assert len(bars) == 1


def test_a_comma_is_no_difference() -> None:
    lines = list(compared({"a": 1, "b": 2}, {"a": 1}, ("one", "other"), 80))
    assert [line for line in lines if line.startswith(("-", "+"))] == ['-   "b": 2']


def test_replaced_values_stay_in_their_place() -> None:
    lines = list(compared({"a": 1, "b": 2}, patched({"a": 1, "b": 2}, [{"op": "replace", "path": "/a", "value": 3}]),
                          ("one", "other"), 120))  # fmt: skip
    assert any(line.startswith('-   "a": 1,') and '| +   "a": 3,' in line for line in lines)


def test_without_a_kill_it_says_why() -> None:
    why = "only Vertex AI streams arguments"
    text = explanation_text(explained("gemini.stream.partial-args", kills=Kills(why=why)), 80)
    assert "kills no mutant" in text
    assert why in text
    assert as_data(explained("gemini.stream.partial-args", kills=Kills(why=why)))["kills"]["why_none"] == why


def test_as_data_it_has_both_examples_the_finding_and_the_kills(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "common.result.no-orphan", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["violating_example"] != document["example"]
    assert document["finding"]["at"].startswith("/messages/")
    assert document["kills"]["count"] > 0
    assert document["kills"]["such_as"][0]["says"]
    assert document["scenarios"]["made_for_it"]
    assert set(document["scenarios"]["made_for_it"]) <= set(document["scenarios"]["examined_in"])


# --- the data that goes with the package -----------------------------------------------------------------------------


def test_the_data_knows_every_rule() -> None:
    """If this fails: conformance selftest --kills conformance/mutants/kills.json."""
    known = known_kills()
    assert list(known) == list(catalogue())
    for rule in catalogue().values():
        kills = known[rule.id]
        if not kills.count:
            assert kills.why in rule.not_observed.values(), f"{rule.id} kills nothing, and nothing says why"
        assert len(kills.victims) <= min(NAMED, kills.count)
        assert bool(kills.victims) == bool(kills.count)


def test_the_data_names_scenarios_that_exist() -> None:
    known = known_kills()
    for rule, kills in known.items():
        assert set(kills.scenarios) <= written_scenarios().keys(), rule
    for scenario in written_scenarios().values():
        for rule in scenario.rules:
            idle = catalogue()[rule].not_observed
            assert idle or scenario.id in known[rule].scenarios, f"{rule} is idle in {scenario.id}"


@pytest.mark.slow
@pytest.mark.parametrize("provider", [one.id for one in cards() if one.format == one.id])
def test_the_data_names_mutants_that_exist(provider: str) -> None:
    """The mutants of hosts are made of the same places, and the data of all providers at once."""
    exist = {mutant.name: mutant.says for mutant in mutants(Trace(provider, []))}
    named = [victim for kills in known_kills().values() for victim in kills.victims if victim.provider == provider]
    assert named
    assert {victim.name: victim.says for victim in named}.items() <= exist.items()


def test_a_selftest_in_short() -> None:
    rule = {"id": "r", "kills": 2, "mutants": ["adapter:A", "turn:b"], "scenarios": ["f.one", "f.three"]}
    idle = {"id": "idle", "kills": 0, "mutants": [], "scenarios": ["f.two"], "why": "nobody does that"}
    kill = {"rule": "r", "case": "shell.success/blocking"}
    played = [
        {"name": "adapter:A", "provider": "gemini", "says": "A lie."},
        {"name": "adapter:A", "provider": "ollama", "says": "A lie.", "killed_by": [kill]},
        {"name": "turn:b", "provider": "gemini", "says": "Another.", "killed_by": [kill]},
    ]
    text = kills_text({"suite": {"version": "1"}, "rules": [rule, idle], "mutants": played})
    assert json.loads(text) == {
        "suite": "1",
        "scenarios": ["f.one", "f.three", "f.two"],
        "says": {"adapter:A": "A lie.", "turn:b": "Another."},
        "rules": {
            "r": {"kills": 2, "mutants": ["ollama adapter:A", "gemini turn:b"], "scenarios": "3"},
            "idle": {"kills": 0, "mutants": [], "scenarios": "4", "why": "nobody does that"},
        },
        "cases": {"ollama": ["shell.success/blocking"], "gemini": ["shell.success/blocking"]},
    }


def test_the_data_is_written_only_by_a_whole_selftest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--provider", "ollama", "--kills", str(tmp_path / "kills.json")]) == 2
    assert "--kills needs everything" in capsys.readouterr().err
