"""The chat format on Alibaba's hosts (DashScope): its switch for thinking."""

from __future__ import annotations

from conformance.rules.check import Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import obj


@check("compat.choose.alibaba-thinking-forbids-forcing")
def alibaba_thinking_forbids_forcing(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    choice, thinks = document.get("tool_choice"), document.get("enable_thinking")
    if x.facts.tools and isinstance(thinks, bool):
        forced = choice == "required" or isinstance(choice, dict)
        yield holds(not (thinks and forced), "/tool_choice", ["auto", "none"], choice)
