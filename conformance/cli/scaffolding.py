"""Writing scaffolds: files from ``conformance/scaffolds``, with the names filled_scaffold in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
                yield _file_name(relative), filled_scaffold(path.read_text("utf-8"), {"name": name})


@dataclass(frozen=True, slots=True)
class SmallFormat:
    """A provider for whose format there is a part of a small adapter: the class in that part, and the parts that it
    shares with others."""

    name: str
    shared: tuple[str, ...] = ()


SHARED = {"events": "", "tools": "", "calls": "", "ids": "from secrets import token_hex\n"}
"""The parts that some formats share, in the order in which they are written, and what each imports."""

FRAME = ("head", "tail")
"""The parts that every small adapter has."""


def small_formats() -> Mapping[str, SmallFormat]:
    """The providers for which a small adapter in Python can be written, by the parts that there are."""
    made = {part: _functions(f"small/{part}.py.txt") for part in SHARED}
    found: dict[str, SmallFormat] = {}
    for path in sorted(one.name for one in (resources.files("conformance") / "scaffolds/small").iterdir()):
        provider, is_part, _ = path.partition(".py.txt")
        if is_part and provider not in (*SHARED, *FRAME):
            text = template(f"small/{path}")
            used = tuple(part for part, names in made.items() if any(f"{name}(" in text for name in names))
            found[provider] = SmallFormat(re.findall(r"^class (\w+)", text, re.MULTILINE)[0], used)
    return found


def _functions(path: str) -> list[str]:
    return re.findall(r"^def (\w+)", template(path), re.MULTILINE)


def small_adapter(providers: Sequence[str], name: str) -> dict[str, str]:
    """Path and text of each file of a small adapter for these providers, put together from their parts."""
    known = small_formats()
    formats = [known[provider] for provider in providers]
    shared = [part for part in SHARED if any(part in own.shared for own in formats)]
    values = {
        "name": name,
        "providers": listed(providers),
        "formats": "\n".join(f'    "{provider}": {known[provider].name}(),' for provider in providers),
        "imports": "".join(SHARED[part] for part in shared),
    }
    parts = [template(f"small/{part}.py.txt") for part in ("head", *providers, "tail", *shared)]
    about = {"name": name, "providers": listed([f"`{provider}`" for provider in providers])}
    return {
        "README.md": filled_scaffold(template("small/README.md"), about),
        "adapter.py": filled_scaffold("\n\n".join(parts), values),
    }


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def template(path: str) -> str:
    """The text of one file of the scaffolds."""
    return (resources.files("conformance") / "scaffolds" / path).read_text("utf-8")


def filled_scaffold(text: str, values: Mapping[str, str]) -> str:
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
