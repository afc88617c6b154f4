"""The recipes of CONTRIBUTING.md, done to the letter in a copy of the repository.

Blocks marked ``sh`` are run, block by block, and must succeed. Blocks marked with a language and a path are written to
that path. Blocks marked ``text`` are for people: what takes minutes, or changes the machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("conformance", "scenarios", "cassettes", "tests", "tools", "pyproject.toml")
UNCHANGED = ("cassettes",)
"""What no recipe changes: links do."""
RECIPES = ("A provider", "A compatible host", "A rule", "A scenario", "A library")


@dataclass(frozen=True)
class Block:
    """One block of code: its language, the file that it is (``""``: none), and its text."""

    language: str
    path: str
    text: str


def blocks(recipe: str) -> Iterator[Block]:
    """The blocks of a recipe, in order. A recipe is a heading of the second level."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = re.split(r"^## ", text.partition(f"\n## {recipe}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    for found in re.finditer(r"^```(\w+) ?(\S*)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
        yield Block(*found.groups())


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of what a recipe may change, with what Python compiled of it."""
    for name in COPIED:
        source = ROOT / name
        if name in UNCHANGED:
            (tmp_path / name).symlink_to(source)
        elif source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("node_modules"))
        else:
            shutil.copy(source, tmp_path / name)
    return tmp_path


def do(block: Block, copy: Path) -> str:
    """Do what a block says. Gives what it printed."""
    if block.path:
        path = copy / block.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, "utf-8")
        return ""
    commands = "\n".join((
        f'python() {{ "{sys.executable}" "$@"; }}',
        "conformance() { python -m conformance \"$@\"; }",
        "pytest() { python -m pytest -p no:cacheprovider -o addopts= \"$@\"; }",
        "set -euo pipefail",
        block.text,
    ))
    environment = os.environ | {"PYTHONPATH": str(copy)}
    done = subprocess.run(
        ["bash", "-c", commands], cwd=copy, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, f"{block.text}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_does_what_it_says(recipe: str, copy: Path) -> None:
    done = [do(block, copy) for block in blocks(recipe) if block.language == "sh" or block.path]
    assert done


def test_every_recipe_is_followed() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == RECIPES


def test_a_provider_touches_what_the_recipe_says() -> None:
    """Cohere came by the recipe. Whatever else names it is its own: its rooms, its rules, files called after it."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition("### What is touched\n")[2].partition("\n## ")[0]
    said = re.findall(r"^\| `(.+)` \|", section, re.MULTILINE)
    files = [ROOT / "pyproject.toml", *(path for name in ("conformance", "tools", "tests") for path in sources(name))]
    naming = {path.relative_to(ROOT).as_posix() for path in files if re.search(r"\bcohere\b", path.read_text("utf-8"))}
    assert naming - {"tests/test_contributing.py"} == set(said) - {"tests/laws/request_forms.py"}
    assert len(said) <= 5
    assert all((ROOT / path).is_file() for path in said)


def sources(folder: str) -> Iterator[Path]:
    """Code and hand-written data of ours, but for rules and what is called after a provider."""
    for path in sorted((ROOT / folder).rglob("*")):
        inside = path.relative_to(ROOT)
        own = any("cohere" in part for part in inside.parts) or inside.parts[:2] == ("conformance", "rules")
        if path.suffix in (".py", ".toml") and not own:
            yield path
