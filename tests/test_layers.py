"""The floors of the house: a part stands one floor above the highest that it imports from (docs/architecture.md)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import conformance

PACKAGE = Path(conformance.__file__).parent

TABLE = (PACKAGE.parent / "docs" / "architecture.md").read_text("utf-8")
FLOORS = [set(re.findall(r"`(\w+)`", parts)) for parts in re.findall(r"^\| \d+ \| (.+?) \|", TABLE, re.MULTILINE)]
"""From the ground up, as the page says."""

HEIGHT = {name: height for height, names in enumerate(FLOORS) for name in names}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def dotted(path: Path) -> str:
    """The name by which a module is imported."""
    return "conformance." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


NAMES = {dotted(path): path for path in MODULES}


def room(module: str) -> str:
    """The part of the package that a dotted module name belongs to."""
    return module.split(".")[1]


def statements(module: ast.Module) -> Iterator[ast.stmt]:
    """The statements of a module, those inside others too. Expressions, of which there are far more, import nothing."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, part, ())


def imported(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports, late imports included."""
    for node in statements(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}, line {node.lineno}: a relative import"
            if (node.module or "").partition(".")[0] == "conformance":
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield inner if inner in NAMES or node.module == "conformance" else str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("conformance."))


@cache
def imports() -> dict[Path, list[str]]:
    """Which modules of ours each file imports."""
    return {path: sorted(set(imported(path))) for path in MODULES}


def owner(path: Path) -> str:
    """The part of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_arrows_point_down() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}: {own} must not import {other}"
        for path, own in ((path, owner(path)) for path in MODULES)
        for other in {room(module) for module in imports()[path]} - {own}
        if HEIGHT[other] >= HEIGHT[own]
    ]
    assert wrong == []


def test_no_part_stands_higher_than_it_must() -> None:
    highest = dict.fromkeys(HEIGHT, -1)
    for path, modules in imports().items():
        own = owner(path)
        highest[own] = max([highest[own], *(HEIGHT[other] for other in set(map(room, modules)) - {own})])
    floors = {name: height + 1 for name, height in HEIGHT.items()}
    assert floors == {name: height + 2 for name, height in highest.items()}


def test_every_part_has_a_floor() -> None:
    assert sum(map(len, FLOORS)) == len(HEIGHT), "a part stands on two floors"
    assert set(map(owner, MODULES)) == HEIGHT.keys()


@pytest.mark.slow
def test_nothing_imports_in_a_circle() -> None:
    edges = {name: {module for module in imports()[path] if module in NAMES} for name, path in NAMES.items()}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " → ".join([*trail, name])
        if name not in done:
            for module in edges[name]:
                visit(module, (*trail, name))
            done.add(name)

    for name in edges:
        visit(name, ())
