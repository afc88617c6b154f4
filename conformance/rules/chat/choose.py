"""Chat Completions: the names of tools, and choosing among them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj
from conformance.wires.naming import wire_names

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

OTHER_CHOICES = ("allowed_tools", "custom")
"""Choices that only OpenAI has: ``ChatCompletionAllowedToolsChoice`` and ``ChatCompletionNamedToolChoiceCustom`` in
openai-openapi. The first says a mode, too; the second forces a tool that takes one text."""

MODES: Mapping[str, str] = {"auto": "auto", "none": "none", "required": "required"}


@check("chat.naming.pattern-64")
def pattern_64(x: Exchange) -> Verdicts:
    kinds = {True: "custom", False: "function"}
    declared = [(f"{tool.at}/{kinds[tool.takes_text]}/name", tool.name) for tool in x.facts.client_tools]
    for at, name in [*declared, *((call.name_at, call.name) for call in x.facts.calls)]:
        if isinstance(name, str):
            yield holds(NAME.fullmatch(name) is not None, at, f"a name that matches ^{NAME.pattern}$", name)


def _wanted(x: Exchange) -> str | None:
    """The mode that the application chose; ``None`` when that is not known, or when there are no tools to choose."""
    return x.intent.choice.mode if x.intent is not None and x.intent.tools and x.facts.tools else None


@check("chat.choose.mode-mapping")
def mode_mapping(x: Exchange) -> Verdicts:
    wanted, raw = _wanted(x), x.facts.choice.raw if x.facts.choice is not None else None
    modes = {**MODES, **x.card.takes.choice_words}
    listed = obj(obj(raw).get("allowed_tools")).get("mode")
    if isinstance(listed, str) and wanted in ("auto", "required"):
        yield holds(listed == wanted, "/tool_choice/allowed_tools/mode", wanted, listed)
    elif isinstance(raw, str):
        right = modes.get(raw) == wanted if wanted not in (None, "tool") else raw in modes
        yield holds(right, "/tool_choice", list(modes) if wanted in (None, "tool") else wanted, raw)
    elif wanted in ("none", "required") and obj(raw).get("type") not in OTHER_CHOICES:
        yield Finding("/tool_choice", wanted, raw)


@check("chat.choose.forced-function-nested")
def forced_function_nested(x: Exchange) -> Verdicts:
    wanted, raw = _wanted(x), x.facts.choice.raw if x.facts.choice is not None else None
    if wanted not in (None, "tool"):
        return
    if (own := _own_kind(x)) is not None and obj(raw).get("type") == own:
        yield _forced_own(x, obj(obj(raw).get(own)).get("name"), own)
    elif own == "custom" and obj(raw).get("type") == "function":
        yield Finding("/tool_choice/type", own, "function")
    elif isinstance(raw, dict) and raw.get("type") not in OTHER_CHOICES:
        yield _forced(x, raw)
    elif wanted == "tool" and not _only_tool(x, raw):
        names = _names_of_choice(x)
        yield Finding("/tool_choice", {"type": "function", "function": {"name": names[0] if names else "..."}}, raw)


def _own_kind(x: Exchange) -> str | None:
    """The provider's word for the tool that is forced, where that is no function."""
    tool = x.intent.tool(x.intent.choice.name or "") if x.intent is not None else None
    return None if tool is None else "custom" if tool.text is not None else tool.builtin


def _forced_own(x: Exchange, name: Json, kind: str) -> Finding | None:
    wanted = _names_of_choice(x) or [x.intent.choice.name if x.intent is not None else None]
    return holds(name in wanted, f"/tool_choice/{kind}/name", wanted, name)


def _forced(x: Exchange, raw: Mapping[str, Json]) -> Finding | None:
    name, kind, at = obj(raw.get("function")).get("name"), raw.get("type"), "/tool_choice/function/name"
    if x.card.takes.flat_choice and kind == "tool":
        name, kind, at = raw.get("name"), "function", "/tool_choice/name"
    named = isinstance(name, str)
    if not named or not (kind == "function" or (kind is None and x.card.takes.untyped)):
        expected = {"type": "function", "function": {"name": name if named else "..."}}
        return Finding("/tool_choice", expected, raw)
    declared = [tool.name for tool in x.facts.client_tools if isinstance(tool.name, str)]
    expected_names = _names_of_choice(x) or declared
    known = name in expected_names or not declared  # a declaration that cannot be read has a rule of its own
    return holds(known, at, expected_names, name)


def _names_of_choice(x: Exchange) -> list[Json]:
    """The declared names that the forced tool may go by; none when none of them is declared."""
    choice = x.intent.choice.name if x.intent is not None else None
    if x.intent is None or choice is None:
        return []
    declared = [tool.name for tool in x.facts.client_tools]
    return [name for name in (choice, wire_names(x.intent.tools).get(choice)) if name in declared][:1]


def _only_tool(x: Exchange, raw: Json) -> bool:
    """Whether the choice forces some tool, and there is only one, or only this one is allowed."""
    allowed = obj(obj(raw).get("allowed_tools"))
    listed_tools = [obj(tool) for _, tool in items(allowed.get("tools"))]
    names = [obj(tool.get("function") or tool.get("custom")).get("name") for tool in listed_tools]
    listed = allowed.get("mode") == "required" and len(names) == 1 and names == _names_of_choice(x)
    return listed or (len(x.facts.client_tools) == 1 and raw in ("required", "any"))


@check("chat.choose.parallel-disabled")
def parallel_disabled(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    sent, unwanted = document.get("parallel_tool_calls"), x.intent is not None and x.intent.choice.parallel is False
    if not document.get("tools"):
        if sent is not None:
            yield Finding("/parallel_tool_calls", "absent, as there are no tools", sent)
    elif unwanted:
        yield holds(sent is False, "/parallel_tool_calls", False, sent)
    elif sent is not None:
        yield holds(isinstance(sent, bool), "/parallel_tool_calls", "true or false", sent)
