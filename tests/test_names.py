"""Names can be searched: no two things of `conformance` have one name, and a class is called by a noun."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ALIKE: Mapping[str, str] = {
    "main": "what a command or a program does",
}
"""Functions that another part imports, and that share their name with others: all do the same, each for its module."""

IRREGULAR = frozenset({
    "begun", "bound", "broken", "brought", "built", "chosen", "cut", "done", "drawn", "driven", "felt", "found",
    "given", "gone", "got", "grown", "heard", "held", "hidden", "kept", "known", "laid", "led", "left", "lent", "lost",
    "made", "meant", "met", "paid", "put", "read", "said", "seen", "sent", "set", "shown", "sold", "spent", "spoken",
    "stood", "taken", "taught", "thought", "thrown", "told", "understood", "won", "worn", "written",
})  # fmt: skip
"""Participles without -ed and -ing."""
STABLE: Mapping[str, str] = {
    "conformance.model.Held": "conformance.model keeps its names",
    "conformance.model.Parsed": "what SDKs call it: `parse`, `parsed`",
    "conformance.server.running.Running": "on the page of public names",
}
"""Participles that others import."""
NOUNS = frozenset({
    "Briefing", "Cut", "Ending", "Everything", "Finding", "Framing", "Nothing", "Reading", "Recording", "Standing",
    "String", "Thing", "Warning",
})  # fmt: skip
"""Nouns that look like participles."""


@dataclass(frozen=True)
class Name:
    """A public name at the top of a module. ``kind`` is ``type``, of classes and aliases of types, or ``function``."""

    module: str
    name: str
    kind: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@cache
def trees() -> dict[str, ast.Module]:
    """Every module of the package, by its dotted name."""
    paths = sorted((ROOT / "conformance").rglob("*.py"))
    return {_module(path): ast.parse(path.read_text("utf-8")) for path in paths}


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def names() -> tuple[Name, ...]:
    """The public names of the package, where they are defined."""
    return tuple(
        name for module, tree in trees().items() for name in defined(module, tree) if not name.name.startswith("_")
    )


def defined(module: str, tree: ast.Module) -> Iterator[Name]:
    """The classes, aliases of types and functions at the top of a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield Name(module, node.name, "type")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Name(module, node.name, "function")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and is_type(node):
            yield Name(module, node.targets[0].id, "type")


def is_type(node: ast.Assign) -> bool:
    """Whether an assignment names a type: CapWords, and no type variable."""
    name = ast.unparse(node.targets[0])
    return bool(re.fullmatch(r"[A-Z][a-z]\w*", name)) and not ast.unparse(node.value).startswith("TypeVar")


def imported_elsewhere(trees: Mapping[str, ast.Module]) -> set[tuple[str, str]]:
    """(module, name) of what a part of the package imports from another by its name."""
    return {
        (node.module, alias.name)
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and part(node.module) != part(module)
        for alias in node.names
    }


def part(module: str) -> str:
    """The part of the package that a module is in."""
    return ".".join(module.split(".")[:2])


def doubles(found: Iterator[Name] | tuple[Name, ...]) -> dict[str, list[str]]:
    """Names that stand in several modules, with where."""
    homes = defaultdict(list)
    for name in found:
        homes[name.name].append(str(name))
    return {name: places for name, places in homes.items() if len(places) > 1}


def is_participle(name: str) -> bool:
    """Whether the last word of a name is a participle, as far as its form tells."""
    last = re.findall(r"[A-Z][a-z]*", name)[-1]
    return last not in NOUNS and (last.endswith(("ed", "ing")) or last.lower() in IRREGULAR)


@pytest.mark.slow
def test_a_type_has_a_name_of_its_own() -> None:
    assert doubles(tuple(name for name in names() if name.kind == "type")) == {}


@pytest.mark.slow
def test_a_function_that_another_part_imports_has_a_name_of_its_own() -> None:
    exported = imported_elsewhere(trees())
    shared = doubles(tuple(name for name in names() if name.kind == "function"))
    found = {name.name for name in names() if name.name in shared and (name.module, name.name) in exported}
    assert found == set(ALIKE)


@pytest.mark.slow
def test_a_type_is_called_by_a_noun() -> None:
    """A mutant is called by what it does: these names are sentences."""
    found = {str(name) for name in names() if name.kind == "type" and is_participle(name.name)}
    assert found == set(STABLE)


@pytest.mark.parametrize("name", ["Told", "Said", "Heard", "Made", "Grown", "Served", "Answering", "MutantPlayed"])
def test_participles_are_seen(name: str) -> None:
    assert is_participle(name)


@pytest.mark.parametrize("name", ["Finding", "RecordedExchange", "ServedExchange", "AnswerStep", "Wire"])
def test_nouns_are_not_participles(name: str) -> None:
    assert not is_participle(name)


def test_doubles_are_seen() -> None:
    one, other = (
        ast.parse("class Answer: ...\nCells = dict[str, int]\nT = TypeVar('T')\ndef run(): ...") for _ in "12"
    )
    found = doubles((*defined("conformance.a", one), *defined("conformance.b", other)))
    assert found == {name: [f"conformance.a.{name}", f"conformance.b.{name}"] for name in ("Answer", "Cells", "run")}


def test_imports_of_another_part_are_seen() -> None:
    tree = ast.parse("from conformance.a.x import one\nfrom conformance.b.y import other")
    assert imported_elsewhere({"conformance.b.z": tree}) == {("conformance.a.x", "one")}
