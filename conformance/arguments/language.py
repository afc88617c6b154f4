"""The schema languages of providers, as JSON Schema.

A provider may read schemas in a language of its own (`Forms.own_schema_language`): types in capitals, limits written as
text, ``nullable``. Types in capitals are understood everywhere: JSON Schema has no others that they could be.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.model import Json

ROOT = "urn:conformance:arguments"
"""The name of the whole schema: its own references are made to begin with it, so that they work from anywhere."""

SCHEMA_OF_ONE = frozenset({
    "items", "additionalProperties", "additionalItems", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
SCHEMAS_IN_LIST = frozenset({"anyOf", "oneOf", "allOf", "prefixItems", "items"})
SCHEMAS_BY_NAME = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
LIMITS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
UNSPECIFIED = "type_unspecified"
NOT_PART = frozenset({"id", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"})
"""Names that are not needed: where they are used, the reference leads nowhere, which is said."""


def plain_schema(schema: Json, *, own_language: bool) -> Json:
    """``schema`` as JSON Schema whose references begin with `ROOT`. Raises `RecursionError` where it is too deep."""
    if isinstance(schema, list):
        return [plain_schema(item, own_language=own_language) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    plain = {key: _member(key, value, own_language) for key, value in schema.items() if key not in NOT_PART}
    if own_language:
        _as_json_schema(plain)
    return plain


def _member(key: str, value: Json, own_language: bool) -> Json:
    if key in SCHEMAS_BY_NAME and isinstance(value, Mapping):
        return {name: plain_schema(item, own_language=own_language) for name, item in value.items()}
    if key in SCHEMA_OF_ONE or key in SCHEMAS_IN_LIST:
        return plain_schema(value, own_language=own_language)
    if key == "$ref" and isinstance(value, str) and value.startswith("#"):
        return ROOT + value
    return _types(value) if key == "type" else value


def _types(value: Json) -> Json:
    if isinstance(value, list):
        return [_types(item) for item in value]
    lower = value.lower() if isinstance(value, str) else value
    return lower if lower in TYPES or lower == UNSPECIFIED else value


def _as_json_schema(schema: dict[str, Json]) -> None:
    """Rewrite what another language than JSON Schema says: limits as text, ``nullable``, an unspecified type."""
    for name in LIMITS:
        if isinstance(limit := schema.get(name), str) and limit.isdigit():
            schema[name] = int(limit)
    if schema.get("type") == UNSPECIFIED:
        del schema["type"]
    if schema.pop("nullable", None) is True:
        if isinstance(kind := schema.get("type"), str):
            schema["type"] = [kind, "null"]
        if isinstance(allowed := schema.get("enum"), list) and None not in allowed:
            schema["enum"] = [*allowed, None]
