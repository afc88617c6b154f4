"""What tools of MCP servers return beside text, values and pictures: resources, and links to them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from conformance.model import Json, ResourcePart
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.pairing import answers
from conformance.transcript import Exchange


@check("common.result.resources-kept", needs_intent=True)
def resources_kept(x: Exchange) -> Verdicts:
    """Providers have no form for them, so it is left open in which words they are told, and where."""
    for answer in answers(x):
        parts = [part for part in answer.meant.content if isinstance(part, ResourcePart)]
        if answer.sent is None or not parts:
            continue
        told = [*_texts(x.facts.document), answer.sent.text or ""]  # a file is text, too
        for part in parts:
            meant = part.uri if part.text is None else part.text
            yield holds(_says(told, meant), answer.sent.content_at, meant, answer.sent.content)


def _says(told: list[str], meant: str) -> bool:
    """Whether one of the texts has it, or has it as JSON."""
    escaped = {json.dumps(meant, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    return any(form in text for text in told for form in {meant, *escaped})


def _texts(document: Json) -> Iterator[str]:
    pending = [document]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict | list):
            pending += one.values() if isinstance(one, dict) else one
