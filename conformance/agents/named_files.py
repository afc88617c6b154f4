"""Recipes and scripts: YAML files that come with the package, by name, and the user's own, by path."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from conformance.documents import DocumentError, read_yaml
from conformance.hints import nearest
from conformance.schemas import problems

NamedKind = Literal["recipe", "script"]
_LISTED: Mapping[NamedKind, str] = {"recipe": "agents", "script": "scripts"}
"""What ``conformance list`` calls them."""
_OWN = (".yaml", ".yml", ".json")


def known_files(kind: NamedKind) -> dict[str, Path]:
    """Those that come with the package, by name."""
    folder = Path(str(resources.files("conformance.agents") / f"{kind}s"))
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def named_file(kind: NamedKind, name: str) -> Path:
    """The file of a name, or the one at a path. Raises `DocumentError`."""
    known = known_files(kind)
    if name not in known and not name.endswith(_OWN):
        hint = nearest(name, known, f"'conformance list {_LISTED[kind]}'")
        raise DocumentError(f"there is no {kind} {name!r}{hint}")
    return known.get(name, Path(name))


def checked_document(kind: NamedKind, path: Path) -> Any:
    """What a file says, by its schema. Raises `DocumentError`."""
    document = read_yaml(path)
    for at, why in problems(f"agent_{kind}", document):
        raise DocumentError(f"{path}: at {at or '/'}: {why}")
    return document
