"""docs/api.md lists the public names, each with words and types."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import get_type_hints

from every import each

import conformance

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from generate_api import MODULES, PAGE, PublicName, page, public_names  # noqa: E402

NAMES = public_names()


def test_the_page_is_what_the_code_says() -> None:
    """If this fails: python tools/generate_api.py."""
    assert PAGE.read_text("utf-8") == page()


def test_the_page_lists_what_is_exported() -> None:
    listed = re.findall(r"^### (\w+)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert {name for name in conformance.__all__ if not name.startswith("_")} <= set(listed)
    assert re.findall(r"^## (\S+)$", PAGE.read_text("utf-8"), re.MULTILINE) == list(MODULES)


def test_what_others_import_is_public() -> None:
    """The paths that stay: see the design's stable data."""
    stable = {
        "conformance": ["AdapterInfo", "AssistantTurn", "Conversation", "Request", "Response", "run", "UsageError"],
        "conformance.adapters.reference": ["ReferenceAdapter"],
        "conformance.cli": ["main"],
    }
    found = {(one.module, one.name) for one in NAMES}
    assert {(module, name) for module, names in stable.items() for name in names} <= found


@each("one", NAMES, ids=lambda one: f"{one.module}.{one.name}")
def test_each_has_words(one: PublicName) -> None:
    assert one.words.strip()
    assert not one.words.startswith(f"{one.name}(")  # what dataclasses write when nobody does


def functions(one: PublicName) -> list[object]:
    """What of a public name is called."""
    if not one.is_defined:
        return []
    if not inspect.isclass(one.value):
        return [one.value]
    members = [(name, member) for name, member in vars(one.value).items() if not name.startswith("_")]
    return [getattr(member, "fget", None) or getattr(member, "__func__", member) for _, member in members
            if inspect.isfunction(member) or isinstance(member, property | classmethod | staticmethod)]  # fmt: skip


@each("one", NAMES, ids=lambda one: f"{one.module}.{one.name}")
def test_each_is_typed(one: PublicName) -> None:
    for function in functions(one):
        signature = inspect.signature(function)  # type: ignore[arg-type]
        assert signature.return_annotation is not signature.empty, function
        untyped = [name for name, item in signature.parameters.items() if item.annotation is item.empty]
        assert untyped in ([], ["self"], ["cls"]), function


def test_the_function_resolves_its_types() -> None:
    hints = get_type_hints(conformance.run)
    assert hints["return"] is conformance.Run
    assert hints["jobs"] == int | None


def test_run_is_the_function_and_no_module_has_its_name() -> None:
    assert callable(conformance.run)
    assert not (ROOT / "conformance" / "run.py").exists()
    assert not (ROOT / "conformance" / "run").exists()
