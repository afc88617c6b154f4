"""Tools as plain functions, as most users write them: a signature and a docstring say what they take.

A library derives the schema. So a tool is written like this only where a signature can say all that its own schema
says; others are declared with their schema.
"""

from __future__ import annotations

from typing import Any

from conformance.adapters.capture import door
from conformance.model import Json, Tool

KINDS = ("string", "integer", "number", "boolean", "object")
SAID = frozenset({"type", "description", "items"})
"""The keywords of a parameter that an annotation says."""


def is_plain(tool: Tool) -> bool:
    """Whether the signature of a function can say all that the tool's schema says."""
    own = tool.parameters or {}
    asked = own.get("properties", {})
    return (
        isinstance(asked, dict)
        and own.keys() <= {"type", "properties", "required"}
        and all(name.isidentifier() and _is_plain(schema) for name, schema in asked.items())
    )


def _is_plain(schema: Json) -> bool:
    if not isinstance(schema, dict) or not schema.keys() <= SAID:
        return False
    if schema.get("type") == "array":
        return isinstance(schema.get("items"), dict) and _is_plain(schema["items"])
    return schema.get("type") in KINDS and "items" not in schema


@door
def new_function(
    work: Any, name: str, description: str, parameters: dict[str, Any], *, documented: bool = False
) -> Any:
    """A function like ``def read_file(path: Annotated[str, Field(description="…")], limit: int = None)``; where it is
    ``documented``, the docstring describes the parameters."""
    import inspect
    from typing import Annotated

    from pydantic import Field

    kinds: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}

    def annotation(schema: dict[str, Any]) -> Any:
        kind = list[annotation(schema["items"])] if schema["type"] == "array" else kinds[schema["type"]]  # type: ignore[misc]
        if documented or "description" not in schema:
            return kind
        return Annotated[kind, Field(description=schema["description"])]

    def function(*given: Any, **arguments: Any) -> Any:
        said = function.__signature__.bind(*given, **arguments).arguments  # type: ignore[attr-defined]
        return work({name: value for name, value in said.items() if value is not None})

    required = parameters.get("required", ())
    properties = sorted(parameters.get("properties", {}).items(), key=lambda item: item[0] not in required)
    signature = [
        inspect.Parameter(
            one,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if one in required else None,
            annotation=annotation(schema),
        )
        for one, schema in properties
    ]
    function.__signature__ = inspect.Signature(signature, return_annotation=str)  # type: ignore[attr-defined]
    function.__annotations__ = {**{one.name: one.annotation for one in signature}, "return": str}
    function.__name__ = function.__qualname__ = name
    described = [f"    {one}: {schema['description']}" for one, schema in properties if "description" in schema]
    told = [description, "", "Args:", *described] if documented and described else [description]
    function.__doc__ = "\n".join(told)
    return function
