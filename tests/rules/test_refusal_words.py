"""What rests on what: no rule without evidence, and words of providers that tell one reason from another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.rules import Evidence, Rule, catalogue

RULES = catalogue()
AT_MOST_PRESUMED = 1 / 3
"""Of the pairs of a rule that says "rejected" and a provider."""

ONE_FAULT: dict[str, set[str]] = {
    "a call without its result: counted once for all providers, and looked at as a place in chat and in Gemini": {
        "common.result.exactly-one-per-call", "common.result.empty-result-sent", "chat.result.adjacent-and-complete",
        "common.ids.unique-in-conversation", "common.history.call-replayed-before-result",
        "gemini.result.count-equals-calls", "gemini.result.one-content", "unified.result.tool-decision",
        "responses.continuation.previous-response-id", "bedrock.result.all-in-next-message",
    },
    "a result without its call": {
        "common.result.no-orphan", "anthropic.result.references-tool-use-id",
        "common.history.call-replayed-before-result", "bedrock.result.all-in-next-message",
    },
    "a name with other characters: as the application meant it, and as the provider asks for it": {
        "common.naming.mcp-sanitised-characters", "common.naming.portable-length-63", "chat.naming.pattern-64",
        "anthropic.naming.pattern-128", "gemini.naming.pattern",
    },
    "a signature that is not the model's own, or not whole": {
        "common.history.no-foreign-seals", "anthropic.stream.signature-delta-kept",
    },
    "a keyword of a strict schema, in both formats of one provider": {
        "chat.declare.strict-words", "responses.declare.strict-words",
    },
    "an id that another call has": {"common.ids.unique-in-conversation", "anthropic.ids.pattern-and-uniqueness"},
}  # fmt: skip
"""Rules that are refused in the same words, because they say the same of one fault."""



def pairs() -> Iterator[tuple[Rule, str]]:
    """Each rule that says "rejected" with each of its providers."""
    for rule in RULES.values():
        if rule.consequence == "rejected":
            yield from ((rule, provider) for provider in rule.providers)


def records() -> Iterator[tuple[Rule, Evidence]]:
    """Each record once, with its rule."""
    for rule in RULES.values():
        yield from ((rule, one) for one in {id(one): one for one in rule.evidence.values()}.values())


# --- how much is known -----------------------------------------------------------------------------------------------


def test_no_pair_is_without_a_record() -> None:
    assert [(rule.id, provider) for rule, provider in pairs() if provider not in rule.evidence] == []


def test_few_pairs_are_presumed() -> None:
    classes = [rule.evidence_class(provider) for rule, provider in pairs()]
    assert classes.count("presumed") <= AT_MOST_PRESUMED * len(classes)


def test_a_refusal_is_quoted_or_shown() -> None:
    """The finding of `common.http.accepted` is the refusal itself."""
    quoted = [one.quote or rule.id == "common.http.accepted" for rule, one in records() if one.class_ == "refused"]
    assert all(quoted)


# --- the words of a reason -------------------------------------------------------------------------------------------


def test_a_pattern_finds_its_own_quote() -> None:
    wrong = [
        (rule.id, one.quote)
        for rule, one in records()
        if one.quote and one.error is not None and one.error.message and not _says(one, one.quote)
    ]
    assert wrong == []


def test_a_pattern_finds_no_other_reason() -> None:
    wrong = [
        (rule.id, other.id, said.quote)
        for rule, one in records()
        for other, said in records()
        if said.quote and _is_message_alone(one) and _says(one, said.quote) and not _one_fault(rule.id, other.id)
    ]
    assert wrong == []


def test_the_rules_of_one_fault_exist() -> None:
    assert set().union(*ONE_FAULT.values()) <= set(RULES)


def _says(one: Evidence, quote: str) -> bool:
    """Whether the message of a record's pattern is found in a quote."""
    return one.error is not None and bool(one.error.message) and bool(re.search(one.error.message, quote))


def _is_message_alone(one: Evidence) -> bool:
    """Whether the message alone tells the reason. The other parts of an error stand in no quote."""
    return one.error is not None and not (one.error.type or one.error.code or one.error.param)


def _one_fault(one: str, other: str) -> bool:
    return one == other or any({one, other} <= rules for rules in ONE_FAULT.values())
