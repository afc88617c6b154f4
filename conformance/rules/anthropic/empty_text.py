"""Messages: empty text inside of results, and of system."""

from __future__ import annotations

from conformance.rules.anthropic.documents import placed, text_blocks
from conformance.rules.check import Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import obj


@check("anthropic.result.no-empty-text-blocks")
def no_empty_text_blocks(x: Exchange) -> Verdicts:
    """White space is taken: tools may return it."""
    listed = [(result.content_at, result.content) for result in x.facts.results]
    for at, content in (*listed, ("/system", obj(x.facts.document).get("system"))):
        for here, block in text_blocks(placed(at, content)):
            yield holds(bool(block["text"]), f"{here}/text", "text, or no block at all", block["text"])
