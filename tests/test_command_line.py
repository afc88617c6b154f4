"""The command line as its users meet it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
from hearing import hear_signals

from conformance.cli import COMMANDS, main
from conformance.schemas import schema
from conformance.wires import PROVIDERS, card

HERE = Path(__file__).parent
ONE_CASE = ("--provider", "openai-chat", "--scenario", "shell.success", "--delivery", "blocking")


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)
    assert "exit codes" in text


def test_no_command_shows_the_help_and_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage: conformance" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert re.fullmatch(r"toolcall-conformance \d+\.\d+\.\d+\n", capsys.readouterr().out)


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "loaded"), [("1", 1), ("2", 2)])
def test_the_worker_that_says_what_an_adapter_is_plays_with_it(tmp_path: Path, jobs: str, loaded: int) -> None:
    """Loading some libraries takes seconds."""
    adapter = "with open('loaded', 'a') as file: file.write('once\\n')\n"
    adapter += "from conformance.adapters.reference import ReferenceAdapter as Adapter\n"
    (tmp_path / "counted.py").write_text(adapter)
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", "python:counted:Adapter", "--provider", "openai-chat",
         "--scenario", "shell.*", "--delivery", "blocking", "-j", jobs],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert (tmp_path / "loaded").read_text() == "once\n" * loaded


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert "usage: conformance" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["rum"], "unknown command 'rum'; did you mean 'run'?"),
        (["run", "--provider", "openai-chad"], "unknown provider 'openai-chad'; did you mean 'openai-chat'?"),
        (["run", "--scenario", "shel.success"], "no scenario matches 'shel.success'; did you mean 'shell.success'?"),
        (["run", "--rule", "common.result.no-orphans"], "did you mean 'common.result.no-orphan'?"),
        (["run", "--delivery", "stream:per-bite"], "did you mean 'stream:per-byte'?"),
        (["run", "--out", "result.docx"], "unknown suffix"),
        (["run", "--out", "/dev/null/x.json"], "cannot write there"),
        (["run", "--baseline", "no-such-file.yaml"], "No such file"),
        (["explain", "common.result.no-orphen"], "did you mean 'common.result.no-orphan'?"),
        (["report", "no-such-file.json", "--out", "x"], "No such file"),
    ],
)
def test_wrong_usage_is_one_clear_line(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("words", [["run", "--timeout", "0"], ["run", "-j", "0"], ["run", "--profile", "x"]])
def test_wrong_values_are_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "error" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["providers", "scenarios", "rules", "adapters", "deliveries"])
def test_lists_are_objects_with_ids(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", what, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows
    assert all(isinstance(row["id"], str) for row in rows)
    assert main(["list", what]) == 0
    assert rows[0]["id"] in capsys.readouterr().out


def test_the_list_of_providers_shows_what_each_can_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "providers"]) == 0
    shown = set(re.split(r"[\s,]+", capsys.readouterr().out))
    assert set().union(*(card(provider).capabilities for provider in PROVIDERS)) <= shown


def test_explain_tells_the_words_the_source_and_what_breaks_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "common.result.no-orphan"]) == 0
    text = capsys.readouterr().out
    for words in ("level", "consequence", "source", "conforms", "breaks it", "conformance run --rule"):
        assert words in text
    assert main(["explain", "common.result.no-orphan", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["violation"]


def test_dry_run_names_the_cases_by_their_axes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--dry-run", *ONE_CASE]) == 0
    assert capsys.readouterr().out == "reference openai-chat shell.success/blocking\n"


def test_a_dry_run_may_be_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--dry-run", "--format", "json", *ONE_CASE]) == 0
    plan = json.loads(capsys.readouterr().out)
    jsonschema.validate(plan, schema("plan"))
    assert [case["id"] for case in plan] == ["reference openai-chat shell.success/blocking"]
    assert main(["run", "--dry-run", "--format", "junit", *ONE_CASE]) == 2


def test_a_provider_that_an_adapter_does_not_declare_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "python:wrong_adapters:DropsIds", "--provider", "no-such-provider"]) == 2
    capsys.readouterr()
    assert main(["run", "python:misbehaving:Raises", "--provider", "gemini"]) == 4
    assert "declares openai-chat alone" in capsys.readouterr().out


def test_nothing_to_run_is_its_own_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--provider", "openai-chat", "--scenario", "unified.*", "--rule", "gemini.*"]
    assert main(["run", *words]) == 4
    assert "nothing ran" in capsys.readouterr().out


@pytest.mark.slow
def test_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {suffix: tmp_path / f"result.{suffix}" for suffix in ("json", "jsonl", "md", "xml", "txt")}
    outs = [word for path in files.values() for word in ("--out", str(path))]
    assert main(["run", *ONE_CASE, *outs]) == 0
    assert "conforms" in capsys.readouterr().out
    result = json.loads(files["json"].read_text("utf-8"))
    jsonschema.validate(result, schema("result"))
    assert result["run"]["exit_code"] == 0
    lines = [json.loads(line) for line in files["jsonl"].read_text("utf-8").splitlines()]
    assert {line["type"] for line in lines} == {"run", "adapter", "rule", "cell"}
    assert "| rules about | openai-chat |" in files["md"].read_text("utf-8")
    tests = ET.parse(files["xml"]).getroot().iter("testcase")
    assert len(list(tests)) == len(result["cells"])
    assert "conforms" in files["txt"].read_text("utf-8")


@pytest.mark.slow
def test_a_machine_format_prints_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", *ONE_CASE, "--format", "json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["cells"]
    assert printed.err == ""


@pytest.mark.slow
def test_exitfirst_stops_at_the_first_failure(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "python:misbehaving:Raises", "--format", "json", "-x", "-j", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "conformance", *words], cwd=HERE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    cases = json.loads(done.stdout)["run"]["cases"]
    assert 1 <= cases["finished"] < cases["planned"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent differently there")
def test_an_interrupted_run_leaves_a_valid_partial_result(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    command = [sys.executable, "-m", "conformance", "run", "python:misbehaving:Hangs", "--out", str(out), "-j", "1"]
    running = subprocess.Popen(
        command, cwd=HERE, stdout=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=hear_signals
    )
    time.sleep(6)
    os.kill(running.pid, signal.SIGINT)
    printed, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "interrupted" in printed
    result = json.loads(out.read_text("utf-8"))
    jsonschema.validate(result, schema("result"))
    assert result["run"]["interrupted"] is True


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "empty", "other"])
def test_a_damaged_result_file_is_one_clear_line(
    damage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "result.json"
    assert main(["run", *ONE_CASE, "--out", str(path)]) == 0
    text = path.read_text("utf-8")
    path.write_text({"cut": text[: len(text) // 2], "empty": "", "other": '{"cells": 1}'}[damage], "utf-8")
    capsys.readouterr()
    assert main(["report", str(path), "--out", str(tmp_path / "site")]) == 2
    error = capsys.readouterr().err
    assert str(path) in error
    assert error.count("\n") == 1
    assert not (tmp_path / "site").exists()


@pytest.mark.slow
def test_a_baseline_decides_the_exit_code(tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.yaml"
    entry = "{rule: '*', adapter: Raises, reason: known, link: 'https://example.org', expires: 2999-01-01}"
    baseline.write_text(f"expected_failures:\n  - {entry}\n", "utf-8")
    words = ["run", "python:misbehaving:Raises", *ONE_CASE, "--baseline", str(baseline), "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "conformance", *words], cwd=HERE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    flags = {cell.get("flag") for cell in json.loads(done.stdout)["cells"] if cell["outcome"] == "error"}
    assert flags == {"expected_fail"}
