"""``conformance new``: what it writes runs as it is, and never writes over what is there."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.cli.scaffolding import LANGUAGES, package_name
from conformance.scenarios import load_scenarios

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "python": {"README.md", "adapter.py"},
    "typescript": {
        "README.md", ".gitignore", "package.json", "tsconfig.json", "src/adapter.ts", "src/main.ts", "src/protocol.ts",
        "src/sse.ts",
    },
    "go": {"README.md", ".gitignore", "go.mod", "main.go", "adapter.go", "protocol.go"},
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_adapter_has_its_files_and_its_name(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "My Adapter"
    assert main(["new", "adapter", str(folder), "--language", language]) == 0
    written = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert written.keys() == FILES[language]
    assert not any("{{name}}" in text for text in written.values())
    assert any('"my-adapter"' in text for text in written.values())
    assert 12 <= len(written["README.md"].splitlines()) <= 25


@pytest.mark.slow
def test_the_python_adapter_conforms_in_what_it_declares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["new", "adapter", str(tmp_path / "a")]) == 0
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", "python:adapter:Adapter", "--delivery", "blocking", "--delivery",
         "stream:random-1"],
        cwd=tmp_path / "a", capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "unsupported" in done.stdout
    as_here = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    checker = [sys.executable, "-m", "mypy", "--strict", *as_here, "adapter.py"]
    checked = subprocess.run(checker, cwd=tmp_path / "a", capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_a_folder_with_files_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").write_text("mine")
    assert main(["new", "adapter", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


@pytest.mark.parametrize(
    ("folder", "name"), [("My Adapter!", "my-adapter"), ("a.b_c", "a-b-c"), ("…", "adapter"), ("x9", "x9")]
)
def test_a_name_is_fit_for_all_languages(folder: str, name: str) -> None:
    assert package_name(Path(folder)) == name


def test_a_scenario_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "scenario", "weather.two_cities", "--dir", str(tmp_path)]) == 0
    assert list(load_scenarios(tmp_path)) == ["weather.two_cities"]
    few = ["--provider", "gemini", "--delivery", "blocking", "--jobs", "1"]
    assert main(["run", "--scenarios", str(tmp_path), *few]) == 0
    assert main(["new", "scenario", "weather.two_cities", "--dir", str(tmp_path)]) == 2
    assert "two_cities.yaml is there already" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["weather", "Weather.Two", "a.b.c", "../x.y", "a."])
def test_a_wrong_name_of_a_scenario(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "scenario", name, "--dir", str(tmp_path)]) == 2
    assert "write family.name" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


PROVEN = """
import sys
sys.path.insert(0, sys.argv[1])
import jsonpatch, copy
from conformance.rules import catalogue
from conformance.rules.examples import example_exchange
from conformance.rules.judge import judge
assert catalogue.__module__ and sys.modules["conformance"].__file__.startswith(sys.argv[1])
for name in sys.argv[2:]:
    rule = catalogue()[name]
    assert judge(rule, example_exchange(rule, rule.example)) == [None]
    broken = jsonpatch.apply_patch(copy.deepcopy(dict(rule.example)), list(rule.violation))
    (finding,) = judge(rule, example_exchange(rule, broken))
    assert rule.violation[0]["path"].startswith("/request" + finding.at)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of this project's package."""
    ignored = shutil.ignore_patterns("__pycache__", "node_modules")
    shutil.copytree(ROOT / "conformance", tmp_path / "conformance", ignore=ignored)
    return tmp_path


@pytest.mark.slow
def test_a_rule_is_proven_from_both_sides(checkout: Path) -> None:
    names = [f"{prefix}.declare.is-described" for prefix in ("common", "chat", "responses", "anthropic", "gemini")]
    for name in [*names, "ollama.declare.lambda"]:
        assert main(["new", "rule", name, "--dir", str(checkout)]) == 0
    done = subprocess.run(
        [sys.executable, "-c", PROVEN, str(checkout), *names, "ollama.declare.lambda"],
        capture_output=True, text=True, check=False, cwd=checkout,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("described", "is no rule's id: write provider.stage.name"),
        ("chat.declare.Described", "is no rule's id"),
        ("openai.declare.described", "the first part must be one of common, chat, "),
        ("chat.talk.described", "the second part must be a stage: binary, choose, "),
        ("chat.declare.function-wrapper", "chat.declare.function-wrapper is in "),
    ],
)
def test_a_wrong_rule_is_one_clear_line(name: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "rule", name, "--dir", str(ROOT)]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


def test_rules_live_in_a_checkout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "rule", "chat.declare.described", "--dir", str(tmp_path)]) == 2
    assert "is no checkout of this project" in capsys.readouterr().err
