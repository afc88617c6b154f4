"""What strict modes refuse in a schema: keywords, and values of keywords."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts
from conformance.rules.shared.subschemas import subschemas
from conformance.wires.facts import pointer

RefusedWords = Mapping[str, Callable[[Json], bool]]
"""Keywords, each with what tells whether its value is refused."""


def always(_: Json) -> bool:
    """Whatever its value."""
    return True


def without_refused(schema: Json, at: str, refused: RefusedWords) -> Verdicts:
    """Every schema inside a strict tool's: its first keyword that is refused, if it has any."""
    for here, node in subschemas(schema, at):
        yield next(_refused(here, node, refused), None)


def _refused(at: str, node: Mapping[str, Json], refused: RefusedWords) -> Iterator[Finding]:
    for word, value in node.items():
        if word in refused and refused[word](value):
            yield Finding(f"{at}{pointer(word)}", "no such keyword in a strict schema", {word: value})
