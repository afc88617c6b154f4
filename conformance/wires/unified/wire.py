"""The wire of the gateway's own API."""

from __future__ import annotations

from conformance.wires.base import Wire, error_renderer, read_nested_error
from conformance.wires.unified import client, provider
from conformance.wires.unified.card import CARD
from conformance.wires.unified.grammar import BODY_GRAMMAR, GRAMMAR
from conformance.wires.unified.request import read_facts

WIRE = Wire(
    card=CARD,
    build=client.build,
    assemble=client.assemble,
    read=client.read,
    read_error=read_nested_error,
    answered_ids=client.answered_ids,
    facts=read_facts,
    ids=provider.ids,
    render=provider.render,
    render_stream=provider.render_stream,
    render_error=error_renderer(provider.error_body),
    grammar=GRAMMAR,
    body_grammar=BODY_GRAMMAR,
    sniff=None,
    relative=None,
)
