"""Tools that the provider defined and the application runs: declared by the provider's word for them."""

from __future__ import annotations

import re

from conformance.http import Request
from conformance.model import Tool
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, obj, value_at

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
"""Names that every provider takes, so that nobody has to change them."""

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
            raw = obj(value_at(x.facts.document, sent.at))
            if tool.server is not None:
                yield _asks(tool, sent.at, raw)
                continue
            where = obj(raw.get("environment")).get("type")
            yield holds(where not in HOSTED, sent.at, "a tool that the application runs", {"environment": where})


def _asks(tool: Tool, at: str, raw: Object) -> Finding | None:
    """Whether a server is declared so that the provider calls it, and asks first. Where nothing is said, it asks."""
    expected = {"server_label": tool.name, "server_url": tool.server, "require_approval": "always"}
    label = raw.get("server_label")
    named = label == tool.name or (PLAIN.fullmatch(tool.name) is None and bool(label))
    right = named and raw.get("server_url") == tool.server and raw.get("require_approval") != "never"
    return holds(right, at, expected, {name: raw.get(name) for name in expected})
