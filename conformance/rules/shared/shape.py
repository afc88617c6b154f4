"""Whether documents have the shape that the official SDK's types give them.

The schemas are in ``conformance/schemas/wires`` (made by ``tools/generate_schemas.py``, which says how), what providers
take or send beside them is in `conformance.rules.shared.shape_liberties`. The schemas look at a value's JSON type, then
at its ``type`` or ``role``, and only then at its fields: so every finding points to the field that is wrong, and a part
of an unknown kind is one finding at its ``type``.

Schemas know nothing of what holds between fields: which call a result answers, or what a name may be. Rules do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, Literal

from conformance.model import Json
from conformance.rules.check import Finding
from conformance.rules.shared.shape_liberties import with_liberties
from conformance.schemas import schema
from conformance.wires import card
from conformance.wires.facts import obj, pointer

ShapeKind = Literal["request", "response", "stream"]

DEEPEST = 200
"""How many levels a document may have whose faults are told."""

MOST = 50
"""How many errors of one document are told."""

WORDS: Mapping[str, str] = {
    "null": "null",
    "string": "text",
    "array": "a list",
    "object": "an object",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
}


def request_findings(provider: str, body: Json) -> Iterator[Finding]:
    """What in a request's messages, tools and tool choice has not the type that it should have."""
    return _findings(provider, "request", body)


def response_findings(provider: str, body: Json) -> Iterator[Finding]:
    """What in a successful response's body has not the type that it should have."""
    return _findings(provider, "response", body)


def event_findings(provider: str, event: Json) -> Iterator[Finding]:
    """What in one decoded event of a stream has not the type that it should have.

    Errors, and events of kinds that the schema does not have (``ping``, those of hosted tools), are not judged.
    """
    own = card(provider)
    if not isinstance(event, dict) or event.get("error") or event.get("type") in ("ping", "error"):
        return iter(())
    if own.chunks_are_responses:
        return _findings(provider, "response", event)
    if "type" in event and event["type"] not in _event_types(provider):
        return iter(())
    return _findings(provider, "stream", event)


@cache
def _event_types(provider: str) -> tuple[str, ...]:
    own = card(provider)
    if not own.schemas:
        return ()
    kinds = schema(f"wires/{own.format}.stream").get("properties", {}).get("type", {})
    return tuple(kinds.get("enum", ()))


@cache
def shape(provider: str, kind: ShapeKind) -> dict[str, Any] | None:
    """The schema by which a provider's documents are judged, liberties included. ``None`` if there is none."""
    own = card(provider)
    if not own.schemas:
        return None
    name = f"{own.format}.{kind}"
    return with_liberties(name, schema(f"wires/{name}"), provider)


@cache
def _validator(provider: str, kind: ShapeKind) -> Any:
    import jsonschema_rs

    judged_by = shape(provider, kind)
    return None if judged_by is None else jsonschema_rs.validator_for(judged_by)


def is_deep(document: Json, most: int) -> bool:
    """Whether a document has more than ``most`` levels. The validator would recurse into all of them."""
    level = [document]
    for _ in range(most):
        level = [inner for value in level if isinstance(value, dict | list) for inner in _inner(value)]
        if not level:
            return False
    return True


def _inner(value: dict[str, Json] | list[Json]) -> Iterable[Json]:
    return value.values() if isinstance(value, dict) else value


def _findings(provider: str, kind: ShapeKind, document: Json) -> Iterator[Finding]:
    validator = _validator(provider, kind)
    if validator is None:
        return
    told: set[str] = set()
    for finding in misfits(validator, document):
        if finding.at not in told:
            told.add(finding.at)
            yield finding


def misfits(validator: Any, document: Json) -> Iterator[Finding]:
    """What of a document does not fit a schema. Of one that is too deep, or has half of a surrogate pair, nothing."""
    try:
        fits = validator.is_valid(document) or is_deep(document, DEEPEST)
        errors = [] if fits else list(islice(validator.iter_errors(document), MOST))
    except ValueError:  # a key with half of a surrogate pair in it, which no provider can read either
        return
    for error in errors:
        yield from _words(error)


def _words(error: Any) -> Iterator[Finding]:
    """One error of the validator in our words: at the field itself, also when that is absent or should be."""
    at, kind, found = pointer(*error.instance_path), error.kind, error.instance
    match kind.name:
        case "required":
            yield Finding(at + pointer(kind.property), "this field", f"only {sorted(obj(found))}")
        case "additionalProperties":
            yield from (Finding(at + pointer(key), "a field that there is", key) for key in kind.unexpected)
        case "falseSchema":
            yield Finding(at, "no fields at all", found)
        case "type":
            yield Finding(at, " or ".join(WORDS[name] for name in kind.types), found)
        case "enum":
            yield Finding(at, kind.options, found)
        case "const":
            yield Finding(at, kind.expected_value, found)
        case _:
            yield Finding(at, error.message, found)
