"""Recipes and the like: YAML files that come with the package, by name, and the user's own, by path."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from conformance.documents import DocumentError, read_yaml
from conformance.hints import nearest
from conformance.schemas import problems

_OWN = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """The files of one kind. ``kind`` is what one is called, ``package`` and ``folder`` say where they are, ``listed``
    what ``conformance list`` calls them, ``schema`` what must hold of them."""

    kind: str
    package: str
    folder: str
    listed: str
    schema: str

    def known(self) -> dict[str, Path]:
        """Those that come with the package, by name."""
        folder = Path(str(resources.files(self.package) / self.folder))
        return {path.stem: path for path in sorted(folder.glob("*.yaml"))}

    def named(self, name: str) -> Path:
        """The file of a name, or the one at a path. Raises `DocumentError`."""
        known = self.known()
        if name not in known and not name.endswith(_OWN):
            hint = nearest(name, known, f"'conformance list {self.listed}'")
            raise DocumentError(f"there is no {self.kind} {name!r}{hint}")
        return known.get(name, Path(name))

    def checked(self, path: Path) -> Any:
        """What a file says, by its schema. Raises `DocumentError`."""
        document = read_yaml(path)
        for at, why in problems(self.schema, document):
            raise DocumentError(f"{path}: at {at or '/'}: {why}")
        return document
