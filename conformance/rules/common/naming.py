"""Tool names, on every wire: portable names for every tool, and the way back."""

from __future__ import annotations

import re

from conformance.model import Tool
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import call_pairs, calls_understood, tool_pairs
from conformance.transcript import Exchange
from conformance.wires.naming import LIMIT

OUTSIDE = re.compile(r"[^A-Za-z0-9_-]")

STEM = 24
"""How much of its beginning a name keeps, at least, when it is made shorter."""


def _qualified(tool: Tool) -> str:
    """The tool's portable name, before it is made shorter or told apart from another."""
    return "__".join(OUTSIDE.sub("_", part) for part in tool.mcp or (tool.name,))


@check("common.naming.mcp-qualified-name")
def mcp_qualified_name(x: Exchange) -> Verdicts:
    pairs = tool_pairs(x)
    names = [_qualified(tool) for tool, _ in pairs]
    for (tool, sent), name in zip(pairs, names, strict=True):
        if tool.mcp is None or not isinstance(sent.name, str):
            continue
        found = OUTSIDE.sub("_", sent.name)  # other characters are another rule's finding
        changed = len(name) > LIMIT or names.count(name) > 1
        right = found in (name, f"_{name}") or (changed and found.removeprefix("_").startswith(name[:STEM]))
        yield holds(right, sent.at, name, sent.name)


@check("common.naming.mcp-sanitised-characters")
def mcp_sanitised_characters(x: Exchange) -> Verdicts:
    for tool, sent in tool_pairs(x):
        if isinstance(sent.name, str) and any(OUTSIDE.search(part) for part in (tool.name, *(tool.mcp or ()))):
            yield holds(not OUTSIDE.search(sent.name), sent.at, "only A-Z, a-z, 0-9, _ and -", sent.name)


@check("common.naming.portable-length-63")
def portable_length_63(x: Exchange) -> Verdicts:
    for item in x.facts.client_tools:
        if isinstance(item.name, str):
            yield holds(len(item.name) <= LIMIT, item.at, f"at most {LIMIT} characters", item.name)
    before = {tool.name: sent.name for tool, sent in tool_pairs(x.previous)} if x.previous is not None else {}
    for tool, sent in tool_pairs(x):
        whole = _qualified(tool)
        if len(whole) <= LIMIT or not isinstance(sent.name, str):
            continue
        cut = 0 < len(sent.name) <= LIMIT and whole.startswith(OUTSIDE.sub("_", sent.name).removeprefix("_"))
        yield holds(not cut, sent.at, f"a hash of {whole} at the end", sent.name)
        if tool.name in before:
            yield holds(sent.name == before[tool.name], sent.at, before[tool.name], sent.name)


@check("common.naming.no-collision")
def no_collision(x: Exchange) -> Verdicts:
    if x.facts.document is None:
        return
    names: set[str] = set()
    for tool in x.facts.client_tools:
        if isinstance(tool.name, str):
            yield holds(tool.name not in names, tool.at, "a name of its own", tool.name)
            names.add(tool.name)
    if x.intent is None or (x.intent.choice.mode == "none" and not x.facts.client_tools):
        return  # where no tool may be called, none has to be declared
    meant = [tool.name for tool in x.intent.tools if tool.described]
    if len(x.facts.client_tools) < len(meant):
        yield Finding(x.facts.tools_at, meant, [tool.name for tool in x.facts.client_tools])


@check("common.naming.wire-name-in-history", needs_intent=True)
def wire_name_in_history(x: Exchange) -> Verdicts:
    declared = {tool.name: sent.name for tool, sent in tool_pairs(x)}
    for call, replayed in call_pairs(x):
        if call.name in declared and isinstance(replayed.name, str):
            yield holds(replayed.name == declared[call.name], replayed.name_at, declared[call.name], replayed.name)


@check("common.naming.reverse-mapped-on-parse")
def reverse_mapped_on_parse(x: Exchange) -> Verdicts:
    if x.parsed is None or x.offered is None or x.intent is None:
        return
    declared = {tool.name for tool in x.intent.tools}
    places = calls_understood(x.offered.calls, x.parsed.calls)
    for offered, place in zip(x.offered.calls, places, strict=True):
        if offered.name in declared and place is not None:
            found = x.parsed.calls[place].name
            yield holds(found == offered.name, f"/calls/{place}/name", offered.name, found)
