"""`conformance.run`: events in order, a result at the end, and no way to leave processes behind."""

from __future__ import annotations

import datetime
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import conformance
from conformance import CaseResult, Run, RunPlan, RunResult, RunStop
from conformance.schemas import schema

ROOT = Path(__file__).parent.parent
SCENARIO = "shell.success"
FEW: dict[str, Any] = {"providers": "openai-chat", "scenarios": SCENARIO, "jobs": 1}


def one(adapter: str = "reference", **settings: Any) -> Run:
    """A run of one case."""
    return conformance.run(adapter, **{**FEW, "deliveries": "blocking", **settings})


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adapters that misbehave can be imported."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    """Whatever a test does with its runs, their workers are gone at its end."""
    before = children()
    yield
    assert children() == before


def children() -> set[str]:
    """The processes that this one started, zombies aside."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text("utf-8").rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if parent == str(os.getpid()) and state != "Z":
            found.add(path.parent.name)
    return found


# --- events ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_first_the_plan_then_every_case_then_the_result(capfd: pytest.CaptureFixture[str]) -> None:
    plan, *cases, result = conformance.run("reference", **FEW)
    assert isinstance(plan, RunPlan)
    assert isinstance(result, RunResult)
    assert all(isinstance(event, CaseResult) for event in cases)
    assert plan.cases == len(cases) == len({case.case for case in cases if isinstance(case, CaseResult)})
    [adapter] = plan.adapters
    assert {case.adapter for case in cases if isinstance(case, CaseResult)} == {adapter.info.name}
    assert result.conforms
    assert result.exit_code == 0
    assert result.cells["pass"] > 0
    jsonschema.validate(result.document, schema("result"))
    assert result.document["run"]["cases"]["finished"] == plan.cases
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_case_that_fails_says_by_which_rules() -> None:
    run = one("python:misbehaving:Raises")
    [case] = [event for event in run if isinstance(event, CaseResult)]
    assert case.failed
    assert case.outcome == "error"
    assert case.outcomes["common.adapter.completes"] == "error"
    assert (case.provider, case.scenario, case.delivery) == ("openai-chat", SCENARIO, "blocking")
    assert run.result.exit_code == 1
    assert not run.result.conforms


@pytest.mark.slow
def test_it_is_the_command_lines_result(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    words = ["run", "--provider", "openai-chat", "--scenario", SCENARIO, "-j", "1", "--out", str(path)]
    subprocess.run([sys.executable, "-m", "conformance", *words], check=True, capture_output=True)
    result = conformance.run(**FEW).finish()
    theirs, ours = (without_times(item) for item in (json.loads(path.read_text("utf-8")), result.document))
    assert ours == theirs
    result.write(tmp_path / "ours.json")
    assert json.loads((tmp_path / "ours.json").read_text("utf-8")) == result.document


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    """A result without what is another each time: when it was made, and how long each cell took."""
    run = {name: value for name, value in document["run"].items() if name not in ("started", "duration_s", "command")}
    cells = [{name: value for name, value in cell.items() if name != "seconds"} for cell in document["cells"]]
    return {**json.loads(json.dumps(document)), "run": run, "cells": cells}


@pytest.mark.slow
def test_the_command_of_the_result_makes_it_again() -> None:
    command = one().finish().document["run"]["command"]
    assert command == (
        "conformance run reference --provider openai-chat --scenario shell.success --delivery blocking"
    )


@pytest.mark.slow
def test_two_runs_at_once_and_one_after_the_other() -> None:
    first, second = one(), one("python:misbehaving:Raises")
    assert isinstance(next(first), RunPlan)
    assert isinstance(next(second), RunPlan)
    assert second.finish().exit_code == 1
    assert first.finish().exit_code == 0
    assert one().finish().exit_code == 0


# --- ending early ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_exitfirst_stops_at_the_first_failure() -> None:
    events = list(conformance.run("python:misbehaving:Raises", **FEW, exitfirst=True))
    cases = [event for event in events if isinstance(event, CaseResult)]
    [stop] = [event for event in events if isinstance(event, RunStop)]
    assert [case.failed for case in cases][-1]
    assert stop.reason == "first_failure"
    assert isinstance(events[-1], RunResult)
    assert not events[-1].interrupted


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [False, True], ids=["by who iterates", "by another thread"])
def test_a_run_that_is_cancelled_has_a_valid_result_of_what_was_seen(elsewhere: bool) -> None:
    run = conformance.run("reference", **FEW)
    seen: list[str] = []
    reasons: list[str] = []
    for event in run:
        if isinstance(event, CaseResult) and not seen:
            seen.append(event.case)
            if elsewhere:
                thread = threading.Thread(target=run.cancel)
                thread.start()
                thread.join()
            else:
                run.cancel()
        elif isinstance(event, CaseResult):
            seen.append(event.case)
        elif isinstance(event, RunStop):
            reasons.append(event.reason)
    assert reasons == ["cancelled"]
    assert len(seen) == 1
    assert_partial(run.result, finished=1)


