"""Known servers: how each is started, where it listens then, and whose format it speaks. One YAML file each.

Nothing is started from here: the words of ``start`` are for people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from conformance.documents import DocumentError, read_yaml
from conformance.schemas import problems


@dataclass(frozen=True, slots=True)
class ServerRecipe:
    """One known server. ``url`` is its usual base URL, ``also`` the other formats that it speaks, each with its URL."""

    id: str
    title: str
    start: str
    url: str
    provider: str
    source: str
    date: str
    model: str = ""
    also: tuple[tuple[str, str], ...] = ()
    notes: str = ""

    @property
    def formats(self) -> Sequence[str]:
        """All formats that it speaks, the usual one first."""
        return [self.provider, *(provider for provider, _ in self.also)]


def known_servers() -> dict[str, Path]:
    """The recipes that come with the package, by name."""
    folder = Path(str(resources.files("conformance.servers") / "recipes"))
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def load_server(name: str) -> ServerRecipe:
    """The recipe of a name. Raises `DocumentError`."""
    path = known_servers()[name]
    document: Any = read_yaml(path)
    for at, why in problems("server_recipe", document):
        raise DocumentError(f"{path}: at {at or '/'}: {why}")
    also = tuple((document.pop("also", None) or {}).items())
    return ServerRecipe(id=path.stem, also=also, **{**document, "date": str(document["date"])})
