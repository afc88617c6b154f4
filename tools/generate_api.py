"""Make docs/api.md, the page of public names, from their signatures and docstrings.

    python tools/generate_api.py            # write docs/api.md
    python tools/generate_api.py --check    # only say whether it is what the code says

Public is what `MODULES` names: all that `conformance` exports, and the modules whose import paths stay.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent.parent
PAGE = HERE / "docs" / "api.md"
MODULES: dict[str, tuple[str, ...] | None] = {
    "conformance": None,
    "conformance.model": None,
    "conformance.adapters.contract": ("Translator", "Client", "Agent", "AgentTool"),
    "conformance.adapters.reference": ("ReferenceAdapter",),
    "conformance.server": None,
    "conformance.pytest": None,
    "conformance.cli": ("main",),
}
"""The public modules; the names in them that are public, where not all are that do not begin with an underscore."""
STARS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
HEAD = """# Public names

This page is made by `tools/generate_api.py`. What stands here keeps its name and its meaning from version to version;
what does not may change.
"""


@dataclass(frozen=True)
class PublicName:
    """One public name: what it is bound to, and the module that has its source."""

    module: str
    name: str
    value: object
    home: str

    @property
    def words(self) -> str:
        """Its docstring; of a constant or a type, the text below it."""
        return inspect.cleandoc(self.value.__doc__ or "") if self.is_defined else _texts(self.home).get(self.name, "")

    @property
    def is_defined(self) -> bool:
        """Whether it is a class or function; else it is a constant, or another name for a type."""
        return getattr(self.value, "__module__", "") == self.home and hasattr(self.value, "__qualname__")


def public_names() -> list[PublicName]:
    """All public names, each once: in the first module that has it."""
    found: dict[str, PublicName] = {}
    for module, chosen in MODULES.items():
        loaded = import_module(module)
        for name in chosen or getattr(loaded, "__all__", None) or _defined(module):
            if name.startswith("_"):
                continue
            value = getattr(loaded, name)
            found.setdefault(name, PublicName(module, name, value, _home(loaded, name, value)))
    return list(found.values())


def _home(module: ModuleType, name: str, value: object) -> str:
    """The module that has the source of a name."""
    homes: dict[str, str] = getattr(module, "_HOMES", {})
    own = getattr(value, "__module__", None) or ""
    return own if own.startswith("conformance") else homes.get(name, module.__name__)


def _tree(module: str) -> ast.Module:
    return ast.parse(Path(str(import_module(module).__file__)).read_text("utf-8"))


def _defined(module: str) -> Iterator[str]:
    """The names that a module binds itself, in order."""
    for node in _tree(module).body:
        names = [node.name] if isinstance(node, ast.ClassDef | ast.FunctionDef) else _assigned(node)
        yield from names


def _assigned(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _texts(module: str) -> dict[str, str]:
    """The text below each assignment of a module."""
    body = _tree(module).body
    return {
        name: inspect.cleandoc(text.value.value)
        for node, text in pairwise(body)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
        for name in _assigned(node)
    }


# --- the page --------------------------------------------------------------------------------------------------------


def page() -> str:
    """The page."""
    lines = [HEAD.rstrip(), ""]
    module = ""
    for one in public_names():
        if one.module != module:
            module = one.module
            lines += [f"## {module}", "", *_summary(module), ""]
        lines += _section(one)
    return "\n".join(lines).rstrip() + "\n"


def _summary(module: str) -> list[str]:
    return [(inspect.getdoc(import_module(module)) or "").partition("\n\n")[0]]


def _section(one: PublicName) -> Iterator[str]:
    yield from (f"### {one.name}", "")
    if shown := _declaration(one):
        yield from ("```python", shown, "```", "")
    if one.words:
        yield from (one.words, "")
    if one.is_defined and inspect.isclass(one.value):
        yield from _members(one.value)


def _declaration(one: PublicName) -> str:
    value = one.value
    if one.is_defined and inspect.isclass(value):
        return f"class {one.name}{_signature(value, value.__init__)}"
    if one.is_defined:
        return f"def {one.name}{_signature(value, value)}"
    source = (ast.unparse(node) for node in _tree(one.home).body if one.name in _assigned(node))
    return next(source, "")


def _signature(shown: object, made: object) -> str:
    """The parameters, a line each where there are many; none where nobody makes the object by hand."""
    if getattr(made, "__qualname__", "").startswith(("object.", "Protocol.", "_no_init", "Exception.", "type.")):
        return ""
    try:
        signature = inspect.signature(shown)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    parameters = list(_parameters(signature))
    returned = "" if inspect.isclass(shown) else f" -> {signature.return_annotation}"
    short = f"({', '.join(parameters)}){returned}"
    return short if len(short) < 90 else "(\n" + "".join(f"    {item},\n" for item in parameters) + f"){returned}"


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    star = inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds
    for parameter in signature.parameters.values():
        if star and parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            star = False
            yield "*"
        prefix = STARS.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
        yield f"{prefix}{parameter.name}: {parameter.annotation}{default}"


def _default(value: object) -> str:
    """A default as it can be read: those that are made anew each time have no text of their own."""
    text = f"{{{', '.join(sorted(map(repr, value)))}}}" if isinstance(value, set | frozenset) else repr(value)
    return "..." if text.startswith("<") else text.replace("'", '"')


def _members(owner: type) -> Iterator[str]:
    """The public methods and properties that a class defines itself, a line each."""
    lines = []
    for name, member in vars(owner).items():
        text = inspect.getdoc(member)
        if name.startswith("_") or not text or not (inspect.isroutine(member) or isinstance(member, property)):
            continue
        call = "" if isinstance(member, property) else "()"
        lines.append(f"- `{name}{call}`: {' '.join(text.split())}")
    if lines:
        yield from (*lines, "")


def main() -> int:
    text = page()
    if "--check" in sys.argv:
        same = PAGE.exists() and PAGE.read_text("utf-8") == text
        print("docs/api.md is as the code says" if same else "docs/api.md is stale: python tools/generate_api.py")
        return 0 if same else 1
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
