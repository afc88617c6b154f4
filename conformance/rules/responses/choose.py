"""Responses: the names of tools, and choosing among them."""

from __future__ import annotations

import re

from conformance.model import Json, Tool
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.responses.documents import is_kind
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj
from conformance.wires.naming import wire_names

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")

MODES = ("auto", "none", "required")


@check("responses.naming.pattern")
def pattern(x: Exchange) -> Verdicts:
    declared = [(f"{tool.at}/name", tool.name) for tool in x.facts.client_tools]
    for at, name in [*declared, *((call.name_at, call.name) for call in x.facts.calls)]:
        if isinstance(name, str):
            yield holds(NAME.fullmatch(name) is not None, at, f"a name that matches ^{NAME.pattern}$", name)


@check("responses.choose.mode-mapping")
def mode_mapping(x: Exchange) -> Verdicts:
    """What is chosen by default need not be said."""
    wanted = x.intent.choice.mode if x.intent is not None and x.intent.tools and x.facts.tools else None
    sent = x.facts.choice
    if sent is not None and obj(sent.raw).get("type") in ("function", "custom"):
        yield _forced(x, sent.raw, wanted)
    elif wanted == "tool":
        yield holds(_forces(x), "/tool_choice", _forcing(x), sent.raw if sent is not None else None)
    elif sent is not None and sent.raw is not None:
        right = sent.mode is not None and wanted in (None, sent.mode)
        yield holds(right, "/tool_choice", wanted or MODES, sent.raw)
    elif wanted not in (None, "auto"):
        yield Finding("/tool_choice", wanted, None)


def _forced(x: Exchange, raw: Object, wanted: str | None) -> Finding | None:
    name, single = raw.get("name"), len(x.facts.tools) == 1
    if not isinstance(name, str) or "function" in raw:
        return Finding("/tool_choice", _forcing(x), raw)
    if wanted not in (None, "tool") and not (wanted == "required" and single):
        return Finding("/tool_choice", wanted, raw)
    names = _chosen_names(x) or [tool.name for tool in x.facts.client_tools if isinstance(tool.name, str)]
    return holds(name in names or not names, "/tool_choice/name", names, name)


def _forces(x: Exchange) -> bool:
    """Whether the one tool that there is, or that is allowed, must be called, or the provider's own that was chosen."""
    sent, tool = x.facts.choice, _chosen(x)
    if sent is None or sent.mode != "required":
        return False
    raw = obj(sent.raw)
    word = None if tool is None else tool.builtin or tool.kind
    hosted = word is not None and is_kind(raw.get("type"), word)
    allowed = [obj(one).get("name") for _, one in items(raw.get("tools"))] if raw.get("type") == "allowed_tools" else []
    listed = len(allowed) == 1 and allowed == _chosen_names(x)
    return hosted or listed or len(x.facts.tools) == 1


def _forcing(x: Exchange) -> Json:
    """How the tool that was chosen is forced."""
    tool = _chosen(x)
    if tool is not None and not tool.described:
        return {"type": tool.builtin or tool.kind}
    kind = "function" if tool is None or tool.text is None else "custom"
    return {"type": kind, "name": next(iter(_chosen_names(x)), "...")}


def _chosen(x: Exchange) -> Tool | None:
    name = x.intent.choice.name if x.intent is not None else None
    return x.intent.tool(name) if x.intent is not None and name is not None else None


def _chosen_names(x: Exchange) -> list[Json]:
    """The declared name of the tool that the application forces; none where it is not declared."""
    tool = _chosen(x)
    if tool is None or x.intent is None:
        return []
    declared = [sent.name for sent in x.facts.client_tools]
    return [name for name in (tool.name, wire_names(x.intent.tools)[tool.name]) if name in declared][:1]


@check("responses.choose.parallel-disabled")
def parallel_disabled(x: Exchange) -> Verdicts:
    sent = obj(x.facts.document).get("parallel_tool_calls")
    if x.intent is not None and x.intent.choice.parallel is False and x.facts.tools:
        yield holds(sent is False, "/parallel_tool_calls", False, sent)
    elif sent is not None:
        yield holds(isinstance(sent, bool), "/parallel_tool_calls", "true or false", sent)
