"""Gemini: answers in JSON beside functions, and references in results."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.gemini.choose import OLDER
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj, pointer
from conformance.wires.gemini.keys import field_spelling, get
from conformance.wires.gemini.numbers import exact

JSON_TYPE = "application/json"
REFERENCE = "$ref"


@check("gemini.choose.no-json-beside-functions")
def no_json_beside_functions(x: Exchange) -> Verdicts:
    if x.facts.functions and OLDER.search(x.asked_model):
        key = field_spelling(obj(x.facts.document), "generationConfig")
        asked = get(get(x.facts.document, key), "responseMimeType")
        yield holds(asked != JSON_TYPE, f"/{key}/responseMimeType", "none, beside functions", asked)


@check("gemini.result.references-to-parts")
def references_to_parts(x: Exchange) -> Verdicts:
    """From Gemini 3 on a reference in a result leads to a part of it, by the name under which that is shown."""
    if OLDER.search(x.asked_model):
        return
    for result in x.facts.results:
        names = [name for name in _shown_names(x, result.at) if name is not None]
        found = [(at, name) for at, name in _references(result.content, result.content_at) if name not in names]
        if isinstance(result.content, dict):
            yield Finding(found[0][0], names or "no references, as there are no parts", found[0][1]) if found else None


@check("gemini.result.numbers-a-struct-holds")
def numbers_a_struct_holds(x: Exchange) -> Verdicts:
    for result in x.facts.results:
        if isinstance(result.content, dict):
            held = _is_held(result.content)
            yield holds(held, result.content_at, "numbers that a double holds, or text", result.content)


def _is_held(value: Json) -> bool:
    """Whether a Struct holds a value as it is. What is too deep to ask is another rule's matter."""
    try:
        return exact(value)
    except RecursionError:
        return True


def _shown_names(x: Exchange, at: str) -> Iterator[Json]:
    """The names under which the parts of a result are shown."""
    node: Json = x.facts.document
    for word in at.split("/")[1:]:
        node = node[int(word)] if isinstance(node, list) else obj(node).get(word)
    response = get(node, "functionResponse") or node
    for _, part in items(get(response, "parts")):
        for holder in ("inlineData", "fileData"):
            yield get(get(part, holder), "displayName")


def _references(value: Json, at: str) -> Iterator[tuple[str, str]]:
    pending: list[tuple[str, Json]] = [(at, value)]
    while pending:
        here, node = pending.pop()
        if isinstance(node, dict):
            if isinstance(name := node.get(REFERENCE), str):
                yield here + pointer(REFERENCE), name
            pending += [(here + pointer(key), one) for key, one in node.items()]
        elif isinstance(node, list):
            pending += [(f"{here}/{place}", one) for place, one in enumerate(node)]
