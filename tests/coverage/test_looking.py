"""Whether a form is looked at: both ways, with the rules as they are."""

from __future__ import annotations

from functools import cache

import pytest

from conformance.coverage.looking import Appearance, Looker
from conformance.coverage.measure import spread
from conformance.mutants.trace import Trace, TraceCase
from conformance.rules import catalogue


@cache
def seen(provider: str, scenario: str) -> tuple[Looker, dict[str, list[Appearance]]]:
    """The forms of one scenario, blocking and as a stream."""
    trace, looker = Trace(provider, ()), Looker(provider)
    found: dict[str, list[Appearance]] = {}
    for delivery in ("blocking", "stream:per-event"):
        record = trace.record(TraceCase(scenario, "portable", delivery))
        assert record is not None
        for form, appearance in looker.appearances(record.exchanges):
            found.setdefault(form, []).append(appearance)
    return looker, found


TOLD = [
    ("request.messages[role=tool].tool_call_id", "rule"),
    ("request.tools", "rule"),
    ("request.messages[role=assistant].tool_calls[type=function].type = function", None),
    ("response.choices[].message.tool_calls[type=function].function.name", "rule"),
    ("response.choices[].finish_reason = tool_calls", None),
    ("response.usage.prompt_tokens", "rule"),
    ("response.created", None),
    ("stream.choices[].delta.tool_calls[].index", "grammar"),
    ("stream.choices[].delta.tool_calls[].function.arguments", "rule"),
    ("stream.created", None),
]


@pytest.mark.parametrize(("form", "by"), TOLD, ids=[form for form, _ in TOLD])
def test_who_tells(form: str, by: str | None) -> None:
    looker, found = seen("openai-chat", "parallel_calls.two_reads")
    if form in found:
        assert looker.looked_at(form, spread(found[form])) == by
    else:
        assert by is None, f"{form} is not there"


def test_a_form_is_looked_at_by_a_rule_and_not_without_it() -> None:
    form = "request.messages[role=tool].tool_call_id"
    _, found = seen("openai-chat", "parallel_calls.two_reads")
    rules = [rule for rule in catalogue().values() if rule.id != "chat.result.tool-role-with-id"]
    assert Looker("openai-chat").looked_at(form, found[form]) == "rule"
    assert Looker("openai-chat", rules).looked_at(form, found[form]) is None


def test_the_order_of_events_is_looked_at() -> None:
    looker, found = seen("anthropic", "parallel_calls.two_reads")
    form = "stream: content_block_start → content_block_delta"
    assert looker.looked_at(form, spread(found[form])) is not None


@pytest.mark.slow
def test_what_an_adapter_only_keeps_is_looked_at_in_the_next_request() -> None:
    """A reader who drops a signature understands the same turn, and sends another request."""
    trace, looker = Trace("anthropic", ()), Looker("anthropic")
    form = "response.content[type=thinking].signature"
    appearances = [
        appearance
        for record in trace.records
        for one, appearance in looker.appearances(record.exchanges)
        if one == form and appearance.following is not None
    ]
    assert looker.looked_at(form, appearances[:2]) == "rule"
