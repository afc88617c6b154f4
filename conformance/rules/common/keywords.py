"""Limits and defaults in the schema of a tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.generated.keywords import keywords
from conformance.model import Json
from conformance.rules.check import Verdicts, check, holds, same_json
from conformance.rules.shared.pairing import tool_pairs
from conformance.rules.shared.schema_loss import UNIONS, properties_of, resolved
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj, pointer

LIMITS = ("numbers", "strings", "lists")
"""The vocabularies of ``keywords.yaml`` that hold limits. Structure is another rule's."""

NESTING = frozenset({"items", "prefixItems"})
"""What stands in these vocabularies and is structure."""


def limits(*, subset: bool) -> frozenset[str]:
    """The keywords that say how much, and what is meant without a value. ``subset``: those of Gemini's own schemas."""
    words = {word: one for name in LIMITS for word, one in keywords()[name].items()}
    words["default"] = keywords()["values"]["default"]
    return frozenset(word for word, one in words.items() if not subset or "gemini" in one["named_by"]) - NESTING


@check("common.declare.limits-kept", needs_intent=True)
def limits_kept(x: Exchange) -> Verdicts:
    """Strict tools are left out: what their schemas may hold is narrower, and differs from provider to provider."""
    for tool, sent in tool_pairs(x):
        if tool.strict is not True and sent.strict is not True and isinstance(sent.schema, dict):
            subset = x.card.forms.own_schema_language and sent.schema_at.endswith("/parameters")
            yield from kept(tool.parameters, sent.schema, sent.schema_at, limits(subset=subset))


def kept(expected: Json, sent: Json, at: str, words: frozenset[str]) -> Verdicts:
    """Whether each of the words that a schema has stands in the one that was sent, which is at ``at``."""
    for here, meant, found in _alike(expected, sent, at):
        for word in (name for name in meant if name in words):
            yield holds(_has(found, word, meant[word]), f"{here}/{word}", meant[word], found.get(word))


def _alike(expected: Json, sent: Json, at: str) -> Iterator[tuple[str, Mapping[str, Json], Mapping[str, Json]]]:
    """Schemas that stand at the same place of both, with the place. What is referred to is looked at once."""
    pending, followed = [(expected, sent, at)], set[str]()
    while pending:
        one, other, here = pending.pop()
        reference = obj(one).get("$ref")
        if isinstance(reference, str) and reference in followed:
            continue
        followed |= {reference} if isinstance(reference, str) else set()
        mine, theirs = resolved(one, expected), resolved(other, sent)
        if isinstance(mine, dict) and isinstance(theirs, dict):
            yield here, mine, theirs
            pending += _below(mine, theirs, here)


def _below(mine: Mapping[str, Json], theirs: Mapping[str, Json], at: str) -> Iterator[tuple[Json, Json, str]]:
    found = properties_of(theirs)
    for name, one in properties_of(mine).items():
        if name in found:
            yield one, found[name], f"{at}/properties{pointer(name)}"
    yield mine.get("items"), theirs.get("items"), f"{at}/items"
    for word in UNIONS:
        branches, others = items(mine.get(word)), items(theirs.get(word))
        if len(branches) == len(others):
            yield from ((one, others[place][1], f"{at}/{word}/{place}") for place, one in branches)


def _has(sent: Mapping[str, Json], word: str, value: Json) -> bool:
    """Whether a schema, or an alternative in it, has the keyword. Words in its description stand for it.

    A number may be a text, as Google writes int64.
    """
    if word in str(sent.get("description", "")):
        return True
    nodes = [sent, *(obj(branch) for union in UNIONS for _, branch in items(sent.get(union)))]
    return any(word in node and (same_json(node[word], value) or node[word] == str(value)) for node in nodes)
