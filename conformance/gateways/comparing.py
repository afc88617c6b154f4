"""Comparing what two formats say of the same thing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from conformance.model import Json
from conformance.wires.facts import Facts, SentCall, SentResult, obj


def same_value(one: Json, other: Json) -> bool:
    """Whether two JSON values are the same. A whole number may have become a double, as some formats have no others."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other) and isinstance(one, str) == isinstance(other, str)


def schema_shape(schema: Json) -> Json:
    """What all formats can say of a schema: types in small letters, names, what is required, choices."""
    schema = obj(schema)
    found: dict[str, Json] = {}
    if isinstance(kind := schema.get("type"), str):
        found["type"] = kind.lower()
    if schema.get("properties"):
        found["properties"] = {name: schema_shape(one) for name, one in obj(schema["properties"]).items()}
    if isinstance(schema.get("required"), list) and schema["required"]:
        found["required"] = sorted(map(str, schema["required"]))
    if "items" in schema:
        found["items"] = schema_shape(schema["items"])
    if isinstance(schema.get("enum"), list):
        found["enum"] = [str(one) for one in schema["enum"]]
    return found


def says(result: SentResult | None, text: str) -> bool:
    """Whether a result has a text, alone, among others, or anywhere in an object."""
    if result is None:
        return False
    return any(text.strip() in one for one in _leaves(result.content)) or text.strip() in (result.text or "") or (
        _as_value(text, result)
    )


def _as_value(text: str, result: SentResult) -> bool:
    """Whether a text that is JSON went on as the value that it says."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return any(same_value(value, one) for one in _values(result.content)) or same_value(value, _read(result.text))


def _read(text: str | None) -> Json:
    try:
        return json.loads(text or "")
    except (ValueError, RecursionError):
        return object()


def _values(value: Json) -> Iterator[Json]:
    yield value
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _values(part)


def _leaves(value: Json) -> Iterator[str]:
    for one in _values(value):
        if isinstance(one, str):
            yield one
            inner = _read(one)
            yield from (text for text in _values(inner if isinstance(inner, dict) else None) if isinstance(text, str))


def answered(facts: Facts) -> dict[int, SentResult]:
    """The result of each call, by the call's place among all calls: by id, else by name and order within its turn."""
    places = {id(call): place for place, call in enumerate(facts.calls)}
    found: dict[int, SentResult] = {}
    for one in facts.rounds:
        left = list(one.calls)
        for result in (*one.results, *one.late):
            call = _of(result, left)
            if call is not None:
                left.remove(call)
                found[places[id(call)]] = result
    return found


def _of(result: SentResult, calls: Sequence[SentCall]) -> SentCall | None:
    if isinstance(result.ref, str) and result.ref:
        by_id = next((call for call in calls if call.id == result.ref), None)
        if by_id is not None:
            return by_id
        if any(call.id for call in calls):
            return None
    return next((call for call in calls if call.name == result.name), calls[0] if calls else None)
