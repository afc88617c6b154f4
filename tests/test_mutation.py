"""Faults in real code are found: a fixed hundred of them, each by the case that found it (tools/mutate_source.py)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tools")]

from mutation import forks, library, results  # noqa: E402
from mutation.hundred import Fixed, hundred  # noqa: E402
from mutation.judge import adapter_of, fails  # noqa: E402
from mutation.mutants import LEFT_OUT, Mutant, Places  # noqa: E402
from mutation.operators import Tree  # noqa: E402
from mutation.report import JUDGEMENTS  # noqa: E402
from mutation.results import Results  # noqa: E402
from mutation.shadow import ROOT, Target  # noqa: E402

from conformance.scenarios import load_scenarios  # noqa: E402
from conformance.wires import PROVIDERS, wire  # noqa: E402

CLIENT = Target("conformance/wires/anthropic/client.py")
CASE = {
    "provider": "anthropic",
    "scenario": "parallel_calls.two_reads",
    "delivery": "stream:whole",
    "profile": "portable",
}


def test_the_judge_is_not_mutated() -> None:
    real = wire("anthropic")
    adapter = adapter_of(CLIENT, CLIENT.source, "")
    assert adapter.wire("anthropic").build is not real.build
    assert adapter.wire("anthropic").assemble is real.assemble
    assert wire("anthropic") is real
    assert sys.modules["conformance.wires.anthropic.client"].build is real.build


def test_a_fault_fails_where_the_original_does_not() -> None:
    assert not fails(CLIENT, CLIENT.source, "", CASE)
    assert fails(CLIENT, CLIENT.source + "\n\ndef build(*given, **told): return None\n", "", CASE)


def _source(path: str, distribution: str | None) -> str | None:
    """The text of a file of ours, or of ``distribution``'s at a version; none where that is not installed."""
    if distribution is None:
        return (ROOT / path).read_text("utf-8")
    name, _, version = distribution.partition("==")
    try:
        installed = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
    return Path(str(installed.locate_file(path))).read_text("utf-8") if installed.version == version else None


def test_what_is_explained_is_there() -> None:
    """If this fails, a line of real code has changed: read again whether its mutant is no fault."""
    for file in JUDGEMENTS.glob("*.yaml"):
        for entry in yaml.safe_load(file.read_text("utf-8")):
            source = _source(entry["file"], entry.get("of"))
            assert entry["because"].endswith(".")
            if source is not None:
                lines = set(map(str.strip, source.splitlines()))
                assert {was for was, _ in entry["mutants"]} <= lines, entry["file"]


CHANGED = '''
@first
@second
def work(items, *, limit=2):
    for item in items:
        if item is None or not (item.size + 1 < limit and item.kind == "text"):
            continue
        try:
            assert -item.size != 0
        except (KeyError, ValueError):
            break
    return [True if item else False for item in items]
'''


@pytest.mark.slow
def test_a_file_is_changed_as_cosmic_ray_changes_it() -> None:
    """It parses the file for each change; here it is parsed once, and must be as it was after each."""
    plugins = pytest.importorskip("cosmic_ray.plugins")
    mutating = pytest.importorskip("cosmic_ray.mutating")
    tree, found = Tree(CHANGED), 0
    for name in (full.partition("/")[2] for full in plugins.operator_names()):
        if name in LEFT_OUT:
            continue
        operator = plugins.get_operator(f"core/{name}")()
        for occurrence, edit in enumerate(tree.edits(name)):
            assert edit.text == mutating.mutate_code(CHANGED, operator, occurrence) != CHANGED, name
            assert edit == tree.edit(name, occurrence)
            found += 1
        assert mutating.mutate_code(CHANGED, operator, found) is None
    assert found > 40


def test_no_text_is_another_texts_object_in_a_librarys_mutant() -> None:
    source = "def told(x):\n    return x is 'text', x is not 'text', x == 'text', x is None\n"
    made: dict[str, Any] = {}
    exec(compile(library.texts_apart(source), "mutant", "exec"), made)
    assert made["told"]("text") == (False, True, True, False)
    assert made["told"](None) == (False, True, False, True)


