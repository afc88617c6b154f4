"""``conformance export``: the suite as plain files, and what a runner that has nothing else finds out."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.contract import AdapterError
from conformance.cli import main
from conformance.environments.node import runnable
from conformance.environments.places import root
from conformance.export.asked import turn_assertions
from conformance.export.records import record_of
from conformance.export.relations import RELATIONS, broken, is_kept
from conformance.export.tables import table, table_of
from conformance.export.writing import ExportSelection, exported
from conformance.model import AssistantTurn, Conversation, ToolCall, UserTurn
from conformance.rules import catalogue
from conformance.transcript import Exchange
from conformance.wires import PROVIDERS

ROOT = Path(__file__).resolve().parents[2]
SELECTION = ExportSelection(("openai-chat",), ("parallel_calls.two_reads", "shell.success"))


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """A small export."""
    return exported(SELECTION)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, written by the command."""
    target = tmp_path_factory.mktemp("exports") / "suite"
    words = [word for name in SELECTION.providers for word in ("--provider", name)]
    words += [word for name in SELECTION.scenarios for word in ("--scenario", name)]
    assert main(["export", "--out", str(target), *words, "-j", "1"]) == 0
    return target


# --- relations: each is kept by one value and broken by another -----------------------------------------------------

BOTH_WAYS: list[tuple[str, Any, Any, Any]] = [
    ("present", None, 0, None), ("absent", None, None, 0), ("is", ["text", "null"], None, 1),
    ("is", ["json-object"], "{}", "[]"), ("is", ["json"], "[]", "x"), ("is", ["number"], 1, True),
    ("equals", 5, 5, 5.0), ("one-of", [1, "a"], "a", "b"), ("none-of", [None], 1, None),
    ("matches", "[a-z]+", "ab", "ab1"), ("contains", "a", "bab", "b"), ("means", {"a": 5}, '{"a": 5.0}', '{"a": 6}'),
    ("carries", {"a": 1}, '{"b": [{"a": 1}]}', '{"b": 1}'), ("tells", "x y", ["x y."], ["xy"]),
    ("tells-not", "x", {"x": 1}, {"a": "x"}), ("says", "Hi", [{"type": "text", "text": "Hi"}], "Hi there"),
    ("includes", {"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}], "d": 3}, {"a": []}),
    ("only-members", ["a"], {"a": 1}, {"b": 1}),
    ("count", 2, [1, 1], [1]), ("at-least", 1, [1, 1], []), ("unique", None, [1, 2], [1, 1]),
    ("in-order", ["a", "b"], ["a", "c", "b"], ["b", "a"]), ("among", "/known/*", "a", "c"),
]  # fmt: skip


@pytest.mark.parametrize(("relation", "value", "right", "wrong"), BOTH_WAYS)
def test_a_relation_can_be_kept_and_broken(relation: str, value: Any, right: Any, wrong: Any) -> None:
    at = "/it/*" if isinstance(right, list) and relation in ("count", "at-least", "unique", "in-order") else "/it"
    assertion = {"at": at, "relation": relation, "value": value}
    assert is_kept(assertion, {"it": right, "known": ["a"]})
    assert not is_kept(assertion, {"it": wrong, "known": ["a"]})


def test_every_relation_is_tried_and_told() -> None:
    guide = (ROOT / "conformance" / "export" / "INTERPRETING.md").read_text("utf-8")
    assert {relation for relation, *_ in BOTH_WAYS} == set(RELATIONS) - {"valid"}
    assert all(f"`{relation}`" in guide for relation in RELATIONS)


def test_tables_name_rules_that_there_are() -> None:
    names = {"common", *filter(None, map(table_of, PROVIDERS))}
    assert names >= {"chat", "responses", "anthropic"}
    named = {rule for name in names for rule in table(name)}
    assert named <= catalogue().keys()
    assert all(catalogue()[rule].side == "build" for rule in named)


def test_nothing_is_asserted_that_the_rule_does_not_ask_for() -> None:
    """The rule on order asserts the order, and nothing about the text."""
    calls = (ToolCall("call_a", "f", {"x": 1}), ToolCall("call_b", "f", {"x": 2}))
    turn = AssistantTurn("", calls, "tool_calls")
    rule = catalogue()["common.parse.call-order-preserved"]
    exchange = Exchange("openai-chat", offered=turn, understood=turn, intent=Conversation((UserTurn("Do it twice."),)))
    asserted = turn_assertions(exchange, [rule])
    swapped = replace(exchange, understood=replace(turn, calls=calls[::-1]))
    other = replace(exchange, understood=replace(turn, text="Something"))
    assert broken(asserted, record_of(swapped))
    assert not broken(asserted, record_of(other))


# --- the files -------------------------------------------------------------------------------------------------------


def test_the_manifest_has_every_file_and_tells_every_rule(files: dict[str, bytes]) -> None:
    manifest = json.loads(files["manifest.json"])
    assert manifest["files"] == {
        path: hashlib.sha256(data).hexdigest() for path, data in files.items() if path != "manifest.json"
    }
    rules = {rule.id for rule in catalogue().values() if set(rule.providers) & set(SELECTION.providers)}
    assert set(manifest["rules"]) == rules
    assert all(bool(one["decided"]) != ("why" in one) for one in manifest["rules"].values())
    assert {relation for one in _assertions(files) for relation in _relations(one)} <= set(manifest["relations"])


def _assertions(files: dict[str, bytes]) -> Iterator[dict[str, Any]]:
    for path, data in files.items():
        if path.endswith("/assertions.json"):
            yield from json.loads(data)


def _relations(assertion: dict[str, Any]) -> Iterator[str]:
    yield assertion["relation"]
    for inner in [*assertion.get("if", ()), *assertion.get("where", ())]:
        yield from _relations(inner)


@pytest.mark.slow
def test_the_command_writes_the_same_bytes_again(files: dict[str, bytes], folder: Path) -> None:
    written = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert written == files


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--provider", "antropic"], "did you mean 'anthropic'?"),
        (["--scenario", "paralel_calls.two_reads"], "did you mean 'parallel_calls.two_reads'?"),
        (["--provider", "ollama", "--scenario", "mistral.*"], "no scenario matches"),
    ],
)
def test_a_wrong_name_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    assert main(["export", "--out", str(tmp_path / "new"), "-j", "1", *words]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_used_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("kept")
    assert main(["export", "--out", str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_the_published_proof_meets_its_aims() -> None:
    """`tools/prove_export.py` makes the page, from all providers."""
    text = (ROOT / "reports" / "export.md").read_text("utf-8")
    counts = re.search(
        r"decides (\d+) of (\d+) rules.* (\d+) are killed by a rule that it decides; .* found (\d+) of these"
        r".* Of (\d+) that do nothing wrong, (\d+) pass", text,
    )  # fmt: skip
    assert counts
    decided, rules, counted, found, legal, passed = map(int, counts.groups())
    assert decided >= 0.6 * rules
    assert found >= 0.9 * counted
    assert legal == passed > 0


# --- the runner ------------------------------------------------------------------------------------------------------


def _run(folder: Path, adapter: str) -> dict[str, Any]:
    address = [sys.executable, "-m", "conformance.adapters.stdio.serve", f"python:{adapter}"]
    try:
        runner = runnable(ROOT / "clients/node/runner/run.ts", root())
    except AdapterError as problem:
        if "cannot be reached" in str(problem) or "this needs Node" in str(problem):
            pytest.skip(str(problem))
        raise
    words = [*runner, str(folder), "--json", "--", *address]
    done = subprocess.run(words, capture_output=True, cwd=ROOT, timeout=120, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    told: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode == 1) == bool(told["failed"])
    return told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("adapter", "rule"),
    [
        ("reference:ReferenceAdapter", None),
        ("results:QuotesText", "common.result.string-not-double-encoded"),
        ("reading:DropsIds", "common.ids.unique-in-conversation"),
        ("reading:RaisesOnCalls", "common.adapter.completes"),
    ],
)
def test_the_runner_in_node_finds_what_is_wrong(folder: Path, adapter: str, rule: str | None) -> None:
    room = "adapters" if rule is None else "mutants.lies"
    told = _run(folder, f"conformance.{room}.{adapter}")
    assert told["cases"] and told["asserted"]
    assert not told["failed"] if rule is None else rule in told["failed"]
