"""Messages: choosing among tools."""

from __future__ import annotations

from conformance.http import Request
from conformance.model import Json
from conformance.rules.anthropic.documents import thinking_mode
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import tool_pairs
from conformance.transcript import Exchange
from conformance.wires.facts import SentChoice, obj

MODES = ("auto", "any", "none", "tool")

WORDS = {"auto": "auto", "required": "any", "none": "none", "tool": "tool"}
"""The API's word for each mode of the application's."""

PARALLEL_AT = "/tool_choice/disable_parallel_tool_use"

LEAST_BUDGET = 1024

MISPLACED = ("parallel_tool_calls", "disable_parallel_tool_use")
"""Top-level fields by which other formats, or mistakes, ask for one call at a time."""


@check("anthropic.choose.object-mapping")
def object_mapping(x: Exchange) -> Verdicts:
    """What is chosen by default need not be said. While it thinks, the model cannot always be forced."""
    wanted = x.intent.choice.mode if x.intent is not None and x.intent.tools and x.facts.tools else None
    sent = x.facts.choice
    if sent is None or sent.raw is None:
        right = wanted in (None, "auto") or _may_be_free(x, wanted)
        if wanted not in (None, "auto"):
            yield holds(right, "/tool_choice", _choosing(x, wanted), None)
    elif sent.mode is None or (wanted is not None and not _means(x, wanted, sent)):
        yield Finding("/tool_choice", _choosing(x, wanted), sent.raw)
    elif sent.mode == "tool":
        yield _forced(x, sent)
    else:
        yield None


def _choosing(x: Exchange, wanted: str | None) -> Json:
    """How ``wanted`` is said."""
    if wanted is None:
        return [{"type": mode} for mode in MODES]
    named = {"name": next(iter(_chosen_names(x)), "...")} if wanted == "tool" else {}
    return {"type": WORDS[wanted], **named}


def _means(x: Exchange, wanted: str, sent: SentChoice) -> bool:
    """Whether ``sent`` comes to the same as ``wanted``. With only one tool, any tool is that one."""
    single = len(x.facts.tools) == 1 and {wanted, sent.mode} == {"required", "tool"}
    return sent.mode == wanted or single or (sent.mode == "auto" and _may_be_free(x, wanted))


def _may_be_free(x: Exchange, wanted: str | None) -> bool:
    return wanted in ("required", "tool") and thinking_mode(x) in ("enabled", "adaptive")


def _forced(x: Exchange, sent: SentChoice) -> Finding | None:
    names = _chosen_names(x) or [tool.name for tool in x.facts.tools]
    known = isinstance(sent.name, str) and (sent.name in names or not names)
    return holds(known, "/tool_choice/name", names, sent.name)


def _chosen_names(x: Exchange) -> list[Json]:
    """The declared name of the tool that the application forces; none where that is not known."""
    name = x.intent.choice.name if x.intent is not None and x.intent.choice.mode == "tool" else None
    tool = x.intent.tool(name) if x.intent is not None and name is not None else None
    if tool is not None and tool.builtin is not None:
        return [tool.builtin]
    return [sent.name for own, sent in tool_pairs(x) if own.name == name]


@check("anthropic.choose.parallel-disabled")
def parallel_disabled(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    for name in MISPLACED:
        if name in document:
            yield Finding(f"/{name}", f"{PARALLEL_AT} instead", document[name])
    sent = obj(document.get("tool_choice")).get("disable_parallel_tool_use")
    choice = x.intent.choice if x.intent is not None and x.facts.tools else None
    if choice is not None and choice.parallel is False and choice.mode != "none":
        yield holds(sent is True, PARALLEL_AT, True, sent)
    elif sent is not None:
        yield holds(isinstance(sent, bool), PARALLEL_AT, "true or false", sent)


@check("anthropic.choose.thinking-forbids-forcing")
def thinking_forbids_forcing(x: Exchange) -> Verdicts:
    if thinking_mode(x) == "enabled" and x.facts.tools:
        kind = obj(obj(x.facts.document).get("tool_choice")).get("type")
        yield holds(kind not in ("any", "tool"), "/tool_choice/type", ["auto", "none"], kind)


@check("anthropic.choose.thinking-budget")
def thinking_budget(x: Exchange) -> Verdicts:
    """Interleaved thinking is asked for by a header; with it the budget is for all turns together."""
    sent = x.facts.settings
    if thinking_mode(x) != "enabled" or not isinstance(sent.budget, int) or not isinstance(x.request, Request):
        return
    at = f"{sent.thinking_at}/budget_tokens"
    yield holds(sent.budget >= LEAST_BUDGET, at, f"at least {LEAST_BUDGET}", sent.budget)
    interleaved = "interleaved-thinking" in (x.request.header("anthropic-beta") or "")
    for limit in sent.limits:
        if isinstance(limit.value, int) and not interleaved:
            yield holds(limit.value > sent.budget, limit.at, f"more than {sent.budget}", limit.value)