@pytest.mark.slow
def test_a_librarys_mutant_is_judged_where_something_else_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot that lags is seen by the way that reads snapshots, and by no other of these."""
    pytest.importorskip("cosmic_ray")
    pytest.importorskip("anthropic")
    played = {"parallel_calls.text_beside_calls": load_scenarios()["parallel_calls.text_beside_calls"]}
    monkeypatch.setattr(library, "load_scenarios", lambda: played)
    monkeypatch.setattr(library, "addresses_of", lambda name: ["anthropic", "anthropic:snapshots"])
    files = library.files_of("anthropic")
    judge = library.LibraryJudge(files)
    was, name = 'if event.delta.type == "text_delta":', "ReplaceComparisonOperator_Eq_NotEq"
    line = files[0].source.splitlines().index(f"        {was}") + 1
    occurrence = [edit.line for edit in Tree(files[0].source).edits(name)].index(line)
    lost = Mutant(name, occurrence, line, Places(files[0].source).of(line), was, was.replace("==", "!="))
    assert judge.executes(files[0], lost)
    [(_, answer)] = forks.forked([lost], lambda one: judge.answer(files[0], one), 1)
    assert answer["outcome"] == "killed"
    judge.learn(files[0], lost, answer)
    first = judge.cases[judge.running(files[0], lost)[0]]
    assert (first.planned.group.address, first.delivery) == (answer["by"], answer["delivery"])


def test_hosts_with_settings_of_their_own_are_played() -> None:
    """No provider of the list has ``reasoning_items`` or ``stream_path``. Hosts whose settings others have add none."""
    assert set(Target("conformance/wires/openai_chat/client.py").providers) - set(PROVIDERS) == {"openrouter", "groq"}
    assert set(CLIENT.providers) == {"anthropic", "bedrock-anthropic"}
    assert Target("conformance/wires/unified/client.py").providers == ["unified"]


def _endless(_: object) -> dict[str, str]:
    while True:
        pass


def _deaf(_: object) -> dict[str, str]:
    return {"never": str(pow(7, 10**9))[:1]}  # one instruction, which no handler of a signal interrupts


def _waiting(_: object) -> dict[str, str]:
    threading.Event().wait()
    return {}


def _stopped_for_a_while(_: object) -> dict[str, str]:
    subprocess.Popen(["sh", "-c", f"sleep 0.1; kill -STOP {os.getpid()}; sleep 3.5; kill -CONT {os.getpid()}"])
    while time.process_time() < 0.3:
        pass
    return {"outcome": "survived"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "outcome"),
    [(_endless, "timeout"), (_deaf, "timeout"), (_waiting, "timeout"), (_stopped_for_a_while, "survived")],
)
def test_what_takes_too_long_is_told_by_processor_time(
    work: Callable[[object], dict[str, str]], outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forks, "SECONDS", 0.5)
    monkeypatch.setattr(forks, "GRACE", 1)
    monkeypatch.setattr(forks, "LOOKS", 2)
    assert [answer["outcome"] for _, answer in forks.forked([0], work, 1)] == [outcome]


@pytest.mark.slow
def test_a_hundred_faults_are_found() -> None:
    fixed = hundred()
    there = [one for one in fixed if one.source is not None]
    assert len(there) >= 0.8 * len(fixed), "most lines have changed: python tools/mutate_source.py chooses others"

    def killed(one: Fixed) -> dict[str, bool]:
        return {"killed": one.is_killed()}

    answers = forks.forked(there, killed, 1)
    alive = [one for one, answer in answers if not answer.get("killed", answer.get("outcome") in ("timeout", "crash"))]
    assert not alive, "\n".join(f"{one.path}: {one.becomes}, not failing {one.case}" for one in alive)


def test_how_a_change_was_killed_in_an_earlier_text_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    mutants = [Mutant("AddNot", place, place, (place, place), f"if {place}:", f"if not {place}:") for place in (1, 2)]
    (tmp_path / f"{CLIENT.name}-older.mutants.json").write_text(json.dumps([asdict(one) for one in mutants]), "utf-8")
    killed = {"mutant": mutants[0].key, "outcome": "killed", **CASE}
    lines = (killed, {"mutant": mutants[1].key, "outcome": "survived"})
    (tmp_path / f"{CLIENT.name}-older.results.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert Results(CLIENT).earlier_kills() == {mutants[0].change: killed}
    assert Results(CLIENT).known() == {}
