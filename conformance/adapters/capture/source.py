"""The source of doors, and of all that it needs: imports, other functions of ours, constants."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any


class SourceSlice:
    """What a program must define before it can call some functions."""

    def __init__(self, functions: Iterable[Callable[..., Any]]) -> None:
        self.imports: list[str] = []
        self.definitions: list[str] = []
        """Source, what is needed first before what needs it."""
        self._known: set[str] = set()
        for function in functions:
            self._need(name_of(function), function)

    def _define(self, thing: Any) -> None:
        """Take in a function or a class of ours, after what it needs."""
        thing = inspect.unwrap(getattr(thing, "__wrapped__", thing))
        if thing.__qualname__ in self._known:
            return
        self._known.add(thing.__qualname__)
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
        cleaned = _Bare().visit(tree)
        self._define_tree(cleaned, sys.modules[thing.__module__])

    def _define_tree(self, tree: ast.AST, module: ModuleType) -> None:
        """Take in a piece of one of our modules, after what it needs."""
        for name in _free_names(tree):
            if name in module.__dict__:
                assigned = None if callable(module.__dict__[name]) else _assigned(name, module)
                if assigned is None:
                    self._need(name, module.__dict__[name])
                elif name not in self._known:
                    self._known.add(name)
                    self._define_tree(assigned, module)
        self.definitions.append(ast.unparse(ast.fix_missing_locations(tree)))

    def _need(self, name: str, value: Any) -> None:
        """Take in what stands behind a global name."""
        if isinstance(value, ModuleType):
            self._import(_module_import(name, value))
            return
        home = getattr(inspect.unwrap(value) if callable(value) else value, "__module__", None)
        if isinstance(home, str) and not home.startswith("conformance."):
            self._import(_member_import(name, value, home))
        elif callable(value):
            self._define(value)
        elif name not in self._known:
            self._known.add(name)
            self.definitions.append(f"{name} = {value!r}")

    def _import(self, line: str) -> None:
        if line not in self.imports:
            self.imports.append(line)


def name_of(function: Callable[..., Any]) -> str:
    """What a program calls a door: a function of ours by its name, a class of a library by that of its import."""
    own: str = inspect.unwrap(function).__qualname__
    return own


def _assigned(name: str, module: ModuleType) -> ast.AST | None:
    """The statement of one of our modules that assigns a name."""
    for statement in ast.parse(inspect.getsource(module)).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)):
                if target == name:
                    bare: ast.AST = _Bare().visit(statement)
                    return bare
    return None


def _module_import(name: str, module: ModuleType) -> str:
    """``import a.b``, ``from a import b``, or the same under another name."""
    package, _, last = module.__name__.rpartition(".")
    if module.__name__ == name:
        return f"import {name}"
    if last == name:
        return f"from {package} import {name}"
    return f"import {module.__name__} as {name}"


def _member_import(name: str, value: Any, home: str) -> str:
    """The import of a class or function from the shortest module that gives it."""
    own, dot, _ = getattr(value, "__qualname__", name).partition(".")
    if dot and name.startswith(own + dot):  # a method is imported with its class
        name, value = own, getattr(sys.modules[home], own)
    parts = home.split(".")
    for count in range(1, len(parts) + 1):
        module = ".".join(parts[:count])
        if getattr(sys.modules.get(module), own, None) is value:
            return f"from {module} import {own}" + (f" as {name}" if own != name else "")
    return f"from {home} import {own}" + (f" as {name}" if own != name else "")


class _Bare(ast.NodeTransformer):
    """Takes off what a program does without: decorators of ours, types, docstrings."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._bare(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._bare(node)

    def _bare(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.decorator_list = [item for item in node.decorator_list if ast.unparse(item) != "door"]
        node.returns = None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        return _without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        return _without_docstring(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        self.generic_visit(node)
        return None if node.value is None else ast.Assign([node.target], node.value)


def _without_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.AST:
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    return node


def _free_names(tree: ast.AST) -> Iterator[str]:
    """The names that are read and not bound inside, in their order."""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in bound and not hasattr(builtins, node.id):
            yield node.id
