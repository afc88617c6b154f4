"""The mutants of a source file: every place at which an operator of cosmic-ray finds something to change.

Left out are mutants that cannot do anything: those that do not compile, those that only change an annotation (nothing
reads annotations at run time), and those that are the same program as another mutant or as the original.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from mutation.operators import tree

LEFT_OUT = frozenset({"VariableReplacer", "VariableInserter"})
"""Operators that need to be told a name of a variable: they are for experiments on one variable, not for all code."""

IMPORT = (0, 0)
"""The place of what is done when the module is imported."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a file. ``place`` is the first and last line of the statement; `IMPORT` outside of functions."""

    operator: str
    occurrence: int
    line: int
    place: tuple[int, int]
    was: str
    becomes: str

    @property
    def key(self) -> str:
        """What tells it from the other mutants of the file."""
        return f"{self.operator}:{self.occurrence}"

    @property
    def change(self) -> tuple[str, str, str]:
        """What it changes, wherever that stands."""
        return self.operator, self.was, self.becomes

    def source(self, original: str) -> str:
        """The mutated file."""
        return tree(original).edit(self.operator, self.occurrence).text


def digest(source: str) -> str:
    """A short name of a file's text."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def mutants_of(source: str) -> Iterator[Mutant]:
    """All mutants of a file, in the order of operators."""
    from cosmic_ray.plugins import operator_names  # only who makes mutants needs it

    places = Places(source)
    seen = {_program(source)}
    for name in (name.partition("/")[2] for name in operator_names()):
        if name in LEFT_OUT:
            continue
        for occurrence, (line, mutated) in enumerate(tree(source).edits(name)):
            program = _program(mutated)
            if program is not None and program not in seen:
                seen.add(program)
                yield Mutant(name, occurrence, line, places.of(line), *_lines(source, mutated, line))


def _program(source: str) -> str | None:
    """What a file does, as text that is the same for the same program; ``None`` where it does not compile."""
    try:
        with warnings.catch_warnings(action="ignore"):  # `is` with a literal
            tree = ast.parse(source)
            compile(source, "mutant", "exec")
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                setattr(node, field, ast.Constant(None))
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _lines(source: str, mutated: str, line: int) -> tuple[str, str]:
    """The line that is another one, before and after."""
    before, after = source.splitlines(), mutated.splitlines()
    if len(before) != len(after):  # a decorator that is gone
        return before[line - 1].strip(), ""
    return next((one.strip(), other.strip()) for one, other in zip(before, after, strict=True) if one != other)


class Places:
    """Which statement a line belongs to: its own lines, without those of the statements inside it."""

    def __init__(self, source: str) -> None:
        self._places: dict[int, tuple[int, int]] = {}
        self._enter(ast.parse(source), inside=False)

    def of(self, line: int) -> tuple[int, int]:
        """The first and last line of the statement at ``line``."""
        return self._places.get(line, IMPORT)

    def _enter(self, node: ast.AST, *, inside: bool) -> None:
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            first, last = _own_lines(node)
            for line in range(first, last + 1):
                self._places[line] = (first, last) if inside else IMPORT
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            self._enter(child, inside=inside)


def _own_lines(node: ast.stmt | ast.excepthandler | ast.match_case) -> tuple[int, int]:
    if isinstance(node, ast.match_case):
        return node.pattern.lineno, (node.guard or node.pattern).end_lineno or node.pattern.lineno
    decorators = [item.lineno for item in getattr(node, "decorator_list", [])]
    first, last = min([node.lineno, *decorators]), node.end_lineno or node.lineno
    inner = [child.lineno for child in getattr(node, "body", []) if isinstance(child, ast.stmt)]
    cases = [case.pattern.lineno for case in getattr(node, "cases", [])]
    below = min([*inner, *cases], default=last + 1)
    return first, max(node.lineno, below - 1) if inner or cases else last
