"""What an adapter tells while a stream is open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.adapters.reference import ReferenceAdapter
from conformance.adapters.telling import heard
from conformance.answers import answer_of_stream
from conformance.capabilities import owed_news
from conformance.http import frame
from conformance.model import Conversation, News, NewsKind
from conformance.rules import catalogue
from conformance.rules.judge import judge
from conformance.scenarios import load_scenarios
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.transcript import Exchange
from conformance.wires import PROVIDERS, card, wire

OBJECTS = ("anthropic", "bedrock", "gemini", "ollama", "unified")
"""Who sends arguments as objects in complete answers."""
WORDLESS = ("openai-chat", "azure", "mistral")
"""Whose thinking does not come in words."""


def chunks_of(provider: str, scenario: str) -> tuple[list[bytes], Conversation]:
    found = load_scenarios()[scenario]
    says, names = found.answers[0], {tool.name: tool.name for tool in found.tools}
    assert isinstance(says, ScriptTurn)
    events = wire(provider).render_stream(says, Voice("m", names, "x"))
    return frame(events, card(provider).framings[0]), Conversation((), found.tools)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("scenario", ["parallel_calls.text_beside_calls", "parallel_calls.three_calls"])
def test_the_reference_adapter_tells_what_it_understands(provider: str, scenario: str) -> None:
    chunks, talk = chunks_of(provider, scenario)
    adapter = ReferenceAdapter()
    turn = adapter.parse_stream(provider, iter(chunks), conversation=talk)
    telling = heard(lambda given: adapter.stream_news(provider, given, conversation=talk), chunks)
    told = [one.news for one in telling.told]
    assert not telling.failure and telling.closed in (True, None)
    assert "".join(news.text for news in told if news.kind == "text") == turn.text
    for kind in ("call", "call_end"):
        assert [(n.text, n.call) for n in told if n.kind == kind] == [(c.name, i) for i, c in enumerate(turn.calls)]
    assert told[-1] == News("end", turn.stop)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_text_of_arguments_is_told_as_it_was_sent(provider: str) -> None:
    """A number's own spelling is lost where arguments are decoded: here it is not."""
    texts = ['{"path":  "caf\\u00e9", "n": 1.0e2}', "{}"]
    calls = tuple(ScriptCall("f", raw=text) for text in texts)
    events = wire(provider).render_stream(ScriptTurn("", calls), Voice("m", {"f": "f"}, "x"))
    chunks = frame(events, card(provider).framings[0])
    told = heard(lambda given: ReferenceAdapter().stream_news(provider, given), chunks).told
    if not wire(provider).assembled(events).sent:
        assert not [one for one in told if one.news.kind == "arguments"]  # the format has objects
        return
    for place, text in enumerate(texts):
        pieces = [one.news.text for one in told if one.news.kind == "arguments" and one.news.call == place]
        assert "".join(pieces) == text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_complete_answer_keeps_the_text_of_arguments_where_it_has_text(provider: str) -> None:
    text, speaker = '{"path":  "caf\\u00e9", "n": 1.0e2}', wire(provider)
    body = speaker.render(ScriptTurn("", (ScriptCall("f", raw=text),)), Voice("m", {"f": "f"}, "x"))
    assert [call.sent for call in speaker.read(body).calls] == [None if provider in OBJECTS else text]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_thinking_is_told_as_it_comes(provider: str) -> None:
    chunks, talk = chunks_of(provider, "reasoning.text_and_call")
    told = heard(lambda given: ReferenceAdapter().stream_news(provider, given, conversation=talk), chunks).told
    thought = [one for one in told if one.news.kind == "thinking"]
    if provider in WORDLESS:
        assert thought == []
        return
    assert "".join(one.news.text for one in thought) == "Usually it is logs or images. du will tell."
    assert len({one.given for one in thought}) > 1
    assert [one.news.kind for one in told].index("text") == len(thought)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_of_a_call_that_was_cut_no_end_is_told(provider: str) -> None:
    chunks, talk = chunks_of(provider, "errors.cut_in_arguments")
    told = heard(lambda given: ReferenceAdapter().stream_news(provider, given, conversation=talk), chunks).told
    assert [one.news.kind for one in told if one.news.kind == "call_end"] == []
    assert told[-1].news == News("end", "incomplete")


def _owed(owed: frozenset[NewsKind], left_out: NewsKind) -> list[str]:
    """The rules that an adapter breaks which leaves something out of its news, by what it declares that it tells."""
    chunks, talk = chunks_of("openai-responses", "reasoning.text_and_call")
    telling = heard(lambda given: ReferenceAdapter().stream_news("openai-responses", given, conversation=talk), chunks)
    told = tuple(one for one in telling.told if one.news.kind != left_out)
    exchange = Exchange("openai-responses", intent=talk)
    exchange.receive(answer_of_stream(wire("openai-responses"), chunks, talk), chunks=chunks)
    exchange.understood = exchange.offered
    exchange.telling = replace(telling, told=told, owed=owed)
    rules = [rule for rule in catalogue().values() if rule.hears_news]
    return [rule.id for rule in rules if any(judge(rule, exchange))]


@pytest.mark.parametrize("left_out", ["thinking", "arguments"])
def test_who_declares_whole_news_owes_what_others_may_leave_out(left_out: NewsKind) -> None:
    assert owed_news({"streaming", "whole_news"}) == {"thinking", "arguments"} and not owed_news({"streaming"})
    assert _owed(frozenset(), left_out) == []
    broken = {"thinking": ["common.stream.news-in-time", "common.stream.news-true"],
              "arguments": ["common.stream.arguments-as-sent"]}  # fmt: skip
    assert _owed(owed_news({"whole_news"}), left_out) == broken[left_out]


def test_what_raises_is_a_failure_and_what_is_no_news_too() -> None:
    def raises(chunks: Iterator[bytes]) -> Iterator[News]:
        yield News("text", next(chunks).decode())
        raise ValueError("no more")

    telling = heard(raises, [b"a", b"b"])
    assert telling.failure == "ValueError: no more"
    assert [(one.given, one.news.text) for one in telling.told] == [(1, "a")]
    assert heard(lambda _: ["text"], [b"a"]).failure  # type: ignore[list-item]


def test_chunks_are_counted_and_closed() -> None:
    def careless(chunks: Iterator[bytes]) -> Iterator[News]:
        for chunk in chunks:
            yield News("text", chunk.decode())

    telling = heard(careless, [b"a", b"b"])
    assert [one.given for one in telling.told] == [1, 2]
    assert telling.closed is False
    assert heard(lambda chunks: [News("text", b"".join(chunks).decode())], [b"a"]).closed is None
