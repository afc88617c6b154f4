"""How much a provider takes. Its card, or its host's file, says the limits; what is counted is counted here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.rules.check import Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Facts


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are of something, and where the last of them is."""

    at: str
    number: int


def _tools(facts: Facts) -> Count:
    declared = [tool for tool in facts.tools if tool.at.startswith("/tools/")]
    return Count(declared[-1].at if declared else facts.tools_at, len(declared))


def _descriptions(facts: Facts) -> Count:
    texts = [(len(tool.description), tool.at) for tool in facts.tools if isinstance(tool.description, str)]
    number, at = max(texts, default=(0, facts.tools_at))
    return Count(at, number)


COUNTED: Mapping[str, tuple[str, Callable[[Facts], Count]]] = {
    "tools": ("tools", _tools),
    "description": ("characters in a tool's description", _descriptions),
}
"""By the word on a card: what is counted, in words, and how."""


@check("common.declare.within-limits")
def within_limits(x: Exchange) -> Verdicts:
    """What the application itself declares is not the adapter's doing: where that is too much, nobody is blamed."""
    asked = len(x.intent.tools) if x.intent is not None else 0
    for word, most in x.taker.limits.items():
        what, counts = COUNTED[word]
        found = counts(x.facts)
        if found.number:
            most = max(most, asked) if word == "tools" else most
            yield holds(found.number <= most, found.at, f"at most {most} {what}", found.number)


@check("common.naming.not-reserved")
def not_reserved(x: Exchange) -> Verdicts:
    reserved = x.taker.takes.reserved_names
    for tool in x.facts.client_tools if reserved else ():
        yield holds(tool.name not in reserved, tool.at, "a name that the provider has no tool for", tool.name)
