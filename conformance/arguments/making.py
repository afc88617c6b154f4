"""Values for a schema, of three kinds: minimal, full and odd.

For each schema values are tried in a fixed order, and the first that the validator takes is the one. The parts of an
object or a list are found each by itself; where they do not fit together, other parts are tried, one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

import jsonschema_rs

from conformance.arguments.combining import SchemaObject, Unknown, branches
from conformance.arguments.language import ROOT, plain_schema
from conformance.arguments.numbers import integers, numbers
from conformance.arguments.strings import ODD, texts
from conformance.model import Json, compact_json

ArgumentKind = Literal["minimal", "full", "odd"]
"""``minimal``: what is required, plainly. ``full``: all that is declared. ``odd``: all that is declared, with values
that are hard to carry."""

MAX_TRIED = 4_000
"""How many values are tried for one tool."""
MAX_STEPS = 20_000
"""How many schemas are looked at for one tool, where choices are put together."""
MAX_BRANCHES = 50
MAX_DEPTH = 24
FULL_DEPTH = 8
"""From here on only what is required is made."""
MAX_ITEMS = 200
VARIANTS = 3
"""How many values of one part are tried where parts do not fit together."""

Within = Mapping[str, str]
"""The schemas, as text, in which a value stands, each with the kind of the values that are made for it."""

_NONE = object()
TOO_LONG = "takes too long to find arguments for"


class NoArgumentsError(ValueError):
    """No arguments were found. The message says why, after "the schema"."""


def arguments_for(schema: Json, kind: ArgumentKind, *, own_language: bool = False) -> Mapping[str, Json]:
    """The arguments of a kind for a tool with this schema of parameters; ``None`` is a tool without parameters.

    ``own_language`` says that the provider reads schemas in a language of its own. Raises `NoArgumentsError`.
    """
    if schema is None:
        return {}
    try:
        return _cached(compact_json(schema), kind, own_language)()
    except RecursionError:
        raise NoArgumentsError("is nested too deep") from None


def value_for(schema: Json, *, own_language: bool = False) -> Json:
    """A value that a schema allows, whatever its type, with all properties that it declares.

    Raises `NoArgumentsError`.
    """
    if not isinstance(schema, Mapping):
        raise NoArgumentsError("is no object")
    named = {name: schema[name] for name in ("$defs", "definitions") if name in schema}
    inner = {name: value for name, value in schema.items() if name not in named}
    holder = {"type": "object", "properties": {_VALUE: inner}, "required": [_VALUE], **named}
    problem: NoArgumentsError | None = None
    kinds: tuple[ArgumentKind, ...] = ("full", "minimal")
    for whole in (False, True):  # what is no object, or refers to itself, needs to be a part of one or the whole
        for kind in kinds:
            try:
                made = arguments_for(schema if whole else holder, kind, own_language=own_language)
                return made if whole else made[_VALUE]
            except NoArgumentsError as found:
                problem = problem or found
    assert problem is not None
    raise problem


def neutral_value_for(schema: Json, *, own_language: bool = False) -> Json:
    """The same, with nothing in it that could mean much: numbers are 0, switches off, where the schema allows that.

    Raises `NoArgumentsError`.
    """
    made = value_for(schema, own_language=own_language)
    quiet, maker = _quiet(made), _Maker(plain_schema(schema, own_language=own_language))
    return quiet if maker.fits(maker.root, quiet) else made


def _quiet(value: Json) -> Json:
    if isinstance(value, list):
        return [_quiet(item) for item in value]
    if isinstance(value, dict):
        return {name: _quiet(item) for name, item in value.items()}
    if isinstance(value, bool):
        return False
    return 0 if isinstance(value, int | float) else value


def allows(schema: Json, value: Json, *, own_language: bool = False) -> bool | None:
    """Whether a tool's schema allows arguments, formats left out of account; ``None`` where it cannot be used."""
    try:
        maker = _known_maker(compact_json(schema if schema is not None else {}), own_language)
        return None if maker is None else bool(maker._validators_of(maker.root)[-1].is_valid(value))
    except (NoArgumentsError, RecursionError, ValueError):
        return None


@lru_cache(maxsize=500)
def _known_maker(text: str, own_language: bool) -> _Maker | None:
    import json

    schema = json.loads(text)
    if not isinstance(schema, Mapping):
        return None
    try:
        return _Maker(plain_schema(schema, own_language=own_language))
    except NoArgumentsError:
        return None


