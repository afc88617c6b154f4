"""The wire of Gemini's generateContent and streamGenerateContent."""

from __future__ import annotations

from conformance.wires.base import Wire, error_renderer
from conformance.wires.gemini import client, provider, stream
from conformance.wires.gemini.card import CARD
from conformance.wires.gemini.grammar import BODY_GRAMMAR, GRAMMAR
from conformance.wires.gemini.request import read_facts

WIRE = Wire(
    card=CARD,
    build=client.build,
    assemble=stream.assemble,
    read=client.read,
    read_error=client.read_failure,
    answered_ids=client.answered_ids,
    facts=read_facts,
    ids=provider.ids,
    render=provider.render,
    render_stream=provider.render_stream,
    render_error=error_renderer(provider.error_body),
    grammar=GRAMMAR,
    body_grammar=BODY_GRAMMAR,
    sniff=stream.sniff,
    relative=None,
)
