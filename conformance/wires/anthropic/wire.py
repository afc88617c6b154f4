"""The wire of Anthropic Messages."""

from __future__ import annotations

from conformance.wires.anthropic import assemble, client, provider
from conformance.wires.anthropic.card import CARD
from conformance.wires.anthropic.grammar import BODY_GRAMMAR, GRAMMAR
from conformance.wires.anthropic.request import read_facts
from conformance.wires.base import Wire, read_nested_error

WIRE = Wire(
    card=CARD,
    build=client.build,
    assemble=assemble.assemble,
    read=client.read,
    read_error=read_nested_error,
    answered_ids=client.answered_ids,
    facts=read_facts,
    ids=provider.ids,
    render=provider.render,
    render_stream=provider.render_stream,
    render_error=provider.render_error,
    grammar=GRAMMAR,
    body_grammar=BODY_GRAMMAR,
    sniff=None,
    relative=None,
)
