"""Recipes of agents, and scripts: YAML files that come with the package, by name, and the user's own, by path."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from conformance.recipes.named_files import NamedFiles

NamedKind = Literal["recipe", "script"]
_FILES: Mapping[NamedKind, NamedFiles] = {
    "recipe": NamedFiles("recipe", "conformance.agents", "recipes", "agents", "agent_recipe"),
    "script": NamedFiles("script", "conformance.agents", "scripts", "scripts", "agent_script"),
}


def known_files(kind: NamedKind) -> dict[str, Path]:
    """Those that come with the package, by name."""
    return _FILES[kind].known()


def named_file(kind: NamedKind, name: str) -> Path:
    """The file of a name, or the one at a path. Raises `DocumentError`."""
    return _FILES[kind].named(name)


def checked_document(kind: NamedKind, path: Path) -> Any:
    """What a file says, by its schema. Raises `DocumentError`."""
    return _FILES[kind].checked(path)
