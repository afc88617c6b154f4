"""The strict mode of OpenAI: which keywords of JSON Schema it refuses."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.chat.documents import declared_tools
from conformance.rules.check import Verdicts, check
from conformance.rules.shared.strict_words import RefusedWords, always, without_refused
from conformance.transcript import Exchange

FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
"""The formats of texts that may stand in a strict schema."""


def _other_format(value: Json) -> bool:
    return value not in FORMATS


REFUSED: RefusedWords = {
    "allOf": always,
    "oneOf": always,
    "not": always,
    "if": always,
    "then": always,
    "else": always,
    "dependentRequired": always,
    "dependentSchemas": always,
    "patternProperties": always,
    "propertyNames": always,
    "uniqueItems": always,
    "format": _other_format,
}
"""From the guide on structured outputs, and from errors that name the keyword."""


@check("chat.declare.strict-words")
def strict_words(x: Exchange) -> Verdicts:
    for at, tool in declared_tools(x):
        function = tool.get("function")
        if isinstance(function, dict) and function.get("strict") is True:
            yield from without_refused(function.get("parameters"), f"{at}/function/parameters", REFUSED)