_VALUE = "value"
"""The property in which a value is that is no object by itself."""


def invalid_arguments(schema: Json, *, own_language: bool = False) -> Mapping[str, Json]:
    """Arguments that the schema does not allow: something of the wrong type, something too few, or something too much.

    Where it allows everything, only the last.
    """
    try:
        right = arguments_for(schema, "full", own_language=own_language)
        maker = _Maker(plain_schema(schema if schema is not None else {}, own_language=own_language))
    except NoArgumentsError:
        return {}
    wrong = [{**right, name: [value] if isinstance(value, str) else "wrong type"} for name, value in right.items()]
    fewer = [{other: value for other, value in right.items() if other != name} for name in right]
    more = {**right, "argument_that_nobody_declared": True}
    return next((one for one in (*wrong, *fewer, more) if not maker.fits(maker.root, one)), more)


@lru_cache(maxsize=2_000)
def _cached(text: str, kind: ArgumentKind, own_language: bool) -> Callable[[], Mapping[str, Json]]:
    """What gives the arguments, or raises."""
    import json

    try:
        made = compact_json(_made(json.loads(text), kind, own_language))
    except NoArgumentsError as problem:
        return _raising(str(problem))
    return lambda: dict(json.loads(made))


def _raising(why: str) -> Callable[[], Mapping[str, Json]]:
    def give() -> Mapping[str, Json]:
        raise NoArgumentsError(why)

    return give


def _made(schema: Json, kind: ArgumentKind, own_language: bool) -> Json:
    if not isinstance(schema, Mapping):
        raise NoArgumentsError("is no object")
    maker = _Maker(plain_schema(schema, own_language=own_language))
    try:
        return next(maker.arguments(kind))
    except StopIteration:
        raise NoArgumentsError("allows no arguments that could be found") from None
    except Unknown as problem:
        raise NoArgumentsError(f"refers to {str(problem).removeprefix(ROOT)!r}, which is not in it") from None


PATTERNS = jsonschema_rs.FancyRegexOptions(backtrack_limit=10_000, size_limit=1_000_000)
"""The engine of patterns that others wrote: linear, but for what looks around or back, which is given up after so many
steps and then does not fit. What it would take more memory to compile is no pattern."""


def _nothing_from_elsewhere(uri: str) -> Any:
    raise ValueError(f"{uri} is not fetched")


