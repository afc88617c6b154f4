"""What a format is said to have no field for, its official types have no field for."""

from __future__ import annotations

import importlib
from typing import Any, get_args, get_type_hints

from every import every

from conformance.gateways.losses import FormatLoss, format_losses, lacks


def members(kind: Any, depth: int = 4) -> set[str]:
    """The names of a type's fields, and of the fields of the types in them."""
    if depth == 0:
        return set()
    inner = [one for part in get_args(kind) for one in members(part, depth - 1)]
    fields = getattr(kind, "model_fields", None) or getattr(kind, "__annotations__", {})
    if not isinstance(kind, type) or not fields:
        return set(inner)
    hints = _hints(kind, fields)
    return {*hints, *inner, *(name for hint in hints.values() for name in members(hint, depth - 1))}


def _hints(kind: Any, fields: Any) -> dict[str, Any]:
    """The fields of a type, each with its own type: models of pydantic know them, other types are looked up."""
    if hasattr(kind, "model_fields"):
        return {name: field.annotation for name, field in fields.items()}
    return get_type_hints(kind)


def kind_named(path: str) -> Any:
    """The type at a dotted path."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def test_the_official_types_have_no_field_for_a_loss() -> None:
    def has_none(loss: FormatLoss) -> None:
        for path in loss.types.values():
            assert members(kind_named(path)), path
            assert loss.field not in members(kind_named(path)), path

    every({name: (loss,) for name, loss in format_losses().items()}, has_none)


def test_where_there_is_a_field_nothing_counts_as_lost() -> None:
    kinds = {
        "failed-result": ("anthropic.types.ToolResultBlockParam", "is_error", "anthropic"),
        "one-at-a-time": ("anthropic.types.ToolChoiceAutoParam", "disable_parallel_tool_use", "anthropic"),
    }
    for name, (path, field, provider) in kinds.items():
        assert field in members(kind_named(path))
        assert not lacks(provider, name)
