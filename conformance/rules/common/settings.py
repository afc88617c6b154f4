"""The settings of a model call: what the application set is in the request, and nothing that costs besides."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, Json
from conformance.outcomes import OperationFailure
from conformance.recordings.differences import differences
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.varied import choice_places, equal_but_for, failed, is_inside, shown, varied
from conformance.transcript import Exchange
from conformance.wires.facts import SentSettings

SILENT = frozenset({"anthropic", "unified"})
"""Where the model thinks only when the request says so. Elsewhere it depends on the model."""

SAID = {None: "nothing about thinking", True: "that it shall think", False: "that it shall not think"}

OWN_KINDS = ("function", "custom")
"""The kinds of tools whose names are known."""


@check("common.choose.limit-as-asked")
def limit_as_asked(x: Exchange) -> Verdicts:
    """Judged where a second limit is tried, because not every kind of adapter is told one (agents are not)."""
    other = varied(x, "other-limit")
    if other is None or x.intent is None:
        return
    if isinstance(other.request, OperationFailure):
        yield failed(other.request)
        return
    allowed = [one.at for one in (*x.facts.settings.limits, *other.facts.settings.limits)]
    allowed += [x.facts.settings.thinking_at, other.facts.settings.thinking_at]
    for one in differences(x.facts.document, other.facts.document):
        if not is_inside(one.at, allowed):
            yield Finding(one.at, shown(one.recorded), shown(one.sent))
    yield from _limited(x.intent, x.facts.settings)
    if other.intent is not None:
        yield from _limited(other.intent, other.facts.settings)


def _limited(intent: Conversation, settings: SentSettings) -> Iterable[Finding | None]:
    """What is thought may come on top of the limit: some providers count it in."""
    asked, budget = intent.max_tokens, settings.budget
    if not settings.limits:
        yield Finding("", f"a limit of {asked} tokens", "no limit")
    for one in settings.limits:
        right = one.value == asked
        if intent.reasoning and isinstance(one.value, int):
            right = asked <= one.value and (not isinstance(budget, int) or one.value <= asked + budget)
        yield holds(right, one.at, asked, one.value)


@check("common.choose.idle-without-tools")
def idle_without_tools(x: Exchange) -> Verdicts:
    yield from equal_but_for(x, "idle-choice", choice_places)


@check("common.choose.thinking-as-asked", needs_intent=True)
def thinking_as_asked(x: Exchange) -> Verdicts:
    """How much a model thinks is left open. A forced choice may rule thinking out, and so may calls made without it."""
    if x.intent is None or not isinstance(x.request, Request):
        return
    sent = x.facts.settings
    if not x.intent.reasoning:
        yield holds(sent.thinking is not True, sent.thinking_at, "nothing about thinking", _said(sent))
    elif x.intent.choice.mode in ("auto", "none") and not _began_without(x):
        told = sent.thinking is True or (sent.thinking is None and x.card.format not in SILENT)
        yield holds(told, sent.thinking_at, "that the model shall think", _said(sent))


def _began_without(x: Exchange) -> bool:
    """Whether there are calls before which nobody knows the model thought."""
    called = x.intent is not None and any(isinstance(turn, AssistantTurn) and turn.calls for turn in x.intent.turns)
    return called and not (x.previous is not None and x.previous.facts.settings.thinking is True)


def _said(sent: SentSettings) -> Json:
    return SAID[sent.thinking]


@check("common.http.nothing-costly-unasked", needs_intent=True)
def nothing_costly_unasked(x: Exchange) -> Verdicts:
    """A conversation has no word for these, so whatever is there was not asked for."""
    if x.intent is None or not isinstance(x.request, Request):
        return
    yield from (Finding(one.at, "nothing", one.value) for one in x.facts.settings.costly)
    if not x.facts.settings.costly:
        yield None


@check("common.choose.parallel-unless-forbidden", needs_intent=True)
def parallel_unless_forbidden(x: Exchange) -> Verdicts:
    if x.intent is None or not isinstance(x.request, Request) or not x.facts.tools:
        return
    choice = x.intent.choice
    if choice.parallel is None and choice.mode != "tool" and not any(tool.strict for tool in x.intent.tools):
        yield holds(x.facts.parallel is not False, x.facts.parallel_at, "that calls may be parallel", False)


@check("common.choose.allowed-declared")
def allowed_declared(x: Exchange) -> Verdicts:
    """Tools that a search finds later, or that a server has, are declared nowhere."""
    names = x.facts.choice.names if x.facts.choice is not None else None
    if names is None or any(tool.kind not in OWN_KINDS for tool in x.facts.tools):
        return
    declared = [tool.name for tool in x.facts.client_tools]
    for name in names:
        if isinstance(name, str):
            yield holds(name in declared, x.facts.choice.at if x.facts.choice else "", declared, name)
