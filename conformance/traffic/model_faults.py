"""What a model did wrong, in an answer that is right by its format: nobody's conformance, but worth counting.

A model may call a tool that was not declared, with text that is no JSON, or with arguments that the tool's schema does
not allow. That is judged by what the request declared; where it declares nothing, or a recorder tells no tools, nothing
is examined. An answer that was cut off, by the connection or by the limit of tokens, is nobody's choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.arguments import allows
from conformance.model import ToolCall
from conformance.transcript import Exchange
from conformance.wires.facts import SentTool

UNKNOWN_NAME = "model.call.unknown-name"
INVALID_JSON = "model.call.invalid-json"
SCHEMA_MISMATCH = "model.call.schema-mismatch"

FAULTS: Mapping[str, str] = {
    INVALID_JSON: "the arguments are no JSON object",
    UNKNOWN_NAME: "the tool was not declared",
    SCHEMA_MISMATCH: "the tool's schema does not allow the arguments",
}
"""The faults, and what each is."""


def model_faults(exchange: Exchange, *, told: bool) -> Iterator[tuple[str, bool]]:
    """What was examined of the answer's calls, each time with whether it was wrong. ``told``: the answer was told, and
    arguments may be missing because nobody told them."""
    answer = exchange.offered
    if answer is None or not exchange.complete or answer.error is not None or answer.stop == "length":
        return
    declared = {tool.name: tool for tool in exchange.facts.client_tools if isinstance(tool.name, str)}
    for call in answer.calls:
        if declared:
            yield UNKNOWN_NAME, call.name not in declared
        tool = declared.get(call.name)
        if (tool is not None and tool.takes_text) or (told and call.sent is None):
            continue
        yield INVALID_JSON, call.arguments is None
        if tool is not None and call.arguments is not None:
            yield from _held_to_schema(call, tool, exchange)


def _held_to_schema(call: ToolCall, tool: SentTool, exchange: Exchange) -> Iterator[tuple[str, bool]]:
    fits = allows(tool.schema, call.arguments, own_language=exchange.card.forms.own_schema_language)
    if fits is not None:
        yield SCHEMA_MISMATCH, not fits
