"""Messages: the keywords that strict tools may not have."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check
from conformance.rules.shared.strict_words import RefusedWords, always, without_refused
from conformance.rules.shared.subschemas import is_type, subschemas
from conformance.transcript import Exchange
from conformance.wires.facts import items


def _more_than_one(value: Json) -> bool:
    return value not in (0, 1)


def _elsewhere(value: Json) -> bool:
    return isinstance(value, str) and not value.startswith("#")


def _has_containers(value: Json) -> bool:
    return any(isinstance(one, dict | list) for _, one in items(value))


REFUSED: RefusedWords = {
    "minimum": always,
    "maximum": always,
    "multipleOf": always,
    "minLength": always,
    "maxLength": always,
    "maxItems": always,
    "minItems": _more_than_one,
    "$ref": _elsewhere,
    "enum": _has_containers,
}
"""From the page on structured outputs ("JSON Schema limitations")."""


@check("anthropic.declare.strict-words")
def strict_words(x: Exchange) -> Verdicts:
    for tool in x.facts.functions:
        if tool.strict is True:
            yield from without_refused(tool.schema, tool.schema_at, REFUSED)


@check("anthropic.declare.strict-closed")
def strict_closed(x: Exchange) -> Verdicts:
    """Unlike elsewhere, properties may be left out of ``required``."""
    for tool in x.facts.functions:
        for at, node in subschemas(tool.schema, tool.schema_at) if tool.strict is True else ():
            if is_type(node, "object") or "properties" in node:
                found = node.get("additionalProperties")
                yield None if found is False else Finding(f"{at}/additionalProperties", False, found)
