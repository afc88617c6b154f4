"""Twelve questions that readers have, written down before the page was: each is answered within two clicks.

A typed search and a click are as good. The answer on the page is what `result.json` says, which is read here by itself:
nothing of the page's own packing is used.
"""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from browsing import click, find, requested, settle, texts, type_search, until

from conformance.cli import main
from conformance.outcomes import FAILURES
from conformance.report import summary
from conformance.report.needs import NEEDS, STREAMING
from conformance.scenarios.outlines import packaged_outlines

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ROOT / "reports" / "libraries" / "result.json"
HARMS = list(summary.CONSEQUENCES)

Cell = dict[str, Any]


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(LIBRARIES.read_text("utf-8"))
    return document


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("site")
    assert main(["report", str(LIBRARIES), "--out", str(out)]) == 0
    return (out / "index.html").as_uri()


@pytest.fixture
def home(browser: Any, address: str) -> Any:
    """The first view of the libraries; what is asked for in the test comes from beside it."""
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(address)
    settle(browser)
    yield browser
    assert browser.get_log("browser") == []
    asked = {url for url in requested(browser) if not url.startswith(("about:", "data:"))}
    assert all(url.startswith(address.rpartition("/")[0]) for url in asked)


def troubled(result: dict[str, Any], provider: str) -> dict[str, list[tuple[Cell, set[str]]]]:
    """By adapter, the cells that do not pass on a provider, with the cases that the provider itself makes fail."""
    found: dict[str, list[tuple[Cell, set[str]]]] = {}
    for cell in result["cells"]:
        if cell["provider"] != provider:
            continue
        own = found.setdefault(cell["adapter"], [])
        word = cell.get("flag") or cell.get("word")
        if cell["outcome"] in FAILURES | {"warn"} and word not in ("oddity", "expected_fail"):
            own.append((cell, set(cell.get("failed_cases", ())) - set(cell.get("lightened_cases", ()))))
    return found


def about(case: str, capability: str, families: set[str]) -> bool:
    name = case.partition("/")[0]
    outline = packaged_outlines().get(name)
    return name.partition(".")[0] in families or (outline is not None and capability in outline.needs)


def names(browser: Any, kind: str = "") -> list[str]:
    """The libraries of the answer, in order."""
    return [text.split()[0] for text in texts(browser, f".answer-of{kind} .name")]


def library(result: dict[str, Any], name: str) -> str:
    adapter = next(one for one in result["adapters"] if one["id"] == name)
    return summary.titled(adapter)


def test_1_which_library_keeps_parallel_calls_on_gemini_when_streamed(home: Any, result: dict[str, Any]) -> None:
    type_search(home, "Which library keeps parallel calls on Gemini when streamed")
    click(home, ".places .id", "Libraries on gemini, for streaming, parallel calls")
    wrong = {
        name for name, cells in troubled(result, "gemini").items()
        if any("/stream" in case and about(case, "parallel_calls", {"parallel_calls"})
               for _, cases in cells for case in cases)
    }  # fmt: skip
    asked = {cell["adapter"] for cell in result["cells"] if cell["provider"] == "gemini"}
    assert set(names(home, ".pass")) == asked - wrong
    assert set(names(home)) == asked


def test_2_which_library_is_best_for_anthropic(home: Any, result: dict[str, Any]) -> None:
    """Least harm first: faults by what they do, then limits, then what could be better."""
    click(home, ".ask .chip", "anthropic")

    def worst(cells: list[tuple[Cell, set[str]]]) -> int:
        levels = [
            4 if cell.get("word") == "limit" else 5 if cell["outcome"] == "warn" else HARMS.index(cell["consequence"])
            for cell, cases in cells if cases
        ]  # fmt: skip
        return min(levels, default=6)

    levels = {name: worst(cells) for name, cells in troubled(result, "anthropic").items()}
    told = [levels[name] for name in names(home)]
    assert told == sorted(told, reverse=True)
    assert set(names(home)) == set(levels)


def test_3_does_litellm_keep_mcp_tools_on_openai_responses(home: Any, result: dict[str, Any]) -> None:
    click(home, ".ask .chip", "openai-responses")
    click(home, ".ask .chip", "MCP")
    cells = troubled(result, "openai-responses")["litellm"]
    rules = [cell for cell, cases in cells if any(about(case, "mcp_names", set()) for case in cases)]
    [row] = [item.text for item in find(home, ".answer-of") if item.text.startswith("litellm 1")]
    assert ("nothing breaks" in row) is (not rules)
    assert not rules or f"{len(rules)} rule" in row


def test_4_who_breaks_a_rule(home: Any, result: dict[str, Any]) -> None:
    rule = "common.result.no-orphan"
    type_search(home, rule)
    click(home, ".places .id", rule)
    shown = {item.get_attribute("aria-label") for item in find(home, ".cell.fail")}
    broken = {
        (cell["adapter"], cell["provider"]) for cell in result["cells"]
        if cell["rule"] == rule and summary.shown(cell) in FAILURES
    }  # fmt: skip
    assert {(label.rpartition(", ")[2], label.rpartition(", ")[0].rpartition(" on ")[2]) for label in shown} == broken


