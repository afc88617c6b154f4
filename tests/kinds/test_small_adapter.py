"""The small adapter of the docs is what `conformance new adapter --provider` writes: all of it runs, and conforms."""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from playing import play

from conformance.cli import main
from conformance.cli.scaffolding import small_adapter, small_formats
from conformance.engine.cases import Selection
from conformance.outcomes import FAILURES

SMALL = small_formats()

PAGE = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text("utf-8")
USUAL = Selection(deliveries=("blocking", "stream:per-event"), generated="none")
"""All written scenarios, each answer whole and as its provider sends it."""


@dataclass
class Lines:
    """Which lines of a file run."""

    path: Path
    run: set[int] = field(default_factory=set)

    def seen_of(self, adapter: type) -> None:
        """Watch an adapter's own methods: only while they run, so that nobody else pays for it."""
        for name, method in list(vars(adapter).items()):
            if inspect.isfunction(method):
                setattr(adapter, name, self._watched(method))

    def _watched(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def watched(*given: Any, **named: Any) -> Any:
            sys.settrace(self._called)
            try:
                return method(*given, **named)
            finally:
                sys.settrace(None)

        return watched

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if frame.f_code.co_filename == str(self.path) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        self.run.add(frame.f_lineno)
        return self._line

    @property
    def left(self) -> list[str]:
        """The lines inside of functions that did not run. Those outside run when the module is imported."""
        text = self.path.read_text("utf-8")
        lines = text.splitlines()
        wanted = set(_lines(compile(text, str(self.path), "exec")))
        return [f"{number}: {lines[number - 1]}" for number in sorted(wanted - self.run)]


def _lines(code: CodeType) -> Iterator[int]:
    """The lines of the bodies of functions. A line with nothing but ``...`` says that there is nothing to run."""
    for inner in (one for one in code.co_consts if isinstance(one, CodeType)):
        if inner.co_flags & 0x2:  # a function: a class has no locals of its own
            yield from (line for _, _, line in inner.co_lines() if line and line != inner.co_firstlineno)
        yield from _lines(inner)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The adapter for all providers, as the command writes it; it can be imported."""
    assert main(["new", "adapter", str(tmp_path / "mine"), "--provider", ",".join(SMALL)]) == 0
    monkeypatch.syspath_prepend(tmp_path / "mine")
    sys.modules.pop("adapter", None)
    importlib.invalidate_caches()
    yield tmp_path / "mine" / "adapter.py"
    sys.modules.pop("adapter", None)


def test_the_docs_show_what_the_command_writes() -> None:
    [command, code] = re.findall(r"```\n(conformance new adapter .*?)\n.*?```python\n(.*?)```", PAGE, re.DOTALL)[0]
    providers = re.search(r"--provider (\S+)", command)
    assert providers is not None
    assert code == small_adapter(providers[1].split(","), "my-adapter")["adapter.py"]


@pytest.mark.slow
def test_every_line_is_run_and_nothing_fails(written: Path) -> None:
    lines = Lines(written)
    lines.seen_of(importlib.import_module("adapter").Adapter)
    played = play("python:adapter:Adapter", USUAL)
    assert lines.left == []
    assert {provider for provider, _ in played.cells} == SMALL.keys()
    failed = {cell: dict(outcomes) for cell, outcomes in played.cells.items() if FAILURES & set(outcomes)}
    assert failed == {}


@pytest.mark.slow
def test_it_is_typed(written: Path, tmp_path: Path) -> None:
    assert _said("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(written)) == ""


def test_each_choice_of_providers_is_tidy(tmp_path: Path) -> None:
    for place, providers in enumerate([[name] for name in SMALL] + [list(SMALL)]):
        text = small_adapter(providers, "mine")["adapter.py"]
        (tmp_path / f"adapter{place}.py").write_text(text, "utf-8")
    config = str(Path(__file__).parents[2] / "pyproject.toml")
    assert _said("ruff", "check", "--no-cache", "--config", config, "--ignore", "D102,INP001", str(tmp_path)) == ""


def _said(*words: str) -> str:
    """What a checker complains of."""
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode else ""


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--provider", "antropic"], "did you mean 'anthropic'?"),
        (["--provider", "anthropic", "--language", "go"], "there is an adapter in go for openai-chat alone"),
        (["--provider", "openai-chat,gemini", "--language", "typescript"], "for openai-chat alone, or for anthropic, "),
    ],
)
def test_what_there_is_no_small_adapter_for(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "adapter", str(tmp_path / "x"), *words]) == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("language", ["typescript", "go"])
def test_the_scaffold_may_be_asked_for_by_its_provider(language: str, tmp_path: Path) -> None:
    (asked := tmp_path / "asked" / "mine").parent.mkdir()
    (usual := tmp_path / "usual" / "mine").parent.mkdir()
    assert main(["new", "adapter", str(asked), "--language", language, "--provider", "openai-chat"]) == 0
    assert main(["new", "adapter", str(usual), "--language", language]) == 0
    assert _files(asked) == _files(usual)


def _files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}


def test_a_provider_is_written_once() -> None:
    for one, other in itertools.permutations(SMALL, 2):
        text = small_adapter([one, other], "mine")["adapter.py"]
        assert text.count(f"class {SMALL[one].name}:") == text.count(f"class {SMALL[other].name}:") == 1
    assert SMALL["anthropic"].name not in small_adapter(["openai-chat"], "mine")["adapter.py"]
