"""Dialects that follow from an SDK's types alone."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.coverage.documents import forms_in_types, schema_of
from conformance.coverage.scope import matches
from conformance.dialects.dialect import IT, Dialect, DialectStep
from conformance.dialects.tables import table
from conformance.wires import card

TEXT = "[type=text]"
NULL = " = null"


def derived(provider: str) -> Iterator[Dialect]:
    """The dialects of a format, with its own provider."""
    if card(provider).format == provider and schema_of(provider, "request") is not None:
        yield from _texts(provider)
        yield from _nulls(provider)


def _texts(provider: str) -> Iterator[Dialect]:
    """Where a text or a list of parts may stand, the one for the other."""
    forms = forms_in_types(provider, "request")
    source = f"the types of {card(provider).title}'s SDK"
    for place in sorted(form.removesuffix(TEXT) for form in forms if form.endswith(TEXT)):
        if {f"{place}(string)", f"{place}(array)"} <= forms:
            parts = DialectStep("parts", f"{place}(string)", [{"type": "text", "text": IT}])
            yield Dialect(f"parts at {place}", "A text may be a list of parts.", source, (parts,))
            text = DialectStep("one text", place)
            yield Dialect(f"text at {place}", "One part of text may be a text.", source, (text,))


def _nulls(provider: str) -> Iterator[Dialect]:
    """Null for what may be left out, where the types take it."""
    forms = forms_in_types(provider, "request")
    other = table()["no nulls"].get(provider, ())
    places = sorted(form.removesuffix(NULL) for form in forms if form.endswith(NULL))
    steps = [DialectStep("put", place) for place in places if f"{place} absent" in forms and not matches(place, other)]
    if steps:
        source = f"the types of {card(provider).title}'s SDK"
        yield Dialect("nulls said", "What may be left out may be null.", source, tuple(steps))