def test_a_run_is_cancelled_at_once_while_an_adapter_plays() -> None:
    run = one("python:misbehaving:Hangs", timeout=60)
    assert isinstance(next(run), RunPlan)
    assert_partial(cancelled(run), finished=0)


def test_a_run_is_cancelled_at_once_while_an_adapter_loads() -> None:
    """Nobody knows then what it is, nor what it could play."""
    result = cancelled(one("python:misbehaving:Loads"))
    jsonschema.validate(result.document, schema("result"))
    assert (result.exit_code, result.interrupted, result.document["adapters"]) == (130, True, [])


def cancelled(run: Run) -> RunResult:
    """The result of a run that another thread cancels while this one waits for an event. It does not wait longer."""
    started = time.monotonic()
    threading.Timer(0.5, run.cancel).start()
    *_, stop, result = run
    assert time.monotonic() - started < 5
    assert isinstance(stop, RunStop)
    assert stop.reason == "cancelled"
    assert isinstance(result, RunResult)
    return result


@pytest.mark.slow
def test_leaving_the_block_kills_workers_in_the_middle_of_a_case() -> None:
    before = children()
    with one("python:misbehaving:Hangs", deliveries=("blocking", "stream:whole"), jobs=2) as run:
        assert isinstance(next(run), RunPlan)
        assert children() > before
    assert children() == before
    with pytest.raises(RuntimeError, match="no result yet"):
        _ = run.result

    with conformance.run("reference", **FEW) as run:
        next(event for event in run if isinstance(event, CaseResult))
        assert children() > before
    assert children() == before
    assert_partial(run.result, finished=1)


@pytest.mark.slow
def test_an_interrupt_is_raised_and_leaves_a_result() -> None:
    code = """if True:
        import json, os, signal, conformance
        run = conformance.run("python:misbehaving:Hangs", providers="openai-chat", scenarios="shell.*", timeout=60)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job has it ignored
        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
        next(run)  # from here on it only waits
        signal.setitimer(signal.ITIMER_REAL, 3, 10)  # who is not heard presses again
        try:
            for event in run:
                pass
        except KeyboardInterrupt:
            signal.setitimer(signal.ITIMER_REAL, 0)
            print(json.dumps(run.result.document["run"]))
    """
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True, check=True, timeout=50
    )
    document = json.loads(done.stdout)
    assert document["interrupted"] is True
    assert document["exit_code"] == 130


def assert_partial(result: RunResult, *, finished: int) -> None:
    """The result says that it is not whole, and conforms to its schema."""
    assert result.interrupted
    assert result.exit_code == 130
    jsonschema.validate(result.document, schema("result"))
    assert result.document["run"]["interrupted"] is True
    assert result.document["run"]["cases"]["finished"] == finished
    assert result.document["run"]["cases"]["planned"] > finished


# --- baselines, recordings -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_baseline_is_a_file_or_its_entries(tmp_path: Path) -> None:
    entry = {"rule": "*", "reason": "known", "link": "https://example.org", "expires": "2999-01-01"}
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps({"expected_failures": [entry]}), "utf-8")
    for baseline in ([entry], path, str(path)):
        assert one("python:misbehaving:Raises", baseline=baseline).finish().exit_code == 0
    yesterday = str(datetime.date.today() - datetime.timedelta(days=1))
    result = one("python:misbehaving:Raises", baseline=[{**entry, "expires": yesterday}]).finish()
    assert result.exit_code == 1
    assert "expired" in result.baseline[0]


