"""The wire of Chat Completions, and of all providers that are compatible with it up to named deviations."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from conformance.model import compact_json
from conformance.wires.base import Wire, error_renderer
from conformance.wires.card import Card
from conformance.wires.host_file import HostSettings
from conformance.wires.openai_chat import assemble, client, failures, provider
from conformance.wires.openai_chat.card import CARD
from conformance.wires.openai_chat.deviations import Deviations, DocumentEdit
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


def _relative(deviations: Deviations, card: Card, settings: HostSettings) -> Wire:
    return chat_wire(deviations.changed(card, settings))


COUNTS = ("reasoning_tokens", "audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens")
DEVIATIONS = Deviations(CARD)
OPENAI = replace(
    DEVIATIONS,
    usage_null=True,
    padding="obfuscation",
    opening='{"refusal": null}',
    edits=(
        DocumentEdit("", '{"service_tier": "default", "system_fingerprint": "fp_34a54ae93c"}'),
        DocumentEdit("/choices/*/message", '{"annotations": []}'),
        DocumentEdit(
            "/usage",
            compact_json(
                {
                    "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
                    "completion_tokens_details": dict.fromkeys(COUNTS, 0),
                }
            ),
        ),
    ),
)
"""What OpenAI's own host does beside the format: recorded traffic of api.openai.com, 2025 and 2026."""

WIRE = replace(chat_wire(OPENAI), relative=partial(_relative, DEVIATIONS))
