"""Responses: the keywords that the strict mode refuses, which are those of the chat format."""

from __future__ import annotations

from conformance.rules.chat.strict_words import REFUSED
from conformance.rules.check import Verdicts, check
from conformance.rules.shared.strict_words import without_refused
from conformance.transcript import Exchange


@check("responses.declare.strict-words")
def strict_words(x: Exchange) -> Verdicts:
    for tool in x.facts.functions:
        if tool.strict is True:
            yield from without_refused(tool.schema, tool.schema_at, REFUSED)
