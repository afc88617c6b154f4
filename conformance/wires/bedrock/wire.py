"""The wire of Amazon Bedrock's Converse."""

from __future__ import annotations

from conformance.wires.base import Wire
from conformance.wires.bedrock import assemble, client, provider
from conformance.wires.bedrock.card import CARD
from conformance.wires.bedrock.grammar import BODY_GRAMMAR, GRAMMAR
from conformance.wires.bedrock.request import read_facts

WIRE = Wire(
    card=CARD,
    build=client.build,
    assemble=assemble.assemble,
    read=client.read,
    read_error=provider.read_error,
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
