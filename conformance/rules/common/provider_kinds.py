"""Tools that the provider defined and the application runs: declared by the provider's word for them."""

from __future__ import annotations

from conformance.http import Request
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import obj, value_at

HOSTED = ("container_auto", "container_reference")
"""Where a shell is that the provider runs."""


@check("common.declare.provider-kinds", needs_intent=True)
def provider_kinds(x: Exchange) -> Verdicts:
    """Where no tool may be called, none has to be declared."""
    if x.intent is None or not isinstance(x.request, Request) or (x.intent.choice.mode == "none" and not x.facts.tools):
        return
    for tool in x.intent.tools:
        if tool.kind is not None:
            sent = next((sent for sent in x.facts.tools if sent.kind == tool.kind), None)
            if sent is None:
                same = [{"type": sent.kind} for sent in x.facts.tools if sent.name == tool.name]
                yield Finding(x.facts.tools_at, {"type": tool.kind}, same or [sent.kind for sent in x.facts.tools])
                continue
            where = obj(obj(value_at(x.facts.document, sent.at)).get("environment")).get("type")
            yield holds(where not in HOSTED, sent.at, "a tool that the application runs", {"environment": where})
