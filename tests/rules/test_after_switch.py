"""What rules ask of history from before a switch of the model or the host: their words say it, `judge` does it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from every import each, of_every

from conformance.answers import answer_of_response
from conformance.http import Request, Response
from conformance.rules import Rule, _families, catalogue
from conformance.rules.examples import example_exchange
from conformance.rules.judge import as_asked, judge
from conformance.rules.pairs import PairError, read_words, switch_words
from conformance.transcript import SWITCHES, Exchange
from conformance.wires import wire

Json = Any
HISTORY = {"history", "continuation", "ids"}
"""The stages of rules that ask what became of earlier answers."""
BUILDING = [rule for rule in catalogue().values() if rule.side == "build"]
SAYS = {words["id"] for family in _families() for words in read_words(family) if "after_switch" in words}


class Watched(Exchange):
    """An exchange that notes whether anybody asks what came before."""

    asked = False

    def __getattribute__(self, name: str) -> Any:
        if name in ("previous", "earlier"):
            type(self).asked = True
        return super().__getattribute__(name)


def looks_back(rule: Rule) -> bool:
    exchange = example_exchange(rule, rule.example)
    watched = Watched(**{item.name: getattr(exchange, item.name) for item in fields(Exchange)})
    Watched.asked = False
    assert rule.check is not None
    list(rule.check(watched))
    return Watched.asked


@each("rule", [rule for rule in BUILDING if rule.stage in HISTORY], ids=lambda rule: rule.id)
def test_a_history_rule_says_what_it_asks_after_a_switch(rule: Rule) -> None:
    assert rule.id in SAYS or not looks_back(rule)


@pytest.mark.parametrize(
    "said, meant",
    [
        ({}, {"model": "asks", "family": "asks", "host": "asks"}),
        ({"after_switch": {"host": "excused"}}, {"model": "asks", "family": "asks", "host": "excused"}),
    ],
)
def test_a_rule_asks_unless_it_says_otherwise(said: dict[str, Json], meant: Json) -> None:
    assert switch_words({"id": "common.declare.talk", **said}) == meant


@pytest.mark.parametrize("said", ["excused", {"provider": "asks"}, {"model": "maybe"}, {"model": None}, ["model"]])
def test_other_words_are_refused(said: Json) -> None:
    with pytest.raises(PairError, match="talk: after_switch says"):
        switch_words({"id": "common.declare.talk", "after_switch": said})


@of_every({name: (rule,) for name, rule in catalogue().items()})
def test_a_weaker_switch_excuses_no_more_than_a_stronger_one(rule: Rule) -> None:
    excused = [switch in rule.excused_after for switch in SWITCHES]
    assert excused == sorted(excused)


# --- judged ----------------------------------------------------------------------------------------------------------

THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
CALL = {"type": "tool_use", "id": "toolu_01A", "name": "read_file", "input": {"path": "/a"}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_01A", "content": "hello"}
OWN = "api.anthropic.com"


def asked(
    content: list[Json], *, previous: Exchange | None, model: str = "claude-sonnet-4-5", host: str = OWN
) -> Exchange:
    """A request that goes on from an answer with thinking and a call, and is answered so itself."""
    messages = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": content},
        {"role": "user", "content": [RESULT]},
    ]
    document = {"model": model, "max_tokens": 9, "messages": messages[: 1 if previous is None else 3]}
    request = Request("POST", f"https://{host}/v1/messages", {}, json.dumps(document).encode())
    answer = {"type": "message", "role": "assistant", "model": model, "content": [THINKING, CALL]}
    exchange = Exchange("anthropic", request=request, previous=previous)
    return exchange.receive(answer_of_response(wire("anthropic"), Response.of_json(200, answer), None))


FIRST = asked([], previous=None)
DROPPED, CHANGED = [CALL], [THINKING, {**CALL, "input": {"path": "/b"}}]
THINKS, REPLAYS = "anthropic.history.thinking-blocks-verbatim", "anthropic.history.assistant-content-replayed"


@pytest.mark.parametrize(
    "rule, content, model, host, switch, found",
    [
        (THINKS, DROPPED, "claude-sonnet-4-5", OWN, None, 1),
        (THINKS, DROPPED, "claude-sonnet-4-5-20250929", OWN, None, 1),
        (THINKS, DROPPED, "claude-opus-4-1", OWN, "model", 0),
        (THINKS, DROPPED, "mythos-1", OWN, "family", 0),
        (THINKS, DROPPED, "claude-sonnet-4-5", "gateway.example.com", "host", 0),
        (REPLAYS, CHANGED, "claude-sonnet-4-5", OWN, None, 1),
        (REPLAYS, CHANGED, "claude-opus-4-1", OWN, "model", 1),
        (REPLAYS, CHANGED, "mythos-1", OWN, "family", 1),
        (REPLAYS, CHANGED, "claude-sonnet-4-5", "gateway.example.com", "host", 0),
        (REPLAYS, [THINKING, CALL], "mythos-1", OWN, "family", 0),
    ],
)
def test_what_is_asked_after_a_switch(
    rule: str, content: list[Json], model: str, host: str, switch: str | None, found: int
) -> None:
    exchange = asked(content, previous=FIRST, model=model, host=host)
    assert exchange.switched == switch
    assert len([item for item in judge(catalogue()[rule], exchange) if item is not None]) == found


def test_what_came_up_to_a_switch_is_forgotten_and_what_came_after_is_not() -> None:
    other = asked(DROPPED, previous=FIRST, model="claude-opus-4-1")
    back = asked(DROPPED, previous=other)
    on = asked(DROPPED, previous=back)
    known = as_asked(catalogue()[THINKS], on)
    assert [one.answer for one in known.earlier] == [back.answer]
    assert len(on.earlier) == 3
    assert as_asked(catalogue()[REPLAYS], on) is on


def test_what_is_not_known_is_no_switch() -> None:
    nothing = replace(FIRST, request=None, answer=None)
    assert asked([], previous=nothing).switched is None
    assert Exchange("anthropic").switched is None
    assert Exchange("gemini").switched_from(Exchange("anthropic")) == "host"


CHAT = "chat.continuation.full-history"


@pytest.mark.parametrize("host", ["api.openai.com", "gateway.example.com"])
@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5", "o4-mini"])
@pytest.mark.parametrize("path, found", [("/a", 0), ("/b", 1)])
def test_the_arguments_of_calls_are_asked_for_after_every_switch(path: str, found: int, model: str, host: str) -> None:
    def call(there: str) -> Json:
        function = {"name": "read_file", "arguments": json.dumps({"path": there})}
        calls = [{"id": "call_A", "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def sent(messages: list[Json], model: str, host: str) -> Request:
        body = json.dumps({"model": model, "messages": messages}).encode()
        return Request("POST", f"https://{host}/v1/chat/completions", {}, body)

    user = {"role": "user", "content": "Read it."}
    first = Exchange("openai-chat", request=sent([user], "gpt-4o", "api.openai.com"))
    choice = {"index": 0, "message": call("/a"), "finish_reason": "tool_calls"}
    answer = {"model": "gpt-4o-2024-08-06", "choices": [choice]}
    first.receive(answer_of_response(wire("openai-chat"), Response.of_json(200, answer), None))
    result = {"role": "tool", "tool_call_id": "call_A", "content": "hello"}
    second = Exchange("openai-chat", request=sent([user, call(path), result], model, host), previous=first)
    assert len([item for item in judge(catalogue()[CHAT], second) if item is not None]) == found
