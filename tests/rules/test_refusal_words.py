"""What rests on what: no rule without evidence, and words of providers that tell one reason from another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from conformance.model import Json
from conformance.rules import Evidence, Rule, catalogue
from conformance.traffic.audit import Audit, AuditedExchange

RULES = catalogue()
CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "traffic.jsonl.gz"
AT_MOST_PRESUMED = 1 / 3
"""Of the pairs of a rule that says "rejected" and a provider."""
AT_LEAST_TOLD = 0.6
"""Of recorded refusals about tools: a rule finds the fault beforehand, and knows the words of the refusal."""
NOT_ABOUT_TOOLS = r"Content blocks are expected|file_data|file type|Cannot fetch content|context length"
"""Refusals of requests with tools for something else: sounds, files, addresses, length."""

ONE_FAULT: dict[str, set[str]] = {
    "a call without its result: counted once for all providers, and looked at as a place in chat and in Gemini": {
        "common.result.exactly-one-per-call", "common.result.empty-result-sent", "chat.result.adjacent-and-complete",
        "common.ids.unique-in-conversation", "common.history.call-replayed-before-result",
        "gemini.result.count-equals-calls", "gemini.result.one-content", "unified.result.tool-decision",
        "responses.continuation.previous-response-id",
    },
    "a result without its call": {
        "common.result.no-orphan", "anthropic.result.references-tool-use-id",
        "common.history.call-replayed-before-result",
    },
    "a name with other characters: as the application meant it, and as the provider asks for it": {
        "common.naming.mcp-sanitised-characters", "common.naming.portable-length-63", "chat.naming.pattern-64",
        "anthropic.naming.pattern-128", "gemini.naming.pattern",
    },
    "an id that another call has": {"common.ids.unique-in-conversation", "anthropic.ids.pattern-and-uniqueness"},
}  # fmt: skip
"""Rules that are refused in the same words, because they say the same of one fault."""

WORDS_WITHOUT_A_FINDING: dict[tuple[str, str], str] = {}
"""Recorded refusals in the words of a rule that finds nothing, by rule and host, and why."""


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


# --- recorded refusals -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Refusal:
    """A recorded answer 400 or 422 to a request with tools, for what is wrong with them."""

    host: str
    error: Json
    found: frozenset[str]
    """The rules with findings on the request."""
    meant: frozenset[str]
    """The rules whose refusal is told in these words."""

    @property
    def is_told(self) -> bool:
        """Whether a rule says beforehand that, and why, it is refused."""
        return bool(self.found & self.meant)


@dataclass
class Refusals:
    """Collects recorded refusals."""

    all: list[Refusal] = field(default_factory=list)

    def add(self, one: AuditedExchange) -> None:
        """Keep an exchange that was refused."""
        facts, body = one.exchange.facts, one.record.body
        if one.record.status not in (400, 422) or not (facts.tools or facts.calls or facts.results) or body is None:
            return
        error = _document(body)
        if re.search(NOT_ABOUT_TOOLS, json.dumps(error)):
            return
        found = frozenset(finding.rule.id for finding in one.findings if finding.side != "response")
        meant = frozenset(rule.id for rule in RULES.values() if rule.predicts(error))
        self.all.append(Refusal(one.who.host, error, found, meant))

    def told(self) -> float:
        """The share that is told beforehand, and for the right reason."""
        return sum(one.is_told for one in self.all) / len(self.all)


def _document(body: bytes) -> Json:
    try:
        document: Json = json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")
    return document


def recorded(path: Path) -> Refusals:
    """The refusals in a file of recorded traffic."""
    refusals = Refusals()
    for _ in Audit(watch=refusals.add).read(path):
        pass
    return refusals


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="the recorded traffic does not lie beside the repository")
def test_recorded_refusals_are_told_for_their_reason() -> None:
    refusals = recorded(CORPUS)
    without = {(rule, one.host) for one in refusals.all for rule in one.meant - one.found}
    assert without == WORDS_WITHOUT_A_FINDING.keys()
    assert refusals.told() >= AT_LEAST_TOLD
