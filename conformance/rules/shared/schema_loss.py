"""What a tool's JSON Schema lost on its way to the wire.

Looked at are the keywords that tell the model how to call: types, properties and their order, required, enum, const,
items, unions, nesting and descriptions. Four rewrites are documented by providers and lose nothing:

* a schema without properties may be left out, and one may be added for a tool without parameters;
* strict mode closes objects: everything is required, and what was optional may be null (OpenAI "Structured Outputs");
* Gemini's ``parameters`` takes only a subset (``google.genai.types.Schema``): upper-case types, ``nullable`` instead of
  null types, ``enum`` instead of ``const``, ``anyOf`` instead of ``oneOf``, references put in place;
* a root without alternatives ("input_schema does not support oneOf, allOf, or anyOf at the top level", HTTP 400 of
  Anthropic) has the properties that they declare.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.model import Json
from conformance.rules.check import Finding, same_json
from conformance.wires.facts import items, obj, pointer
from conformance.wires.gemini.protobuf import TYPES, enum_name

UNIONS = ("anyOf", "oneOf", "allOf")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two whole schemas, for references, and the rewrites that are allowed between them."""

    expected: Json
    sent: Json
    strict: bool = False
    subset: bool = False

    def losses(self, at: str) -> Iterator[Finding]:
        """What the sent schema, which stands at ``at``, has lost or changed."""
        sent = resolved(self.sent, self.sent)
        expected = _without_alternatives(resolved(self.expected, self.expected), sent)
        if not properties_of(expected):
            if properties_of(sent):
                yield Finding(f"{at}/properties", {}, sent["properties"])
            return
        yield from self._node(expected, self.sent, at, frozenset())

    def _node(self, expected: Json, sent: Json, at: str, followed: frozenset[str]) -> Iterator[Finding]:
        reference = expected.get("$ref") if isinstance(expected, dict) else None
        if isinstance(reference, str):
            if reference in followed:
                return
            followed |= {reference}
            expected = resolved(expected, self.expected)
        if not isinstance(expected, dict):
            return
        found = resolved(sent, self.sent)
        if not isinstance(found, dict):
            yield Finding(at, expected, sent)
            return
        yield from self._words(expected, found, at)
        yield from self._required(expected, found, at)
        yield from self._properties(expected, found, at, followed)
        yield from self._nested(expected, found, at, followed)
        yield from self._unions(expected, found, at, followed)

    def _words(self, expected: Mapping[str, Json], sent: Mapping[str, Json], at: str) -> Iterator[Finding]:
        if "type" in expected and not self._same_type(expected["type"], sent):
            yield Finding(f"{at}/type", expected["type"], sent.get("type"))
        description = expected.get("description")
        if description and sent.get("description") != description:
            yield Finding(f"{at}/description", description, sent.get("description"))
        values = [expected["const"]] if "const" in expected else expected.get("enum")
        if values is not None and not self._same_values(values, sent):
            yield Finding(f"{at}/enum", values, sent.get("enum", sent.get("const")))

    def _same_type(self, expected: Json, sent: Mapping[str, Json]) -> bool:
        wanted, found = _types(expected), _types(sent.get("type"))
        if sent.get("nullable") is True or self.strict:
            wanted, found = wanted | {"null"}, found | {"null"}
        return wanted == found or (self.subset and len(wanted) > 1 and (found < wanted or "anyOf" in sent))

    def _same_values(self, expected: Json, sent: Mapping[str, Json]) -> bool:
        found = [sent["const"]] if "const" in sent else sent.get("enum")
        if self.strict and isinstance(found, list) and isinstance(expected, list) and None not in expected:
            found = [value for value in found if value is not None]
        as_text = [str(value) for value in expected] if self.subset and isinstance(expected, list) else expected
        return same_json(expected, found) or same_json(as_text, found)

    def _required(self, expected: Mapping[str, Json], sent: Mapping[str, Json], at: str) -> Iterator[Finding]:
        wanted, found = _names(expected.get("required")), _names(sent.get("required"))
        if wanted != found and not (self.strict and wanted < found):
            yield Finding(f"{at}/required", expected.get("required", []), sent.get("required"))

    def _properties(
        self, expected: Mapping[str, Json], sent: Mapping[str, Json], at: str, followed: frozenset[str]
    ) -> Iterator[Finding]:
        wanted, found = properties_of(expected), properties_of(sent)
        if list(wanted) != list(found):
            yield Finding(f"{at}/properties", list(wanted), list(found))
        for name in wanted:
            if name in found:
                yield from self._node(wanted[name], found[name], f"{at}/properties{pointer(name)}", followed)

    def _nested(
        self, expected: Mapping[str, Json], sent: Mapping[str, Json], at: str, followed: frozenset[str]
    ) -> Iterator[Finding]:
        if isinstance(expected.get("items"), dict):
            yield from self._node(expected["items"], sent.get("items"), f"{at}/items", followed)
        values = expected.get("additionalProperties")
        if isinstance(values, dict) and not self.subset and not self.strict:
            yield from self._node(values, sent.get("additionalProperties"), f"{at}/additionalProperties", followed)

    def _unions(
        self, expected: Mapping[str, Json], sent: Mapping[str, Json], at: str, followed: frozenset[str]
    ) -> Iterator[Finding]:
        for word in UNIONS:
            wanted = expected.get(word)
            if not isinstance(wanted, list):
                continue
            found = sent.get(word, sent.get("anyOf"))
            if isinstance(found, list) and len(found) == len(wanted):
                for place, (one, other) in enumerate(zip(wanted, found, strict=True)):
                    yield from self._node(one, other, f"{at}/{word}/{place}", followed)
            elif not self.subset:
                yield Finding(f"{at}/{word}", wanted, found)


def _without_alternatives(expected: Json, sent: Json) -> Json:
    """A root as it may be sent without its alternatives, if it was: their properties are its own, in any order."""
    if not isinstance(expected, dict) or not isinstance(sent, dict) or any(key in sent for key in UNIONS):
        return expected
    branches = [obj(branch) for key in UNIONS for _, branch in items(expected.get(key))]
    properties = {**properties_of(expected)}
    for branch in branches:
        properties = {**properties_of(branch), **properties}
    ordered = {name: properties[name] for name in (*properties_of(sent), *properties) if name in properties}
    rest = {key: value for key, value in expected.items() if key not in UNIONS}
    every = [expected, *(obj(branch) for _, branch in items(expected.get("allOf")))]
    required = [name for schema in every for name in _names(schema.get("required"))]
    return {**rest, "properties": ordered, "required": required} if branches else expected


def resolved(node: Json, root: Json) -> Json:
    """``node``, or what its reference leads to with what stands beside the reference. ``None`` if it leads nowhere."""
    for _ in range(16):
        if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
            return node
        beside = {key: value for key, value in node.items() if key != "$ref"}
        target = root
        for part in node["$ref"].removeprefix("#").split("/")[1:]:
            target = target.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        node = {**target, **beside} if isinstance(target, dict) else None
    return None


def properties_of(schema: Json) -> Mapping[str, Json]:
    """The properties of an object schema."""
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def _types(value: Json) -> set[str]:
    names = value if isinstance(value, list) else [value]
    return {str(enum_name(name, TYPES)).lower() for name in names}


def _names(value: Json) -> set[str]:
    return {str(item) for item in value} if isinstance(value, list) else set()
