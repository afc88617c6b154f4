"""Playing again: only what failed before, with a baseline of what fails, and whenever an adapter's files change."""

from __future__ import annotations

import datetime
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.contract import AdapterError, AdapterInfo
from conformance.adapters.sources import source_places, stamped
from conformance.baseline import read_baseline
from conformance.cli import main
from conformance.engine.cases import Group
from conformance.engine.pool import AdapterProbe
from conformance.report.known_failures import UNSAID, known_failures
from conformance.runner.errors import UsageError
from conformance.runner.failed import failed_in

TODAY = datetime.date(2026, 11, 25)


def cell(rule: str, *cases: str, outcome: str = "fail", light: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """A cell of a result in which these cases failed."""
    failures = [{"case": case, "expected": "an id", "found": None} for case in cases]
    told = {"adapter": "mine", "provider": "anthropic", "rule": rule, "outcome": outcome, "failures": failures}
    return {**told, "failed_cases": list(cases), "lightened_cases": list(light), **more}


def result(*cells: dict[str, Any], issues: str | None = None) -> dict[str, Any]:
    """A result with these cells."""
    return {"run": {"profile": "native"}, "adapters": [{"id": "mine", "issues": issues}], "cells": list(cells)}


# --- what failed -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (cell("r", "a.b/blocking"), {("mine", "", "anthropic", "a.b/blocking")}),
        (cell("r", "a.b/blocking@parse"), {("mine", "parse", "anthropic", "a.b/blocking")}),
        (cell("r", "a.b/blocking#2"), {("mine", "", "anthropic", "a.b/blocking")}),
        (cell("r", "a.b/b", "c.d/blocking", light=("c.d/blocking",)), {("mine", "", "anthropic", "a.b/b")}),
        (cell("r", "a.b/blocking", outcome="warn"), set()),
        (cell("r", "a.b/blocking", flag="expected_fail"), set()),
        (cell("r", "a.b/blocking", outcome="crash"), {("mine", "", "anthropic", "a.b/blocking")}),
    ],
    ids=["plain", "by a way", "of several attempts", "only of others", "a warning", "in the baseline", "crashed"],
)
def test_what_failed_in_a_result(one: dict[str, Any], expected: set[Any]) -> None:
    assert failed_in(result(one), "r.json").cases == expected


def probed(name: str, version: str = "1") -> AdapterProbe:
    """An adapter of this name."""
    return AdapterProbe("python:m:A", AdapterInfo(name, {"anthropic": {"blocking"}}, version), "translator")


def test_only_these_cases_are_left_of_a_plan() -> None:
    planned = [
        Group("python:m:A", "anthropic", "a.b", ("blocking", "stream:whole")),
        Group("python:m:A", "anthropic", "c.d", ("blocking",)),
        Group("python:m:A", "gemini", "a.b", ("blocking",)),
    ]
    failed = failed_in(result(cell("r", "a.b/blocking")), "r.json")
    assert failed.kept(planned, [probed("mine")]) == (Group("python:m:A", "anthropic", "a.b", ("blocking",)),)
    with pytest.raises(UsageError, match=r"none of the 1 cases that failed in r\.json is in this selection"):
        failed.kept(planned[1:], [probed("mine")])
    with pytest.raises(UsageError, match=r"r\.json is about mine, and not about other"):
        failed.kept(planned, [probed("other")])


def test_a_result_of_several_versions_names_them() -> None:
    document = result({**cell("r", "a.b/blocking"), "adapter": "mine 2"})
    document["adapters"] = [{"id": "mine 1"}, {"id": "mine 2"}]
    planned = [Group("python:m:A", "anthropic", "a.b", ("blocking",))]
    failed = failed_in(document, "r.json")
    assert failed.kept(planned, [probed("mine", "2")]) == tuple(planned)
    with pytest.raises(UsageError):
        failed.kept(planned, [probed("mine", "1")])


# --- a baseline of what fails ----------------------------------------------------------------------------------------


def written(folder: Path, document: dict[str, Any], *kept: Any, **more: Any) -> list[Any]:
    """The entries of a baseline that is written for a result, read again."""
    path = folder / "known.yaml"
    path.write_text(known_failures(document, kept, TODAY, **more), "utf-8")
    return read_baseline(path)


@pytest.mark.parametrize(
    ("cases", "glob"),
    [
        (["a.b/blocking"], "a.b/blocking"),
        (["a.b/blocking", "a.b/stream:whole"], "a.b/*"),
        (["a.b/blocking", "a.c/blocking"], "a.*"),
        (["a.b/blocking", "d.c/blocking"], "*"),
    ],
)
def test_an_entry_is_as_narrow_as_its_cases(cases: list[str], glob: str, tmp_path: Path) -> None:
    [entry] = written(tmp_path, result(cell("common.result.no-orphan", *cases)))
    assert (entry.rule, entry.provider, entry.case) == ("common.result.no-orphan", "anthropic", glob)
    assert entry.reason.endswith("expected an id, found null")
    assert (entry.link, entry.expires) == (UNSAID, datetime.date(2027, 2, 23))


def test_what_conforms_has_an_empty_baseline(tmp_path: Path) -> None:
    assert written(tmp_path, result(cell("r", "a.b/blocking", outcome="warn"))) == []


