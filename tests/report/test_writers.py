"""The writers: what they say about one known result, and that no string gets out of its place."""

from __future__ import annotations

import io
import json
import os
import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console
from sample_results import PAYLOAD, Document, hostile, sample

from conformance.report import summary, terminal
from conformance.report.causes import causes_of
from conformance.report.coverage import coverage
from conformance.report.markdown import markdown
from conformance.report.packing import PackedResult
from conformance.report.writers import formatted_result
from conformance.schemas import schema

SNAPSHOTS = Path(__file__).parent / "snapshots"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def matches(name: str, text: str) -> None:
    """Compares with a stored text; with UPDATE_SNAPSHOTS set, stores it."""
    path = SNAPSHOTS / name
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(text, "utf-8", newline="\n")
    assert text == path.read_text("utf-8")


def on_terminal(document: Document, width: int, *, verbose: bool = False) -> str:
    """What a terminal of this width shows, without colours."""
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None, highlight=False)
    with console.capture() as captured:
        terminal.render(document, console, verbose=verbose)
    return captured.get()


def test_the_sample_is_a_result() -> None:
    jsonschema.validate(sample(), schema("result"))
    jsonschema.validate(hostile(sample()), schema("result"))


@pytest.mark.parametrize(
    ("name", "kind", "verbose"),
    [
        ("matrix.md", "markdown", False), ("result.xml", "junit", False), ("result.jsonl", "jsonl", False),
        ("piped.txt", "table", False), ("piped-verbose.txt", "table", True),
    ],
)  # fmt: skip
def test_formats_say_what_they_said(name: str, kind: str, verbose: bool) -> None:
    matches(name, formatted_result(sample(), kind, verbose=verbose))


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_tables_keep_to_the_width_of_a_terminal(width: int) -> None:
    document = sample()
    text = on_terminal(document, width)
    tables = text[: text.index("\n\nWhat fails")].splitlines()
    assert all(len(line) <= width for line in tables)
    assert all(sum(line.count(provider) for line in tables) for provider in ("openai-chat", "anthropic"))
    statements = [line for line in text.splitlines() if line.startswith("  ") and ":  " not in line[:14]]
    assert all(len(line) <= width for line in statements if "reproduce" not in line)


def test_a_terminal_shows_what_it_showed() -> None:
    matches("terminal-80.txt", on_terminal(sample(), 80))


def test_lines_to_copy_are_never_broken() -> None:
    text = on_terminal(sample(), 40)
    assert "conformance run python:alpha:Adapter --provider openai-chat --scenario arguments.big_integers " in text


def test_no_line_ends_in_blanks() -> None:
    for text in (
        on_terminal(sample(), 80),
        on_terminal(sample(), 80, verbose=True),
        formatted_result(sample(), "table"),
    ):
        assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_the_command_names_the_rule_that_failed() -> None:
    for kind in ("table", "markdown", "junit"):
        text = formatted_result(sample(), kind, verbose=True)
        assert "--rule common.parse.integers-above-2-53" in text


def test_jsonl_has_a_type_on_every_line() -> None:
    lines = [json.loads(line) for line in formatted_result(sample(), "jsonl").splitlines()]
    document = sample()
    assert Counter(line["type"] for line in lines) == {
        "run": 1,
        "adapter": 2,
        "rule": 6,
        "cell": len(document["cells"]),
        "evidence": len(document["evidence"]),
    }


def test_junit_counts_its_tests() -> None:
    root = ET.fromstring(formatted_result(sample(), "junit"))
    for kind, name in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(root.get(kind, "")) == len(list(root.iter(name)))
        assert int(root.get(kind, "")) == sum(int(suite.get(kind, "")) for suite in root)
    assert int(root.get("tests", "")) == len(list(root.iter("testcase")))


def test_junit_has_times_and_tells_the_calls_of_a_case_apart() -> None:
    document = sample()
    document["cells"][1]["seconds"] = 1.25
    first, second = document["cells"][1]["failures"]
    document["cells"][1]["failures"] = [first, {**second, "case": first["case"], "evidence": "e-again"}]
    document["evidence"]["e-again"] = {**document["evidence"]["e-big"], "model_call": 2}
    root = ET.fromstring(formatted_result(document, "junit"))
    test = next(one for one in root.iter("testcase") if one.get("time") == "1.250")
    text = test.find("failure").text or ""  # type: ignore[union-attr]
    calls = [line for line in text.splitlines() if line.startswith(first["case"])]
    assert [line.endswith("model call 2") for line in calls] == [False, True]
    assert sum(float(suite.get("time", "0")) for suite in root) == 1.25


