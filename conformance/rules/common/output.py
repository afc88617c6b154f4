"""Structured output: the answer's schema is asked for, and what the answer means is what its text says."""

from __future__ import annotations

from conformance.model import decoded_json
from conformance.rules.check import Finding, Verdicts, check, holds, same_json
from conformance.rules.common.readings import reading_of
from conformance.rules.shared.schema_loss import Comparison
from conformance.transcript import Exchange
from conformance.wires.facts import SentValue, settings_at


@check("common.choose.output-as-asked", needs_intent=True)
def output_as_asked(x: Exchange) -> Verdicts:
    """Titles, and names of the schema itself, may be added: SDKs take them from the application's types."""
    if x.intent is None or x.intent.output is None or x.facts.document is None:
        return
    places = x.card.forms.answer_schemas
    sent = next(iter(settings_at(x.facts.document, *places)), SentValue(places[0], None))
    subset = sent.at.endswith(("/responseSchema", "/response_schema"))  # Gemini's own language for schemas
    losses = Comparison(x.intent.output, sent.value, strict=True, subset=subset).losses(sent.at)
    verdicts: list[Finding | None] = list(losses)
    yield from verdicts or [None]


@check("common.parse.output-as-meant")
def output_as_meant(x: Exchange) -> Verdicts:
    """Judged where the adapter says what the text means."""
    reading = reading_of(x)
    if reading is None or x.intent is None or x.intent.output is None or reading.read.parsed is None:
        return
    if reading.offered.stop == "end" and (meant := decoded_json(reading.offered.text)) is not None:
        found = reading.read.parsed.value
        yield holds(same_json(meant, found), "/parsed/value", meant, found)
