"""The wire of OpenAI Responses."""

from __future__ import annotations

from conformance.wires.base import Wire, error_renderer
from conformance.wires.openai_chat.failures import read_failure
from conformance.wires.openai_chat.wire import DEVIATIONS
from conformance.wires.openai_responses import assemble, client, events, provider
from conformance.wires.openai_responses.card import CARD
from conformance.wires.openai_responses.grammar import BODY_GRAMMAR, GRAMMAR
from conformance.wires.openai_responses.request import read_facts

WIRE = Wire(
    card=CARD,
    build=client.build,
    assemble=assemble.assemble,
    read=client.read,
    read_error=read_failure,
    answered_ids=client.answered_ids,
    facts=read_facts,
    ids=provider.ids,
    render=provider.render,
    render_stream=events.render_stream,
    render_error=error_renderer(DEVIATIONS.error_body),
    grammar=GRAMMAR,
    body_grammar=BODY_GRAMMAR,
    sniff=None,
    relative=None,
)