@pytest.mark.slow
def test_what_is_recorded_can_be_played(tmp_path: Path) -> None:
    from urllib.parse import urlsplit

    from conformance.server import serving

    with serving() as server:
        path = urlsplit(server.url("anthropic")).path
        url = server.url("anthropic", SCENARIO).removesuffix(path.replace("/p/anthropic", ""))
        settings: dict[str, Any] = {"providers": "anthropic", "scenarios": SCENARIO, "cassettes": tmp_path}
        recorded = conformance.run(
            responder="record", base_urls=url, origin="conformance serve", max_calls=20, **settings
        )
        events = list(recorded)
    assert [event.failed for event in events if isinstance(event, CaseResult)] == [False, False]
    assert recorded.result.document["run"]["responder"] == "record"
    jsonschema.validate(recorded.result.document, schema("result"))
    assert len(list(tmp_path.rglob("*.json"))) == 2
    assert conformance.run(responder="cassette", **settings).finish().exit_code == 0


@pytest.mark.slow
def test_a_recording_ends_when_its_calls_are_spent(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"providers": "ollama", "scenarios": SCENARIO, "cassettes": tmp_path, "max_calls": 0}
    events = list(conformance.run(responder="record", base_urls="http://127.0.0.1:9", **settings))
    [stop] = [event for event in events if isinstance(event, RunStop)]
    assert stop.reason == "calls_spent"
    assert stop.words.startswith("stopped after 0 calls")


# --- the example in the documentation --------------------------------------------------------------------------------


def example() -> str:
    """The program in docs/running.md."""
    text = (ROOT / "docs" / "running.md").read_text("utf-8")
    found = re.search(r"## From Python\n.*?```python\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.slow
def test_the_example_runs(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", example()], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "conforms"
    assert json.loads((tmp_path / "result.json").read_text("utf-8"))["run"]["exit_code"] == 0


@pytest.mark.slow
def test_the_example_is_typed(tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(example(), "utf-8")
    words = ["--strict", "--cache-dir", str(ROOT / ".mypy_cache"), str(path)]  # as `mypy` itself, which goes on with it
    done = subprocess.run([sys.executable, "-m", "mypy", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    path.write_text(example().replace("conformance.run(", "conformance.run(jobs='two', ", 1), "utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "jobs" in done.stdout


# --- whose doing it is, and what was printed -------------------------------------------------------------------------


@pytest.mark.parametrize(("tolerance", "code", "outcome"), [(False, 0, "warn"), (True, 1, "error")])
def test_what_only_other_hosts_do_fails_a_run_only_if_that_is_asked_for(
    tolerance: bool, code: int, outcome: str
) -> None:
    asked: dict[str, Any] = {"scenarios": "quirks.missing_index", "deliveries": "stream:whole", "tolerance": tolerance}
    result = one("python:misbehaving:NeedsAnIndex", **asked).finish()
    assert result.exit_code == code
    cells = {cell["rule"]: cell for cell in result.document["cells"]}
    cell = cells["common.adapter.completes"]
    assert cell["outcome"] == outcome
    assert (cell.get("word"), cell.get("lightened_cases")) == (
        (None, None) if tolerance else ("oddity", ["quirks.missing_index/stream:whole"])
    )
    assert [cause["standing"] for cause in result.document["causes"]] == ["fails" if tolerance else "oddity"]
    command = next(iter(result.document["evidence"].values()))["reproduce"]
    assert command.endswith(" --tolerance") == tolerance
    jsonschema.validate(result.document, schema("result"))


def test_what_an_adapter_prints_stands_with_the_case_that_fails() -> None:
    document = one("python:misbehaving:PrintsAndFails").finish().document
    printed = {item.get("printed") for item in document["evidence"].values()}
    assert len(printed) == 1
    (text,) = printed
    assert "looking at True" in text and re.search(r"breakpoint\(\) at .*misbehaving\.py:\d+: ", text)


def test_an_exception_is_one_cause_with_a_traceback_that_has_no_line_of_ours() -> None:
    document = one("python:misbehaving:RaisesOnBuild").finish().document
    (cause,) = document["causes"]
    assert cause["kind"] == "exception" and len(cause["rules"]) > 1
    assert "misbehaving.py:" in cause["place"]
    assert re.findall(r'File ".*?([^/"]+)"', cause["traceback"]) == ["misbehaving.py"]
