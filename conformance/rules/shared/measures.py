"""How much of something a request has, where hosts limit that: `MEASURES`, counted.

Where a host's page does not say how it counts, the smaller count is taken: a union is no level of its own, and what is
referred to is not counted where it is referred to (openai/openai-java, JsonSchemaValidator.kt, follows no reference
either, and counts properties and elements as levels). So a request that is told is beyond the limit by every count.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from conformance.model import ImagePart, Json, ResultsTurn, Tool
from conformance.rules.shared.subschemas import MANY, NAMED, ONE, subschemas
from conformance.transcript import Exchange
from conformance.wires import host_file
from conformance.wires.facts import items, obj, pointer, settings_at
from conformance.wires.host import Entry

MANY_TEXTS = 250
"""An enum of more texts than this has a limit of its own (platform.openai.com/docs/guides/structured-outputs)."""

Amount = tuple[str, int]
"""How much there is of something, with where it is."""


@dataclass(frozen=True, slots=True)
class MeasuredSchema:
    """The schema of a tool, or of the answer."""

    at: str
    schema: Json
    strict: bool
    of_tool: bool = True


@dataclass(frozen=True, slots=True)
class Amounts:
    """What is counted, of a request or of what the application asks for."""

    schemas: Sequence[MeasuredSchema]
    images: Sequence[Amount]
    """The pictures in results, each with how many characters it has in base64."""

    @property
    def strict(self) -> Iterator[MeasuredSchema]:
        """The strict schemas."""
        return (one for one in self.schemas if one.strict)


def amounts_sent(x: Exchange) -> Amounts:
    """What a request has."""
    schemas = [MeasuredSchema(tool.schema_at, tool.schema, tool.strict is True) for tool in x.facts.functions]
    for one in settings_at(x.facts.document, *x.card.forms.answer_schemas):
        beside = settings_at(x.facts.document, one.at.rpartition("/")[0] + "/strict")
        schemas.append(MeasuredSchema(one.at, one.value, any(each.value is True for each in beside), of_tool=False))
    images = [image for result in x.facts.results for image in result.images]
    return Amounts(schemas, [(at, len(data)) for at, _, data in images if isinstance(data, str)])


def amounts_asked(x: Exchange) -> Amounts:
    """What the application asks for. Nothing, where that is not known."""
    if x.intent is None:
        return Amounts((), ())
    schemas = [MeasuredSchema("", tool.parameters, tool.strict is True) for tool in x.intent.tools]
    schemas.append(MeasuredSchema("", x.intent.output, strict=True, of_tool=False))
    results = [result for turn in x.intent.turns if isinstance(turn, ResultsTurn) for result in turn.results]
    images = [part for result in results for part in result.content if isinstance(part, ImagePart)]
    return Amounts(schemas, [("", len(base64.b64encode(part.data))) for part in images])


@cache
def limits_of(host: str) -> tuple[Entry, ...]:
    """The entries of a host's file that say how much of something it takes."""
    file = host_file(host)
    return tuple(one for one in file.entries if one.most) if file is not None else ()


def is_beyond(x: Exchange, tool: Tool) -> bool:
    """Whether the host takes a tool as the application declares it only where it is not strict."""
    own = Amounts((MeasuredSchema("", tool.parameters, strict=True),), ())
    limits = [one.most for one in limits_of(x.speaker) if one.is_of(x.asked_model)]
    return any(
        number > most
        for one in limits
        for name, most in one.items()
        if name.startswith("strict_")
        for _, number in COUNTS[name](own)
    )


# --- counting ---------------------------------------------------------------------------------------------------------


def _levels(schema: Json, at: str, steps: frozenset[str]) -> Amount:
    """How deep a schema is, with its deepest place. Only ``steps`` lead one level down. A loop: it may be very deep."""
    deepest = (at, 0)
    pending = [(at, schema, 0)]
    while pending:
        here, node, level = pending.pop()
        if not isinstance(node, dict):
            continue
        if level > deepest[1]:
            deepest = (here, level)
        for word, place, one in _below(here, node):
            pending.append((place, one, level + (word in steps)))
    return deepest


def _below(at: str, node: Mapping[str, Json]) -> Iterator[tuple[str, str, Json]]:
    yield from ((word, f"{at}/{word}", node.get(word)) for word in ONE)
    yield from ((word, f"{at}/{word}/{place}", one) for word in MANY for place, one in items(node.get(word)))
    for word in NAMED:
        yield from ((word, f"{at}/{word}{pointer(name)}", one) for name, one in obj(node.get(word)).items())


STEPS = frozenset({"properties", "patternProperties", "items", "prefixItems", "additionalProperties"})
PROPERTY = frozenset({"properties"})


def _strict_levels(what: Amounts) -> Iterator[Amount]:
    return (_levels(one.schema, one.at, STEPS) for one in what.strict)


def _object_levels(what: Amounts) -> Iterator[Amount]:
    return (_levels(one.schema, one.at, PROPERTY) for one in what.schemas if one.of_tool)


def _of_each(how_many: Callable[[Mapping[str, Json]], int]) -> Callable[[Amounts], Iterator[Amount]]:
    """A measure that adds up, over all schemas inside of each strict one."""

    def measure(what: Amounts) -> Iterator[Amount]:
        for one in what.strict:
            yield one.at, sum(how_many(node) for _, node in subschemas(one.schema, one.at))

    return measure


def _letters(node: Mapping[str, Json]) -> int:
    names = [name for word in ("properties", "$defs", "definitions") for name in obj(node.get(word))]
    return sum(map(len, [*names, *_texts([node.get("const")]), *_texts(node.get("enum"))]))


def _texts(values: Json) -> list[str]:
    return [one for _, one in items(values) if isinstance(one, str)]


def _long_enum(what: Amounts) -> Iterator[Amount]:
    for one in what.strict:
        for at, node in subschemas(one.schema, one.at):
            texts = _texts(node.get("enum"))
            if len(texts) > MANY_TEXTS:
                yield f"{at}/enum", sum(map(len, texts))


def _images(what: Amounts) -> Iterator[Amount]:
    yield (what.images[-1][0] if what.images else ""), len(what.images)


COUNTS: Mapping[str, Callable[[Amounts], Iterator[Amount]]] = {
    "strict_levels": _strict_levels,
    "strict_properties": _of_each(lambda node: len(obj(node.get("properties")))),
    "strict_enum_values": _of_each(lambda node: len(items(node.get("enum")))),
    "strict_letters": _of_each(_letters),
    "strict_long_enum_letters": _long_enum,
    "object_levels": _object_levels,
    "images": _images,
    "image_letters": lambda what: iter(what.images),
}
"""How each of `conformance.wires.measures.MEASURES` is counted."""
