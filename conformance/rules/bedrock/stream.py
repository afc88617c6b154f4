"""Converse: streams."""

from __future__ import annotations

from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.streams import broken_end, differs, same_arguments, same_calls, understood_stream
from conformance.transcript import Exchange
from conformance.wires.bedrock.assemble import EXCEPTION
from conformance.wires.bedrock.events import type_and_fields


@check("bedrock.stream.event-grammar")
def event_grammar(x: Exchange) -> Verdicts:
    turns = understood_stream(x)
    if turns is None:
        return
    yield differs(x, "/stop", broken_end)
    if turns[0].calls:
        yield same_calls(x)
        yield from same_arguments(x)


@check("bedrock.stream.exception-is-told")
def exception_is_told(x: Exchange) -> Verdicts:
    """A reader may put words around the message."""
    told = [fields for name, fields in map(type_and_fields, x.documents) if name.endswith(EXCEPTION)]
    if x.turn is None or not told:
        return
    yield holds(x.turn.stop == "error", "/stop", "error", x.turn.stop)
    message = told[0].get("message")
    if isinstance(message, str) and x.turn.stop == "error":
        found = x.turn.error.message if x.turn.error is not None else None
        yield holds(message in str(found), "/error/message", message, found)
