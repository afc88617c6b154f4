"""tools/hunt.py: what a wrong adapter gets wrong becomes a small scenario file that shows it again."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from conformance.adapters.addresses import find_adapter
from conformance.cli import main
from conformance.scenarios import AnswerStep, load_scenarios

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture(scope="module")
def hunting() -> ModuleType:
    """The program, as a module."""
    spec = importlib.util.spec_from_file_location("hunt", ROOT / "tools" / "hunt.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hunt"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_what_is_found_is_small_and_fails_again(
    hunting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hunting, "PATIENCE", 30)
    monkeypatch.syspath_prepend(str(HERE.parent))
    adapter, out = "python:wrong_adapters:DropsIds", tmp_path / "found" / "dropped.yaml"
    words = [adapter, "--provider", "openai-chat", "--seconds", "60", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["hunt", *words])
    assert hunting.main() == 1
    said = capsys.readouterr().out
    assert f"conformance run {adapter} --scenarios {tmp_path} --scenario found.dropped" in said
    (scenario,) = load_scenarios(tmp_path).values()
    assert scenario.providers == ("openai-chat",)
    steps = scenario.history + scenario.steps
    assert 1 <= sum(len(step.labels) for step in steps if isinstance(step, AnswerStep)) <= 3
    again = ["run", adapter, "--scenarios", str(tmp_path), "--jobs", "1", "--delivery", "blocking"]
    assert main(again) == 1
    assert scenario.rules[0] in capsys.readouterr().out


def test_the_reference_stands_a_short_hunt(hunting: ModuleType) -> None:
    hunt = hunting.Hunt(find_adapter("reference"), ("anthropic",))
    assert hunt.run(0.01, 7) is None, str(hunt.prey)
    assert hunt.played >= hunting.BATCH


def test_an_adapter_that_is_not_there(
    hunting: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["hunt", "no-such-adapter"])
    assert hunting.main() == 2
    assert "unknown adapter 'no-such-adapter'" in capsys.readouterr().err
