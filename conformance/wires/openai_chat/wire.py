"""The wire of Chat Completions, and of all providers that are compatible with it up to named deviations."""

from __future__ import annotations

from functools import partial

from conformance.wires.base import Wire, WireSettings, error_renderer
from conformance.wires.card import Card
from conformance.wires.openai_chat import assemble, client, failures, provider
from conformance.wires.openai_chat.card import CARD
from conformance.wires.openai_chat.deviations import Deviations
from conformance.wires.openai_chat.grammar import BODY_GRAMMAR, GRAMMAR
from conformance.wires.openai_chat.request import read_facts


def chat_wire(deviations: Deviations) -> Wire:
    """Chat Completions with one provider's deviations."""
    return Wire(
        card=deviations.card,
        build=partial(client.build, deviations),
        assemble=partial(assemble.assemble, deviations),
        read=partial(client.read, deviations),
        read_error=failures.read_failure,
        answered_ids=client.answered_ids,
        facts=read_facts,
        ids=partial(provider.ids, deviations),
        render=partial(provider.render, deviations),
        render_stream=partial(provider.render_stream, deviations),
        render_error=error_renderer(deviations.error_body),
        grammar=GRAMMAR,
        body_grammar=BODY_GRAMMAR,
        sniff=None,
        relative=partial(_relative, deviations),
    )


def _relative(deviations: Deviations, card: Card, settings: WireSettings) -> Wire:
    return chat_wire(deviations.changed(card, settings))


DEVIATIONS = Deviations(CARD)

WIRE = chat_wire(DEVIATIONS)
