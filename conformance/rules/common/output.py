"""Structured output: the answer's schema is asked for, and what the answer means is what its text says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.model import Json, decoded_json
from conformance.rules.check import Finding, Verdicts, check, holds, same_json
from conformance.rules.common.readings import reading_of
from conformance.rules.shared.schema_loss import Comparison
from conformance.transcript import Exchange
from conformance.wires.facts import SentValue, settings_at

ANY_NAME = "a name"


BESIDE: Mapping[str, Mapping[str, Json]] = {
    "/response_format/json_schema/schema": {
        "/response_format/type": "json_schema", "/response_format/json_schema/name": ANY_NAME,
    },
    "/text/format/schema": {"/text/format/type": "json_schema", "/text/format/name": ANY_NAME},
    "/output_config/format/schema": {"/output_config/format/type": "json_schema"},
}  # fmt: skip
"""What must stand beside a schema for it to be asked for, by the schema's place. Sources: the members that
ResponseFormatJsonSchema, TextResponseFormatJsonSchema (openai/openai-openapi) and JSONOutputFormatParam (anthropic)
require."""


@check("common.choose.output-as-asked", needs_intent=True)
def output_as_asked(x: Exchange) -> Verdicts:
    """Titles, and names of the schema itself, may be added: SDKs take them from the application's types."""
    if x.intent is None or x.intent.output is None or x.facts.document is None:
        return
    places = x.card.forms.answer_schemas
    sent = next(iter(settings_at(x.facts.document, *places)), SentValue(places[0], None))
    subset = sent.at.endswith(("/responseSchema", "/response_schema"))  # Gemini's own language for schemas
    losses = Comparison(x.intent.output, sent.value, strict=True, subset=subset).losses(sent.at)
    verdicts: list[Finding | None] = [*losses, *_lacking(x.facts.document, sent)]
    yield from verdicts or [None]


def _lacking(document: Json, sent: SentValue) -> Iterator[Finding]:
    for place, wanted in BESIDE.get(sent.at, {}).items() if sent.value is not None else ():
        found = next((one.value for one in settings_at(document, place)), None)
        if not (isinstance(found, str) and found if wanted == ANY_NAME else found == wanted):
            yield Finding(place, wanted, found)


@check("common.parse.output-as-meant")
def output_as_meant(x: Exchange) -> Verdicts:
    """Judged where the adapter says what the text means."""
    reading = reading_of(x)
    if reading is None or x.intent is None or x.intent.output is None or reading.read.parsed is None:
        return
    if reading.offered.stop == "end" and (meant := decoded_json(reading.offered.text)) is not None:
        found = reading.read.parsed.value
        yield holds(same_json(meant, found), "/parsed/value", meant, found)