@dataclass
class _Maker:
    """Makes values for one tool's schema, ``root``, and the schemas in it."""

    root: Json
    _registry: Any = None
    _validators: dict[str, list[Any]] = field(default_factory=dict)
    _tried: int = 0
    _steps: int = 0

    def __post_init__(self) -> None:
        try:
            self._registry = jsonschema_rs.Registry([(ROOT, self.root)], retriever=_nothing_from_elsewhere)
            self._validators_of(self.root)
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as problem:
            raise NoArgumentsError(f"cannot be used: {str(problem).splitlines()[0][:200]}") from None

    def arguments(self, kind: str) -> Iterator[Json]:
        """The arguments of a kind: objects alone."""
        yield from self._values({"allOf": [self.root, {"type": "object"}]}, kind, {}, 0)

    def _values(self, schema: Json, kind: str, within: Within, place: int) -> Iterator[Json]:
        """The values that fit a schema, as far as they are found.

        A schema may contain itself. Inside of itself it gets minimal values; and what would be a minimal value inside
        of a minimal one would do outside, too, so it is not looked for.
        """
        self._count()
        text = compact_json(schema)
        if len(within) > MAX_DEPTH or schema is False or within.get(text) == "minimal":
            return
        kind = "minimal" if text in within or len(within) > FULL_DEPTH else kind
        inside = {**within, text: kind}
        for branch in islice(self._ordered(branches(self.root, schema, self._step), kind), MAX_BRANCHES):
            for value in self._candidates(branch, kind, inside, place):
                self._count()
                if self.fits(schema, value):
                    yield value

    def _count(self) -> None:
        self._tried += 1
        if self._tried > MAX_TRIED:
            raise NoArgumentsError(TOO_LONG)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise NoArgumentsError(TOO_LONG)

    def _ordered(self, found: Iterator[SchemaObject], kind: str) -> Iterator[SchemaObject]:
        """Minimal values are of the first branch that is more than nothing, the others of the last."""
        several = list(islice(found, MAX_BRANCHES))
        something = [branch for branch in several if branch.get("type") != "null"]
        nothing = [branch for branch in several if branch.get("type") == "null"]
        yield from (*something, *nothing) if kind == "minimal" else (*reversed(something), *nothing)

    def _first(self, schema: Json, kind: str, within: Within, place: int) -> Json:
        return next(self._values(schema, kind, within, place), _NONE)

    def fits(self, schema: Json, value: Json) -> bool:
        """Whether a value is valid for a schema, whether formats are held to or not: that is left open, and where
        something must not fit, it makes a difference."""
        return all(validator.is_valid(value) for validator in self._validators_of(schema))

    def _validators_of(self, schema: Json) -> list[Any]:
        text = compact_json(schema)
        if text not in self._validators:
            draft = {"$schema": self.root["$schema"]} if "$schema" in self.root else {}
            self._validators[text] = [
                jsonschema_rs.validator_for(
                    {**draft, "allOf": [schema]}, validate_formats=formats, registry=self._registry,
                    retriever=_nothing_from_elsewhere, pattern_options=PATTERNS,
                )
                for formats in (True, False)
            ]  # fmt: skip
        return self._validators[text]

    # --- candidates --------------------------------------------------------------------------------------------------

    def _candidates(self, schema: SchemaObject, kind: str, within: Within, place: int) -> Iterator[Json]:
        """Values that may fit a schema without references and choices, the best first."""
        if "const" in schema:
            yield schema["const"]
            return
        if isinstance(allowed := schema.get("enum"), list):
            yield from allowed if kind == "minimal" else reversed(allowed)
            return
        if kind != "odd":
            examples = schema.get("examples")
            yield from examples if isinstance(examples, list) else ()
            yield from (schema[name] for name in ("example", "default") if schema.get(name) is not None)
        for name in _types(schema, kind):
            match name:
                case "object":
                    yield from self._objects(schema, kind, within)
                case "array":
                    yield from self._lists(schema, kind, within)
                case "string":
                    yield from texts(schema, kind, place)
                case "integer":
                    yield from integers(schema, kind)
                case "number":
                    yield from numbers(schema, kind)
                case "boolean":
                    yield from (True, False) if kind == "minimal" else (False, True)
                case "null":
                    yield None

    # --- objects -----------------------------------------------------------------------------------------------------

    def _objects(self, schema: SchemaObject, kind: str, within: Within) -> Iterator[Json]:
        declared: list[str] = list(schema.get("properties") or {})
        required: list[str] = [name for name in schema.get("required") or [] if isinstance(name, str)]
        needed = _needed(schema, [name for name in declared if name in required] or required, required)
        more = [name for name in declared if name not in needed]
        every = [*(name for name in declared if name in needed or name in more), *_beyond(needed, declared)]
        most = schema.get("maxProperties", len(every) + 10)
        plans = [needed, every] if kind == "minimal" else [every, needed]
        plans += [[*needed, name] for name in more[:10]]
        plans += [[name for name in every if name != left] for left in more[:10]]
        for plan in dict.fromkeys(tuple(plan[: max(int(most), len(needed))]) for plan in plans):
            yield from self._objects_with(schema, plan, needed, kind, within)

    def _objects_with(
        self, schema: SchemaObject, names: tuple[str, ...], needed: list[str], kind: str, within: Within
    ) -> Iterator[Json]:
        """Objects with these properties: the best values first, then with another value for one of them."""
        found: dict[str, Json] = {}
        for place, name in enumerate(names):
            value = self._first(self._property(schema, name), kind, within, place)
            if value is not _NONE:
                found[name] = value
            elif name in needed:
                return
        self._add_more(schema, found, kind, within)
        yield found
        for place, name in enumerate(list(found)):
            others = self._values(self._property(schema, name), kind, within, place)
            for other in islice(others, 1, VARIANTS):
                yield {**found, name: other}

    def _add_more(self, schema: SchemaObject, found: dict[str, Json], kind: str, within: Within) -> None:
        """Properties that are not declared, where there must be some, or where the schema is about nothing else."""
        map_like = not schema.get("properties") and isinstance(schema.get("additionalProperties"), Mapping)
        patterned = bool(schema.get("patternProperties")) and not schema.get("properties")
        wanted = int(schema.get("minProperties", 0))
        if kind != "minimal" and (map_like or patterned):
            wanted = max(wanted, min(2, int(schema.get("maxProperties", 2))))
        if wanted > MAX_ITEMS:
            return
        for name in islice(_names(schema, kind), 2 * wanted + 20):
            if len(found) >= wanted:
                return
            if name not in found and self._may_be_called(schema, name):
                value = self._first(self._property(schema, name), kind, within, len(found))
                if value is not _NONE:
                    found[name] = value

    def _may_be_called(self, schema: SchemaObject, name: str) -> bool:
        rule = schema.get("propertyNames", True)
        return self.fits(rule, name)

    def _property(self, schema: SchemaObject, name: str) -> Json:
        """The schema of a property: declared, by patterns, or of what else there may be."""
        declared = schema.get("properties") or {}
        own = [declared[name]] if name in declared else []
        for pattern, inner in (schema.get("patternProperties") or {}).items():
            if self.fits({"pattern": pattern}, name):
                own.append(inner)
        if not own:
            return schema.get("additionalProperties", True)
        return own[0] if len(own) == 1 else {"allOf": own}

    # --- lists -------------------------------------------------------------------------------------------------------

    def _lists(self, schema: SchemaObject, kind: str, within: Within) -> Iterator[Json]:
        items = schema.get("items", True)
        leading = items if isinstance(items, list) else schema.get("prefixItems") or []
        rest = schema.get("additionalItems", True) if isinstance(items, list) else items
        least, most = int(schema.get("minItems", 0)), int(schema.get("maxItems", MAX_ITEMS))
        usual = {"minimal": least, "full": max(least, 2, len(leading)), "odd": max(least, 1)}[kind]
        for length in dict.fromkeys((min(usual, most), least, least + 1, min(most, least + 3), len(leading))):
            if least <= length <= min(most, MAX_ITEMS):
                made = self._list(schema, [*leading[:length], *[rest] * (length - len(leading))], kind, within)
                if made is not None:
                    yield made

    def _list(self, schema: SchemaObject, parts: list[Json], kind: str, within: Within) -> Json:
        """A list whose items fit these schemas; ``None`` if there is none."""
        contained = schema.get("contains")
        least = int(schema.get("minContains", 1)) if contained is not None else 0
        made: list[Json] = []
        for place, part in enumerate(parts):
            wanted = {"allOf": [part, contained]} if place < least else part
            values = islice(self._values(wanted, kind, within, place), MAX_ITEMS)
            apart = schema.get("uniqueItems") is True
            value = next((one for one in values if not apart or not _is_among(one, made)), _NONE)
            if value is _NONE:
                return None
            made.append(value)
        return made


