"""Decisions of the user about calls: on the gateway as such, elsewhere as results."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.http import Request
from conformance.model import Decision, DecisionsTurn, Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import call_pairs
from conformance.rules.shared.pairing import correlate as results_of_calls
from conformance.transcript import Exchange
from conformance.wires.facts import SentCall, items, obj, pointer
from conformance.wires.unified.request import DECISION, UnifiedFacts


@check("unified.result.tool-decision")
def tool_decision(x: Exchange) -> Verdicts:
    if not isinstance(x.request, Request):
        return
    facts = x.facts
    if not isinstance(facts, UnifiedFacts) and b'"tool_decision"' in x.request.body:
        for at in _forwarded(facts.document):
            yield Finding(at, "a result, or nothing: only the gateway knows decisions", {"type": DECISION})
    if x.intent is None:
        return
    decisions = [decision for turn in x.intent.turns if isinstance(turn, DecisionsTurn) for decision in turn.decisions
                 if not x.intent.asks(decision.name)]  # fmt: skip
    calls = {meant.id: sent for meant, sent in call_pairs(x)}
    for decision in decisions:
        call = calls.get(decision.call_id)
        if call is None:
            continue  # calls that are not there have rules of their own
        if isinstance(facts, UnifiedFacts):
            yield _decided(facts, call, decision)
        elif not decision.accept:
            yield _rejected(x, call)


def _decided(facts: UnifiedFacts, call: SentCall, decision: Decision) -> Finding | None:
    word = "accept" if decision.accept else "reject"
    sent = next((item for item in facts.decisions if item.ref == call.id), None)
    if sent is None:
        expected = {"type": DECISION, "tool_call_id": call.id, "decision": word}
        return Finding("/input", expected, [item.ref for item in facts.decisions])
    return holds(sent.accept is decision.accept, f"{sent.at}/decision", word, sent.raw)


def _rejected(x: Exchange, call: SentCall) -> Finding | None:
    """A rejected call is answered like one that failed: in the wire's own way, or in words."""
    result = results_of_calls(x.facts).answers.get(call.at)
    if result is None:
        return Finding(_after(x, call), f"a result that says that {call.id or call.name} was rejected", None)
    if result.error is False:
        return Finding(result.at, "a result that is marked as an error", result.content)
    said = result.text is None or bool(result.text.strip())  # content that is no text has rules of its own
    return holds(said, result.content_at, "words that say so", result.content)


def _after(x: Exchange, call: SentCall) -> str:
    """The place of the message after the one with the call."""
    found = False
    for message in x.facts.messages:
        if found:
            return message.at
        found = any(item is call for item in message.calls)
    return call.at


def _forwarded(document: Json) -> Iterator[str]:
    """Where decisions stand among messages or in their content. Arguments and schemas may say what they like."""
    for name, value in obj(document).items():
        for place, item in items(value):
            parts = [(pointer(name, place), item)]
            for inner, content in obj(item).items():
                parts += [(pointer(name, place, inner, number), part) for number, part in items(content)]
            yield from (at for at, part in parts if obj(part).get("type") == DECISION)
