"""What a model sealed for itself: signatures, and thinking that is encrypted. No model of another maker can open it."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check
from conformance.transcript import Exchange
from conformance.wires.facts import pointer

SEALS = ("signature", "thoughtSignature", "thought_signature", "encrypted_content", "data")
"""The members that hold seals, in every format. ``data`` is that of thinking which came encrypted as a whole."""
REDACTED = "redacted_thinking"
SHORTEST = 16
"""Shorter texts are no seals: they say that there is none."""


@check("common.history.no-foreign-seals")
def no_foreign_seals(x: Exchange) -> Verdicts:
    """Only what is known to have come from elsewhere is foreign. Another model of the same maker may read it."""
    foreign: set[str] = set()
    for earlier in (*x.elsewhere, *x.earlier):
        texts = {text for _, text in seals_in(earlier.answer)}
        foreign = foreign | texts if x.is_of_another_maker(earlier) else foreign - texts
    if foreign:
        for at, text in seals_in(x.facts.document):
            yield Finding(at, "nothing that a model of another maker sealed", text) if text in foreign else None


def seals_in(document: Json) -> Iterator[tuple[str, str]]:
    """What is sealed in a document, each with its place."""
    pending: list[tuple[str, Json]] = [("", document)]
    while pending:
        at, value = pending.pop()
        if isinstance(value, dict):
            for name, one in value.items():
                here = at + pointer(name)
                if isinstance(one, str):
                    sealed = name in SEALS and (name != "data" or value.get("type") == REDACTED)
                    if sealed and len(one) >= SHORTEST:
                        yield here, one
                else:
                    pending.append((here, one))
        elif isinstance(value, list):
            pending += [(f"{at}/{place}", one) for place, one in enumerate(value)]
