"""Evidence decides what is told of a finding, and an error tells its reason."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.http import Request
from conformance.rules import catalogue
from conformance.rules.check import Finding
from conformance.rules.evidence import (
    ErrorPattern,
    Evidence,
    EvidenceClass,
    ShownConsequence,
    error_words,
    shown_consequence,
)
from conformance.rules.hosts import weight
from conformance.transcript import Exchange

CLASSES: dict[EvidenceClass, ShownConsequence | None] = {
    "refused": "rejected", "documented": "rejected", "presumed": "presumed", "policy": "presumed", "accepted": None,
}  # fmt: skip


def known(class_: EvidenceClass, loses: str = "") -> Evidence:
    return Evidence(class_, "https://example.org", "2026-11-23", loses=loses)


@pytest.mark.parametrize("class_", CLASSES)
def test_a_refusal_is_told_as_its_evidence_says(class_: EvidenceClass) -> None:
    assert shown_consequence("rejected", known(class_)) == CLASSES[class_]
    assert shown_consequence("lost", known(class_)) == "lost"
    assert shown_consequence("degraded", known(class_)) == "degraded"


def test_without_a_record_it_is_presumed() -> None:
    assert shown_consequence("rejected", None) == "presumed"


def test_what_is_taken_and_loses_something_is_lost() -> None:
    assert shown_consequence("rejected", known("accepted", loses="the result")) == "lost"


def test_a_rule_does_not_apply_where_its_breach_is_taken() -> None:
    taken = {
        (rule.id, provider)
        for rule in catalogue().values()
        for provider, one in rule.evidence.items()
        if rule.consequence == "rejected" and one.class_ == "accepted" and not one.loses
    }
    assert taken
    for rule, provider in taken:
        assert not catalogue()[rule].applies_to(provider, "portable")


@pytest.mark.parametrize(("provider", "own", "expected"), [
    ("openai-chat", True, ("rejected", "refused")),
    ("openai-chat", False, ("presumed", "presumed")),  # a host that speaks its format
    ("groq", True, ("presumed", "presumed")),
    ("ollama", True, ("lost", "accepted")),
])  # fmt: skip
def test_what_a_provider_refuses_is_presumed_of_others(provider: str, own: bool, expected: tuple[str, str]) -> None:
    exchange = Exchange(provider, request=Request("POST", "https://example.org/v1", {}, b"{}"))
    told = weight(catalogue()["common.result.exactly-one-per-call"], Finding("", 1, 2), exchange, own=own)
    assert (told.consequence, told.evidence) == expected


# --- errors ----------------------------------------------------------------------------------------------------------

ERRORS: dict[str, tuple[Any, dict[str, list[str]]]] = {
    "OpenAI": (
        {"error": {"message": "Invalid", "type": "invalid_request_error", "param": "tools[0]", "code": None}},
        {"message": ["Invalid"], "type": ["invalid_request_error"], "param": ["tools[0]"]},
    ),
    "Anthropic": (
        {"type": "error", "error": {"type": "invalid_request_error", "message": "m"}, "request_id": "req_1"},
        {"type": ["error", "invalid_request_error"], "message": ["m"]},
    ),
    "Gemini": (
        {"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT"}},
        {"code": ["400"], "message": ["m"], "type": ["INVALID_ARGUMENT"]},
    ),
    "Mistral": (
        {"object": "error", "detail": [{"type": "missing", "loc": ["body", "messages", 0], "msg": "Field required"}]},
        {"type": ["missing"], "param": ["body.messages.0"], "message": ["Field required"]},
    ),
    "Ollama": ({"error": "no such tool"}, {"message": ["no such tool"]}),
    "xAI": ({"code": "invalid", "error": "no tool"}, {"code": ["invalid"], "message": ["no tool"]}),
    "text": ("not JSON", {"message": ["not JSON"]}),
    "nothing": (None, {}),
    "a list": ([{"error": {"message": "m"}}], {"message": ["m"]}),
}


@pytest.mark.parametrize("name", ERRORS)
def test_the_words_of_an_error(name: str) -> None:
    document, words = ERRORS[name]
    assert error_words(document) == words


def test_an_error_without_end_is_looked_into_in_bounded_depth() -> None:
    document: Any = "m"
    for _ in range(10_000):
        document = {"error": document}
    assert error_words(document) == {}


OPENAI = error_words(ERRORS["OpenAI"][0])


@pytest.mark.parametrize(("pattern", "matches"), [
    (ErrorPattern(message="^Inv"), True),
    (ErrorPattern(message="^nv"), False),
    (ErrorPattern(type="request", message="Invalid"), True),
    (ErrorPattern(type="server", message="Invalid"), False),
    (ErrorPattern(param=r"^tools\[\d\]$"), True),
    (ErrorPattern(code="400"), False),
    (ErrorPattern(), False),
])  # fmt: skip
def test_a_pattern_matches_when_all_its_parts_do(pattern: ErrorPattern, matches: bool) -> None:
    assert pattern.matches(OPENAI) == matches
