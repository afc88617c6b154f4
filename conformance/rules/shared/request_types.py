"""What every wire has: each field of a request that concerns messages, tools and tool choice has its type.

A fault that a rule of its own names is not told again: where the schema finds something, the other rules about what a
request says are asked, too, and what they point at is theirs. What the provider itself said may be sent back as it
came, also when no schema knows it yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.model import Json
from conformance.rules.check import CHECKS, Finding, Verdicts, same_json
from conformance.rules.shared.shape import request_findings
from conformance.transcript import Exchange

OWNERS = ("declare", "naming", "choose", "history", "result", "ids")
"""The stages of the rules that judge what a request says."""


def wrong_types(x: Exchange, family: str) -> Verdicts:
    """Whether what a request says has its types; ``family`` is that of the rule which asks."""
    document = x.facts.document
    if not isinstance(document, dict):
        return
    found = list(request_findings(x.provider, document))
    if not found:
        yield None
        return
    answered = [value for earlier in x.earlier for value in _objects(earlier.answer)]
    own = [finding for finding in found if not _said_by_the_provider(finding.at, x, answered)]
    named = [finding.at for finding in _named_by_others(x, family)] if own else []
    for finding in own:
        if not any(_inside(finding.at, at) or _inside(at, finding.at) for at in named):
            yield finding


def _named_by_others(x: Exchange, family: str) -> Iterator[Finding]:
    for name, other in list(CHECKS.items()):
        prefix, stage, _ = name.split(".", 2)
        if prefix in ("common", family) and stage in OWNERS:
            yield from (finding for finding in other(x) if finding is not None)


def _inside(inner: str, outer: str) -> bool:
    """Whether one pointer is the other, or leads further."""
    return f"{inner}/".startswith(f"{outer}/")


def _said_by_the_provider(at: str, x: Exchange, answered: Sequence[Json]) -> bool:
    """Whether the place is in an object that one of the answers before had."""
    around = [value for value in _on_the_way(x.facts.document, at) if isinstance(value, dict)][1:]
    return any(same_json(one, other) for one in around for other in answered)


def _on_the_way(document: Json, at: str) -> Iterator[Json]:
    """The values that a pointer leads through, from the document on."""
    value = document
    yield value
    for part in at.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return
        yield value


def _objects(document: Json) -> Iterator[Json]:
    """Every object in a document."""
    pending = [document]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            yield value
        if isinstance(value, dict | list):
            pending += value.values() if isinstance(value, dict) else value