def test_5_how_many_libraries_break_what_a_sentence_says(home: Any, result: dict[str, Any]) -> None:
    rule = next(one for one in result["rules"] if one["id"] == "common.stream.equivalent-to-non-stream")
    type_search(home, rule["statement"][:40])
    click(home, ".places .id", rule["id"])
    cells = [cell for cell in result["cells"] if cell["rule"] == rule["id"]]
    broken = {cell["adapter"] for cell in cells if summary.shown(cell) in FAILURES}
    asked = {cell["adapter"] for cell in cells}
    assert texts(home, ".verdict")[0].startswith(f"{len(broken)} of {len(asked)} libraries")


def test_6_what_does_a_library_do_wrong_on_a_provider(home: Any, result: dict[str, Any]) -> None:
    click(home, '.sum[aria-label$="litellm on gemini"]')
    own = [cell for cell in result["cells"] if (cell["adapter"], cell["provider"]) == ("litellm", "gemini")]
    faults = {
        one["title"].replace("`", "") for cell in own for one in cell.get("judged", ()) if one["judgement"] == "fault"
    }
    assert set(texts(home, "details.cause.fail > summary strong")) == faults


def test_7_where_does_a_case_of_a_scenario_fail(home: Any, result: dict[str, Any]) -> None:
    scenario = "quirks.missing_ids"
    type_search(home, scenario)
    click(home, ".places .id", scenario)
    found = {
        (library(result, cell["adapter"]), cell["provider"]) for cell in result["cells"]
        if any(case.startswith(f"{scenario}/") for case in cell.get("failed_cases", ()))
    }  # fmt: skip
    assert {tuple(text.split(" on ")) for text in texts(home, "section.cause h3")} == found


def test_each_need_has_words_that_are_searched() -> None:
    """A need without them breaks every search."""
    source = files("conformance.report").joinpath("page/search.js").read_text("utf-8")
    meant = source.partition("const MEANT = {")[2].partition("};")[0]
    assert [need for need in (STREAMING, *NEEDS) if f"{need}: /" not in meant and f'"{need}": /' not in meant] == []


def test_8_which_of_two_libraries_breaks_less(home: Any, result: dict[str, Any]) -> None:
    """Cell by cell, as `conformance diff` counts."""
    click(home, "#bar nav a", "Compare")
    names = [one["id"] for one in result["adapters"][:2]]
    judged = [cell for cell in result["cells"] if cell["outcome"] not in ("unsupported", "not_applicable")]
    places = [{(cell["provider"], cell["rule"]) for cell in judged if cell["adapter"] == name} for name in names]
    both = len(places[0] & places[1])
    told = texts(home, ".best")[0]
    assert (f"of {both:,} that were judged in both" in told) if both else told == "No cell was judged in both."


def test_9_which_version_was_judged(home: Any, result: dict[str, Any]) -> None:
    assert texts(home, ".overview th[scope=row]") == [f"{one['name']} {one['version']}" for one in result["adapters"]]


def test_10_what_was_expected_and_what_was_found(home: Any, result: dict[str, Any]) -> None:
    """And how the case is repeated."""
    click(home, '.sum[aria-label$="litellm on gemini"]')
    rule = "common.stream.equivalent-to-non-stream"
    click(home, f'.matrix .cell[aria-label*="{rule} on gemini"]')
    until(lambda: find(home, ".failure .command"))
    place = ("litellm", "gemini", rule)
    [cell] = [one for one in result["cells"] if (one["adapter"], one["provider"], one["rule"]) == place]
    first = cell["failures"][0]
    both = (first["expected"], first["found"])
    assert texts(home, ".failure[open] .half pre") == [
        value if isinstance(value, str) and value else json.dumps(value) for value in both
    ]
    assert texts(home, ".failure[open] .command code")[0] == result["evidence"][first["evidence"]]["reproduce"]


def test_11_where_is_it_written(home: Any, result: dict[str, Any]) -> None:
    rule = next(one for one in result["rules"] if one["id"] == "anthropic.result.first-in-content")
    type_search(home, rule["id"])
    click(home, ".places .id", rule["id"])
    assert texts(home, ".source") == rule["source"]


def test_12_which_rule_do_most_libraries_break_on_a_provider(home: Any, result: dict[str, Any]) -> None:
    click(home, ".overview thead .provider", "mistral")
    counts = Counter(
        cell["rule"] for cells in troubled(result, "mistral").values() for cell, cases in cells
        if cases and summary.shown(cell) in FAILURES
    )  # fmt: skip
    shown = dict(zip(texts(home, ".places .id"), texts(home, ".places .hint"), strict=True))
    told = {rule: int(text.split()[0]) for rule, text in shown.items()}
    assert told == {rule: counts[rule] for rule in told}
    assert sorted(told.values(), reverse=True) == sorted(counts.values(), reverse=True)[: len(told)]
