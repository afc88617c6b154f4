"""Declaring tools, on every wire."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import Tool
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import call_pairs, tool_pairs
from conformance.rules.shared.schema_loss import Comparison, properties_of
from conformance.transcript import Exchange
from conformance.wires.facts import SentTool, obj

SCENARIO_TOOLS = frozenset({
    "read_file", "write_file", "replace", "search_file_content", "read_many_files", "run_shell_command",
})  # fmt: skip
"""The tools of our scenarios: that their parameters keep their names is a policy of this suite."""

CHOICE_KEYS = ("tool_choice", "parallel_tool_calls", "toolConfig", "tool_config")
"""The keys that say how tools may be called, on any wire."""


@check("common.declare.schema-passthrough", needs_intent=True)
def schema_passthrough(x: Exchange) -> Verdicts:
    for tool, sent in tool_pairs(x):
        yield from list(_losses(x, tool, sent)) or [None]


def _losses(x: Exchange, tool: Tool, sent: SentTool) -> Iterator[Finding | None]:
    if tool.description and tool.description.strip() not in str(sent.description):
        yield Finding(sent.at, tool.description, sent.description)
    subset = x.card.forms.own_schema_language and sent.schema_at.endswith("/parameters")
    strict = tool.strict is True or sent.strict is True
    yield from Comparison(tool.parameters, sent.schema, strict, subset).losses(sent.schema_at)


@check("common.declare.scenario-parameter-names")
def scenario_parameter_names(x: Exchange) -> Verdicts:
    for tool, sent in tool_pairs(x):
        if tool.name in SCENARIO_TOOLS and (wanted := set(properties_of(tool.parameters))):
            found = set(properties_of(sent.schema))
            yield holds(wanted == found, f"{sent.schema_at}/properties", sorted(wanted), sorted(found))
    for call, replayed in call_pairs(x):
        if call.name in SCENARIO_TOOLS and isinstance(call.arguments, dict) and replayed.arguments is not None:
            wanted, found = set(call.arguments), set(replayed.arguments)
            yield holds(wanted == found, replayed.arguments_at, sorted(wanted), sorted(found))


@check("common.declare.empty-tools-omitted")
def empty_tools_omitted(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    if not document or (x.intent.tools if x.intent is not None else x.facts.tools or _has_tools_elsewhere(x)):
        return
    if x.card.forms.tools_beside_history and x.facts.calls:
        return
    mode = x.facts.choice.mode if x.facts.choice is not None else None
    for key in CHOICE_KEYS:
        if key == "tool_choice" and mode in x.card.takes.modes_without_tools:
            yield None
            continue
        yield holds(document.get(key) is None, f"/{key}", "nothing: there are no tools", document.get(key))
    tools = document.get("tools")
    if tools or not x.card.takes.empty_tools:
        yield holds(tools is None, "/tools", "nothing: there are no tools", tools)


def _has_tools_elsewhere(x: Exchange) -> bool:
    """Whether tools may come with a stored prompt, a conversation or an input item, or in the deprecated field."""
    return x.card.forms.tools_elsewhere or "functions" in obj(x.facts.document)