def _is_among(value: Json, others: list[Json]) -> bool:
    return any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in others)


def _types(schema: SchemaObject, kind: str) -> list[str]:
    """The types that values may have, in the order in which they are tried."""
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    if isinstance(named, list):
        something = [name for name in named if name != "null"]
        nothing = [name for name in named if name == "null"]
        return [*nothing, *something] if kind == "odd" else [*something, *nothing]
    told = [name for name, words in _TOLD_BY.items() if any(word in schema for word in words)]
    return [*told, *(name for name in ("string", "integer", "object", "array", "boolean", "null") if name not in told)]


_TOLD_BY: Mapping[str, tuple[str, ...]] = {
    "object": ("properties", "required", "additionalProperties", "minProperties", "patternProperties", "propertyNames"),
    "array": ("items", "prefixItems", "minItems", "contains", "uniqueItems"),
    "string": ("pattern", "minLength", "maxLength", "format", "contentEncoding"),
    "number": ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"),
}
"""The words of a schema that tell the type of what it is about, where it names none."""


def _needed(schema: SchemaObject, first: list[str], required: list[str]) -> list[str]:
    """What must be there, in the order of the declarations, and what that brings along."""
    needed = [*first, *_beyond(required, first)]
    brings = {**(schema.get("dependencies") or {}), **(schema.get("dependentRequired") or {})}
    for name in needed:  # grows as it goes
        more = brings.get(name)
        needed += [other for other in (more if isinstance(more, list) else ()) if other not in needed]
    return needed


def _beyond(names: list[str], known: list[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name not in known]


def _names(schema: SchemaObject, kind: str) -> Iterator[str]:
    """Names for properties that are not declared."""
    for pattern in schema.get("patternProperties") or {}:
        yield from islice(texts({"pattern": pattern}, kind, 0), 4)
    rule = schema.get("propertyNames")
    if isinstance(rule, Mapping):
        yield from (name for name in rule.get("enum") or [] if isinstance(name, str))
        yield from texts(rule, kind, 0)
    yield from (name for name in ODD[2:4] if kind == "odd")
    yield from (f"name_{number}" for number in range(1, MAX_ITEMS))