def test_entries_that_are_needed_are_kept_as_they_are(tmp_path: Path) -> None:
    known = tmp_path / "before.yaml"
    rest = "reason: 'we: know'\n    link: https://example.org/1\n    expires: 2027-01-31\n"
    known.write_text(f"expected_failures:\n  - rule: a.*\n    {rest}  - rule: gone\n    {rest}", "utf-8")
    document = result(cell("a.b", "x.y/blocking", flag="expected_fail"), cell("c.d", "x.y/blocking"), issues="https://e.org")
    first, second = written(tmp_path, document, *read_baseline(known))
    assert (first.rule, first.reason, str(first.expires)) == ("a.*", "we: know", "2027-01-31")
    assert (second.rule, second.link) == ("c.d", "https://e.org")
    of_a_part = written(tmp_path, document, *read_baseline(known), whole=False)
    assert [entry.rule for entry in of_a_part] == ["a.*", "gone", "c.d"]


SWAPS = "python:wrong_adapters:DropsIds"
FEW = ["--provider", "openai-chat", "--scenario", "shell.s*", "--generated", "none", "-j", "1"]


@pytest.mark.slow
def test_a_run_goes_on_from_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Red, a baseline of it, green with it; what failed is played alone; and with nothing left, nothing runs."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    first, known, again = tmp_path / "first.json", tmp_path / "known.yaml", tmp_path / "again.json"
    assert main(["run", SWAPS, *FEW, "--out", str(first), "--write-baseline", str(known)]) == 1
    assert "from now on: --baseline" in capsys.readouterr().err
    assert main(["run", SWAPS, *FEW, "--baseline", str(known), "--out", str(again)]) == 0
    failing = failed_in(json.loads(first.read_text("utf-8")), "first").cases
    assert main(["run", SWAPS, *FEW, "--failed-from", str(first), "--dry-run"]) == 0
    capsys.readouterr()
    assert main(["run", SWAPS, *FEW, "--failed-from", str(first), "--dry-run", "--format", "json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    names = {(one["provider"], f"{one['scenario']}/{one['delivery']}") for one in planned}
    assert names == {one[2:] for one in failing}
    assert main(["run", SWAPS, *FEW, "--failed-from", str(again)]) == 4, "nothing failed but what was expected"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--failed-from", "there-is-none.json"], "there-is-none.json: No such file"),
        (["--write-baseline", __file__], "is there already: with --baseline"),
        (["--write-baseline", "new.yaml", "--exitfirst"], "--write-baseline needs a whole run"),
        (["--write-baseline", f"{__file__}/x.yaml"], "cannot write there"),
    ],
)
def test_what_does_not_fit_is_one_line(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", *words]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


# --- whenever its files change ---------------------------------------------------------------------------------------


def test_what_is_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mylib").mkdir()
    (tmp_path / "mylib" / "__init__.py").write_text("", "utf-8")
    for path in ("mine.py", "dist/main.js", "node_modules/x/y.js", ".git/index"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("", "utf-8")
    places = {
        "./mine.py": tmp_path,
        "mine.py:Adapter": tmp_path,
        "python:mylib.adapter:Adapter": tmp_path / "mylib",
        "python:mine:Adapter": tmp_path / "mine.py",
        "stdio:node dist/main.js": tmp_path / "dist",
    }
    assert {address: source_places(address) for address in places} == {one: [place] for one, place in places.items()}
    for address in ("./other.py", "python:other.mod:A", "stdio:node", "openai"):
        with pytest.raises(AdapterError, match="there is no file to watch: name one with --path"):
            source_places(address)
    seen = {path.relative_to(tmp_path).as_posix() for path in stamped([tmp_path])}
    assert seen == {"mine.py", "dist/main.js", "mylib/__init__.py"}


def test_a_change_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("1", "utf-8")
    before = stamped([tmp_path])
    assert stamped([tmp_path]) == before
    file.write_text("12", "utf-8")
    changed = stamped([tmp_path])
    assert changed != before
    (tmp_path / "b.py").write_text("", "utf-8")
    assert stamped([tmp_path]) != changed


MINE = """\
from conformance.adapters.reference import ReferenceAdapter


class Adapter(ReferenceAdapter):
    def parse_response(self, provider, response, *, conversation=None):
        import dataclasses

        turn = super().parse_response(provider, response, conversation=conversation)
        return {0}
"""


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """`conformance watch` of an adapter that loses calls."""
    (tmp_path / "mine.py").write_text(MINE.format("dataclasses.replace(turn, calls=turn.calls[:2])"), "utf-8")
    words = ["watch", "./mine.py", "--provider", "ollama", "--scenario", "parallel_calls.*", "--delivery", "blocking"]
    child = subprocess.Popen(
        [sys.executable, "-m", "conformance", *words, "-j", "1"], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    killer = threading.Timer(100, child.kill)
    killer.start()
    yield child
    killer.cancel()
    child.kill()
    child.wait()


def until(child: subprocess.Popen[str], words: str) -> str:
    """What it says until it says these words."""
    assert child.stdout is not None
    said = ""
    for line in child.stdout:
        said += line
        if words in line:
            return said
    raise AssertionError(said)


@pytest.mark.slow
def test_a_change_plays_what_failed_first_and_then_all(watching: subprocess.Popen[str], tmp_path: Path) -> None:
    first = until(watching, "waiting for a change")
    assert "does not conform" in first
    (tmp_path / "mine.py").write_text("this is no Python", "utf-8")
    assert "SyntaxError" in until(watching, "waiting for a change")
    (tmp_path / "mine.py").write_text(MINE.format("turn"), "utf-8")
    mended = until(watching, "waiting for a change")
    some, every = (int(number) for number in re.findall(r"^conforms: .* (\d+) cases", mended, re.MULTILINE))
    assert 0 < some < every
    watching.send_signal(signal.SIGTERM)
    assert watching.wait(20) == 130