def test_tallies_count_passes_of_what_was_judged() -> None:
    cells = [{"outcome": outcome} for outcome in ("pass", "pass", "warn", "unsupported", "not_applicable")]
    assert summary.tally(cells) == "2/3"
    assert summary.state(cells) == "warn"
    assert summary.tally(cells[3:]) == "–"
    assert summary.tally(cells[4:]) == "·"


def test_an_expected_failure_is_shown_but_is_no_trouble() -> None:
    cells = [{"outcome": "fail", "flag": "expected_fail"}, {"outcome": "pass"}]
    assert summary.state(cells) == "expected_fail"
    assert summary.tally(cells) == "1/2"
    assert "common.result.no-orphan on anthropic" not in formatted_result(sample(), "markdown")
    own = [cause for cause in causes_of(sample()) if "common.result.no-orphan" in cause["rules"]]
    assert own and all("anthropic" not in cause["providers"] for cause in own)


@pytest.mark.parametrize(
    ("expected", "found", "shown"),
    [
        ("an id of its own", "call_1", ("an id of its own", "call_1")),
        ("5", 5, ('"5"', "5")),
        (20, 20.0, ("20", "20.0")),
        (2**53 + 1, 2**53, ("9007199254740993", "9007199254740992")),
        ("", None, ('""', "null")),
        ("a\n", "a ", ('"a\\n"', '"a "')),
        ("\x1b[2J", "\u202e", ("\\x1b[2J", "\\u202e")),
    ],
)
def test_values_in_one_line_tell_their_difference(expected: object, found: object, shown: tuple[str, str]) -> None:
    assert summary.contrast({"expected": expected, "found": found}) == shown


def test_of_long_values_the_difference_is_shown() -> None:
    same = "x" * 5_000
    expected, found = summary.contrast({"expected": same + "A", "found": same + "B"})
    assert expected.endswith("xA")
    assert found.endswith("xB")
    assert len(expected) <= 200


@pytest.mark.parametrize("kind", ["table", "markdown", "junit", "jsonl", "json"])
def test_hostile_strings_stay_in_their_places(kind: str) -> None:
    text = formatted_result(hostile(sample()), kind, verbose=True)
    text.encode()
    if kind == "junit":
        assert len(list(ET.fromstring(text).iter("testcase"))) == len(sample()["cells"]) + 1
    elif kind == "jsonl":
        assert [json.loads(line) for line in text.splitlines()]
    elif kind == "json":
        assert PAYLOAD in json.loads(text)["adapters"][0]["name"]
    else:
        assert not CONTROL.search(text)


@pytest.mark.parametrize("text", [markdown(hostile(sample())), coverage(sample())])
def test_markdown_holds_no_markup_of_others(text: str) -> None:
    without_blocks = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", without_blocks)
    assert set(re.findall(r"(?<!\\)<[^>]*>", outside)) <= {"<details>", "<summary>", "</summary>", "</details>"}


def test_an_interruption_is_told() -> None:
    document = sample()
    document["run"] |= {"interrupted": True, "exit_code": 130}
    for kind in ("table", "markdown"):
        text = formatted_result(document, kind)
        assert "this is what was seen until then" in text
        assert "110 of 110 cases" in text


def test_signs_that_an_encoding_lacks_become_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", stream)
    terminal.print_matrix(sample())
    stream.seek(0)
    text = stream.read()
    assert "v 1/1" in text
    assert " X fails " in text


def test_who_is_buffered_is_told_so_in_every_matrix() -> None:
    document = sample()
    cell = next(cell for cell in document["cells"] if cell["outcome"] == "warn" and "flag" not in cell)
    cell["word"] = "buffered"
    jsonschema.validate(document, schema("result"))
    text = formatted_result(document, "table", verbose=True)
    assert "b warns (buffered)" in text and re.search(r"^common\.parse\.unknown-fields +b", text, re.MULTILINE)
    assert "🪣 warns (buffered)" in markdown(document)
    assert "1 buffered" in summary.verdict(document) and "warn" not in summary.verdict(document)
    outcomes = PackedResult(document).core()["outcomes"]
    assert [(one["glyph"], one["words"], one["kind"]) for one in outcomes if one["id"] == "buffered"] == [
        ("b", "buffered", "warn")
    ]
