"""The selection: what a run plays where there are more cases than it may play."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping

import pytest

from conformance import run
from conformance.adapters.reference import ReferenceAdapter
from conformance.engine.cases import DERIVED, Group, Selection, groups, scenarios_of
from conformance.mutants.catalogue import mutants
from conformance.mutants.kills import killing_cases, kills_text, shortest_killers
from conformance.mutants.run import MutantSelection, play_all
from conformance.mutants.score import Score
from conformance.mutants.trace import Trace
from conformance.mutants.trial import play
from conformance.runner import chosen, runs
from conformance.runner.chosen import MOST, PLAIN, chosen_groups

CASES = Selection()


@pytest.fixture(scope="module")
def planned() -> list[Group]:
    """All that the reference adapter can play."""
    return list(groups("reference", ReferenceAdapter().info, scenarios_of(CASES), CASES))


def cases_of(found: Iterable[Group]) -> set[tuple[str, str, str]]:
    """The cases of groups: provider, scenario, delivery."""
    return {(group.provider, group.scenario, name) for group in found if not group.unsupported
            for name in group.deliveries}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("most", [5_000, 9_000])
def test_what_is_chosen(planned: list[Group], most: int) -> None:
    """At most so many; each provider, written scenario and rule is there; the rest are the shortest."""
    scenarios = scenarios_of(CASES)
    known: Mapping[str, list[str]] = {group.provider: [] for group in planned}
    everything, found = cases_of(planned), cases_of(chosen_groups(planned, scenarios, known, most))
    assert found < everything
    assert len(found) == most

    def places(cases: set[tuple[str, str, str]]) -> set[tuple[str, str]]:
        return {(provider, name) for provider, name, _ in cases if scenarios[name].family not in DERIVED}

    assert places(found) == places(everything)
    assert {rule for _, name, _ in found for rule in scenarios[name].rules} == {
        rule for _, name, _ in everything for rule in scenarios[name].rules
    }
    plain = {case for case in everything if scenarios[case[1]].family not in DERIVED and case[2] in PLAIN}
    assert plain <= found


def test_what_kills_comes_first(planned: list[Group]) -> None:
    """Whatever else there is: also a delivery that is not plain, and a generated scenario."""
    scenarios = scenarios_of(CASES)
    odd = [case for case in cases_of(planned) if case[2] not in PLAIN][::40]
    killing: dict[str, set[str]] = {}
    for provider, scenario, delivery in odd:
        killing.setdefault(provider, set()).add(f"{scenario}/{delivery}")
    assert cases_of(chosen_groups(planned, scenarios, killing, len(odd))) == set(odd)


def test_each_adapter_has_its_own(planned: list[Group]) -> None:
    from dataclasses import replace

    both = [*planned[:900], *(replace(group, address="other") for group in planned[:30])]
    counts: Counter[str] = Counter()
    for group in chosen_groups(both, scenarios_of(CASES), None, 100):
        counts[group.address] += 0 if group.unsupported else len(group.deliveries)
    assert counts["reference"] == 100
    assert 0 < counts["other"] <= 100


def test_the_selection_kills_what_all_cases_kill(planned: list[Group]) -> None:
    """As the last full selftest has written down. Where it has not, all cases that mutants are played in are there."""
    scenarios = scenarios_of(CASES)
    found = cases_of(chosen_groups(planned, scenarios, killing_cases(), MOST))
    known = killing_cases()
    needed = cases_of(planned)
    if known is None:
        needed = {case for case in needed if scenarios[case[1]].family not in DERIVED}
    else:
        needed = {case for case in needed if f"{case[1]}/{case[2]}" in known.get(case[0], ())}
    assert needed <= found


@pytest.mark.slow
def test_mutants_die_in_their_shortest_cases() -> None:
    """Live, of a sample: those that all cases kill are killed in the cases that the selftest chooses for them."""
    trace = Trace("ollama")
    sample = [mutant.name for mutant in mutants(trace)][::60]
    document = Score(wanted := MutantSelection(("ollama",), tuple(sample)), play_all(wanted, jobs=1, tell=_silent))
    told = document.document("", 0)["mutants"]
    killed = {mutant["name"] for mutant in told if mutant["fate"] == "killed"}
    assert len(killed) > 8
    killing = shortest_killers(told)
    names = {case.rpartition("/")[0] for case in killing["ollama"]}
    small = Trace("ollama", scenarios={name: one for name, one in trace.scenarios.items() if name in names})
    again = {mutant.name for mutant in mutants(small) if mutant.name in killed and play(mutant, small).kills}
    missing = killed - again - {mutant.name for mutant in mutants(trace) if mutant.cases is not None}
    assert not missing
    assert len(names) < len(trace.scenarios) / 2


def _silent(more: int, done: int) -> None:
    pass


def test_what_the_selftest_writes_down() -> None:
    def mutant(name: str, *cases: str) -> dict[str, object]:
        return {"name": name, "provider": "ollama", "killed_by": [{"rule": "r", "case": case} for case in cases]}

    long, short = "multi_turn.follow_up/blocking", "shell.success/blocking"
    told = [mutant("a", long, f"{short} (native)"), mutant("b", long), mutant("c"), mutant("d", long, short)]
    assert shortest_killers(told) == {"ollama": sorted([long])}, "one case that kills all is enough"
    assert shortest_killers([told[0]]) == {"ollama": [short]}
    document = {"suite": {"version": "0"}, "rules": [], "mutants": told}
    assert json.loads(kills_text(document))["cases"] == {"ollama": [long]}


@pytest.mark.slow
def test_a_result_says_which_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"providers": "ollama", "scenarios": "shell.*", "jobs": 1, "generated": "none"}
    everything = run(**asked).finish().document["run"]  # type: ignore[arg-type]
    assert everything["selection"] == "all"
    assert "left_out" not in everything["cases"]
    for module in (chosen, runs):
        monkeypatch.setattr(module, "MOST", 5)
    monkeypatch.setattr(chosen.chosen_groups, "__defaults__", (5,))
    some = run(**asked).finish().document["run"]  # type: ignore[arg-type]
    assert (some["selection"], some["cases"]["finished"]) == ("chosen", 5)
    assert some["cases"]["left_out"] == everything["cases"]["finished"] - 5
    whole = run(**asked, whole=True).finish().document["run"]  # type: ignore[arg-type]
    assert (whole["selection"], whole["cases"]) == ("all", everything["cases"])
    assert whole["command"].endswith("--all")
