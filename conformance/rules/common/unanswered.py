"""Calls that nobody answered: what the model is told of them."""

from __future__ import annotations

from conformance.model import DecisionsTurn, ResultsTurn, decoded_json, result_text
from conformance.rules.check import Finding, Verdicts, check
from conformance.rules.shared.pairing import call_pairs, correlate
from conformance.transcript import Exchange
from conformance.wires.facts import SentResult


@check("common.result.unanswered-told", needs_intent=True)
def unanswered_told(x: Exchange) -> Verdicts:
    """Which words are chosen is left open, and so is whether the call goes along at all."""
    if x.intent is None:
        return
    turns = x.intent.turns
    results = [result for turn in turns if isinstance(turn, ResultsTurn) for result in turn.results]
    decided = [one.call_id for turn in turns if isinstance(turn, DecisionsTurn) for one in turn.decisions]
    answered = {*(result.call_id for result in results), *decided}
    given = {result_text(result).strip() for result in results}
    found = correlate(x.facts).answers
    for call, sent in call_pairs(x):
        made = found.get(sent.at)
        if call.id not in answered and made is not None:
            yield _judged(made, given)


def _judged(made: SentResult, given: set[str]) -> Finding | None:
    told = (made.text or "").strip()
    if _says_something(told) and told not in given:
        return None
    return Finding(made.content_at or made.at, "words that say that this call gave no result", made.content)


def _says_something(text: str) -> bool:
    """Whether there are words in a text, or in the JSON that it is: a failure is often an object with a message."""
    value = decoded_json(text)
    if not isinstance(value, dict):
        return bool(text)
    return any(isinstance(one, str) and one.strip() for one in value.values())
