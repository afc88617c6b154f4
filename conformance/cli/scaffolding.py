"""Writing scaffolds: files from ``conformance/scaffolds``, with the names filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path

from conformance.cli import UsageError
from conformance.files.whole import write_text

LANGUAGES = ("python", "typescript", "go")


def adapter_files(language: str, name: str) -> Iterator[tuple[str, str]]:
    """Path and text of each file of an adapter's scaffold."""
    folder = resources.files("conformance") / "scaffolds" / language
    with resources.as_file(folder) as root:
        for path in sorted(root.rglob("*")):
            if path.is_file():
                relative = path.relative_to(root).as_posix()
                yield _file_name(relative), filled(path.read_text("utf-8"), {"name": name})


def template(path: str) -> str:
    """The text of one file of the scaffolds."""
    return (resources.files("conformance") / "scaffolds" / path).read_text("utf-8")


def filled(text: str, values: Mapping[str, str]) -> str:
    """A template with its ``{{names}}`` replaced."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], text)


def _file_name(name: str) -> str:
    """The name that a file gets. In the package, files that tools would take for their own have other names."""
    return ".gitignore" if name == "gitignore" else name.removesuffix(".txt")


def write_all(files: Mapping[Path, str]) -> None:
    """Write new files. Raises `UsageError` when one of them is there already: nothing is written then."""
    for path in files:
        if os.path.lexists(path):
            raise UsageError(f"{path} is there already")
    for path, text in files.items():
        try:
            write_text(path, text)
        except OSError as problem:
            raise UsageError(f"{path}: {problem.strerror}") from None


def package_name(folder: Path) -> str:
    """A name for an adapter that lives in ``folder``, fit for npm, Go and Python."""
    name = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")
    return name or "adapter"
