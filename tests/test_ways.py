"""Ways into a library: addresses, what each plays, and that one cause stays one finding however it is reached."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.adapters import libraries
from conformance.adapters.contract import AdapterError, AdapterInfo, Kind
from conformance.adapters.libraries import LIBRARIES, known_way
from conformance.adapters.libraries.ways import split_way, ways_of, with_way
from conformance.engine.cases import Selection, groups
from conformance.engine.covering import covering, features
from conformance.engine.pool import AdapterProbe
from conformance.engine.report import CaseReport, Failure, RuleReport
from conformance.environments.finding import with_version
from conformance.matrix import Cell, Matrix
from conformance.runner.errors import UsageError
from conformance.runner.settings import by_ways
from conformance.scenarios import load_scenarios
from conformance.wires import card

# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "base", "way"),
    [
        ("openai", "openai", ""),
        ("openai:parse", "openai", "parse"),
        ("openai:create", "openai", ""),
        ("env:openai@3.57.0:parse", "env:openai@3.57.0", "parse"),
        ("env:openai:parse", "env:openai", "parse"),
        ("python:mine:Adapter", "python:mine:Adapter", ""),
        ("mine.py:Adapter", "mine.py:Adapter", ""),
        ("stdio:openai:parse", "stdio:openai:parse", ""),
        ("ai-sdk-openai:agent-step", "ai-sdk-openai", "agent-step"),
    ],
)
def test_an_address_ends_in_its_way(address: str, base: str, way: str) -> None:
    assert split_way(address) == (base, way)
    assert split_way(with_way(base, way)) == (base, way)


def test_a_version_stands_before_the_way() -> None:
    assert with_version("env:openai:parse", "3.57.0") == "env:openai@3.57.0:parse"


def test_a_way_that_no_table_has_is_told_with_those_that_are_there() -> None:
    with pytest.raises(AdapterError, match=r"openai:prase: there is no way 'prase'; ways are create, async"):
        known_way("openai:prase")


@pytest.mark.parametrize(
    ("ways", "found"),
    [
        ((), ("ollama", "reference")),
        (("all",), ("ollama", "ollama:module", "ollama:async", "ollama:loop", "reference")),
        (("client", "a*"), ("ollama", "ollama:async")),
    ],
)
def test_ways_are_asked_for_by_globs(ways: tuple[str, ...], found: tuple[str, ...]) -> None:
    assert by_ways(("ollama", "reference"), ways) == found


@pytest.mark.parametrize(
    ("addresses", "said"), [(("ollama",), "did you mean 'client'"), (("reference",), "reference has one way only")]
)
def test_a_way_that_nobody_has_is_a_mistake(addresses: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        by_ways(addresses, ("clent",))


# --- the table and the shims -----------------------------------------------------------------------------------------


def doors_in(module: str) -> Iterator[str]:
    """The keys of the table ``DOORS`` of a shim, read without its library."""
    source = (Path(libraries.__file__).parent / f"{module}.py").read_text("utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "DOORS":
            assert isinstance(node.value, ast.Dict)
            yield from (key.value for key in node.value.keys if isinstance(key, ast.Constant))


PYTHONS = [name for name, library in LIBRARIES.items() if library.ways and library.kind == "python"]
"""Those of Node are held by ``libraries/test_node_obstacles``."""


@pytest.mark.parametrize("name", PYTHONS)
def test_each_way_has_its_doors_and_each_door_its_way(name: str) -> None:
    own = LIBRARIES[name].shim.partition(":")[0]
    module = "langchain" if own.startswith("langchain_") else own
    usual, *others = ways_of(name)
    assert usual.shim == "" and usual.modes == ("blocking", "streaming") and not usual.providers
    own_ways = {way.name for way in others if not way.shim}
    assert set(doors_in(module)) == ({"", *own_ways} if own_ways else set())
    for place in {way.shim.partition(":")[0] for way in others if way.shim} - {"ollama_loop"}:
        assert set(doors_in(place)) == {way.name for way in others if way.shim.startswith(place)}


# --- what is played --------------------------------------------------------------------------------------------------

SCENARIOS = load_scenarios()
EVERY = [one for one in SCENARIOS.values() if one.family != "answers"]


def test_a_selection_has_all_features_in_a_fraction_of_the_scenarios() -> None:
    chosen = covering(EVERY)
    assert {feature for one in chosen.values() for feature in features(one)} == {
        feature for one in EVERY for feature in features(one)
    }
    assert len(chosen) < len(EVERY) / 3
    assert chosen == covering(reversed(EVERY))


@pytest.mark.parametrize(
    ("address", "scenarios", "most", "providers"),
    [
        ("openai", (), None, {"openai-chat", "azure"}),
        ("openai:async", (), 60, {"openai-chat"}),
        ("openai:parse", (), 5, {"openai-chat"}),
        ("openai:async", ("shell.*",), 60, {"openai-chat"}),
    ],
)
def test_another_way_plays_a_selection(
    address: str, scenarios: tuple[str, ...], most: int | None, providers: set[str]
) -> None:
    can = frozenset({"blocking", "streaming", "strict", "parallel_calls"})
    info = AdapterInfo("openai", {"openai-chat": can, "azure": can})
    found = list(groups(address, info, {one.id: one for one in EVERY}, Selection(scenarios=scenarios), "client"))
    played = [one for one in found if not one.unsupported]
    assert {one.provider for one in played} == providers
    if most is None:
        assert any(one.unsupported for one in found)
    else:
        assert 0 < sum(len(one.deliveries) for one in found) <= most and played == found
    assert not scenarios or {one.scenario.partition(".")[0] for one in found} == {"shell"}


@pytest.mark.parametrize(
    ("address", "kind", "provider", "scenario"),
    [
        ("langchain-openai:structured", "client", "openai-chat", "tool_choice.only_tool"),
        ("llama-index:predict-and-call", "agent", "anthropic", "tool_choice.only_tool"),
        ("langchain-ollama:agent-answer", "client", "ollama", "ollama.only_tool"),
    ],
)
def test_a_way_that_makes_the_model_call_its_only_tool_plays_just_that(
    address: str, kind: Kind, provider: str, scenario: str
) -> None:
    info = AdapterInfo("any", {provider: card(provider).capabilities})
    found = list(groups(address, info, {one.id: one for one in EVERY}, Selection(), kind))
    assert scenario in {one.scenario for one in found}
    for one in map(SCENARIOS.__getitem__, {one.scenario for one in found}):
        assert len(one.tools) == 1 and all(len(turn.calls) == 1 for turn in one.turns)
        assert one.choice.mode in ("required", "tool") or provider == "ollama"


# --- one cause, one finding ------------------------------------------------------------------------------------------

RULE, PROVIDER = "common.parse.text-kept", "openai-chat"


def judged(*cases: tuple[str, str, str]) -> Cell:
    """The cell after cases: the address, the scenario, and what was found (``""``: it passes)."""
    addresses = dict.fromkeys(address for address, _, _ in cases)
    info = AdapterInfo("openai", {PROVIDER: frozenset({"blocking"})})
    probes = [AdapterProbe(address, info, "client") for address in addresses]
    matrix = Matrix(probes, load_scenarios(), Selection())
    for address, scenario, found in cases:
        name = f"{address}/{scenario}"
        failures = [Failure("/text", "Hello.", int(found) if found.isdigit() else found, "turn", name)] if found else []
        report = CaseReport(address, PROVIDER, scenario, "blocking", evidence={name: {}})
        report.rules[RULE] = RuleReport("fail" if found else "pass", 1, failures)
        matrix.enter(report)
    matrix.settle()
    [cell] = [cell for cell in matrix.cells.values() if cell.rule.id == RULE]
    return cell


ONE, TWO = "shell.success", "shell.non_zero_exit"


@pytest.mark.parametrize(
    ("cases", "ways", "failed"),
    [
        pytest.param(
            [("openai:parse", TWO, "x"), ("openai", ONE, "x"), ("openai", TWO, "x")],
            {}, [f"{ONE}/blocking", f"{TWO}/blocking"], id="the same cause is told once, whatever comes first",
        ),
        pytest.param(
            [("openai", ONE, "x"), ("openai:parse", ONE, "7")],
            {"parse": "fail"}, [f"{ONE}/blocking", f"{ONE}/blocking@parse"], id="another cause is another finding",
        ),
        pytest.param(
            [("openai", ONE, ""), ("openai:parse", ONE, "x")],
            {"parse": "fail"}, [f"{ONE}/blocking@parse"], id="only the other way fails",
        ),
        pytest.param(
            [("openai", ONE, "x"), ("openai:parse", ONE, "")],
            {"parse": "pass"}, [f"{ONE}/blocking"], id="only the usual way fails",
        ),
        pytest.param(
            [("openai", ONE, "x"), ("openai:parse", TWO, "")],
            {}, [f"{ONE}/blocking"], id="another case says nothing of the difference",
        ),
        pytest.param(
            [("openai:parse", ONE, "x"), ("openai:async", ONE, "x")],
            {"async": "fail", "parse": "fail"}, [f"{ONE}/blocking@async", f"{ONE}/blocking@parse"],
            id="without the usual way, each is told",
        ),
    ],
)  # fmt: skip
def test_a_way_is_told_only_where_it_differs(
    cases: list[tuple[str, str, str]], ways: dict[str, str], failed: list[str]
) -> None:
    cell = judged(*cases)
    assert cell.ways == ways
    assert cell.failed == failed
    assert [item.case for item in cell.failures] == failed
    assert len({item.cause for item in cell.failures}) == (2 if any("7" in found for _, _, found in cases) else 1)
