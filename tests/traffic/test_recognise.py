"""Whose traffic it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from talk import ASK, conversation

from conformance.http import Request
from conformance.rules import catalogue
from conformance.traffic.lenient import BY_HOSTS, BY_RECORDERS, LIBERTIES
from conformance.traffic.recognise import address_rules, recognise
from conformance.traffic.records import RecordedExchange
from conformance.wires import PROVIDERS, card, known_ids, routing, wire

CASES = [
    ("https://api.openai.com/v1/chat/completions", "openai-chat", True),
    ("https://api.groq.com/openai/v1/chat/completions", "openai-chat", False),
    ("http://localhost:11434/v1/chat/completions", "openai-chat", False),
    ("https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", "openai-chat", False),
    ("https://x.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21", "azure", True),
    ("https://x.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview", "azure", True),
    ("https://api.x.ai/v1/chat/completions", "xai", True),
    ("https://api.deepseek.com/chat/completions", "deepseek", True),
    ("https://api.mistral.ai/v1/chat/completions", "mistral", True),
    ("https://api.openai.com/v1/responses", "openai-responses", True),
    ("https://api.x.ai/v1/responses", "openai-responses", False),
    ("https://api.anthropic.com/v1/messages?beta=true", "anthropic", True),
    ("https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-3-haiku-v1:0/invoke", "anthropic", False),
    (
        "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict",
        "anthropic", False,
    ),
    ("https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse", "gemini", True),
    ("https://europe-west1-aiplatform.googleapis.com/v1/publishers/google/models/m:generateContent", "gemini", True),
    ("http://127.0.0.1:11434/api/chat", "ollama", True),
    ("https://api.anthropic.com/v1/messages/batches", None, None),
    ("https://api.anthropic.com/v1/messages/count_tokens", None, None),
    ("https://api.openai.com/v1/embeddings", None, None),
    ("https://api.example.com/v2/answer", None, None),
    ("https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova-lite-v1:0/converse", "bedrock", True),
    ("https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova-lite-v1:0/count-tokens", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("url", "provider", "own"), CASES)
def test_addresses(url: str, provider: str | None, own: bool | None) -> None:
    who = recognise(RecordedExchange("a", 1, request=Request("POST", url, body=b'{"messages": []}')))
    assert (who and who.provider, who and who.own) == (provider, own)


def test_only_calls_of_models() -> None:
    assert recognise(RecordedExchange("a", 1, request=Request("GET", "https://api.openai.com/v1/responses"))) is None


BODIES: list[tuple[Any, bytes, str | None]] = [
    ({"contents": []}, b"", "gemini"),
    ({"anthropic_version": "bedrock-2023-05-31", "messages": []}, b"", "anthropic"),
    ({}, b'{"object": "chat.completion", "choices": []}', "openai-chat"),
    ({}, b'data: {"object": "chat.completion.chunk", "choices": []}\n\n', "openai-chat"),
    ({}, b': hello\n\nevent: response.created\ndata: {"type": "response.created"}\n\n', "openai-responses"),
    ({}, b'{"object": "response", "output": []}', "openai-responses"),
    ({}, b'{"type": "message", "content": []}', "anthropic"),
    ({}, b'[{"candidates": []}]', "gemini"),
    ({"messages": []}, b'{"text": "hello"}', None),
    ({"variables": {"city": "Rome"}}, b'{"object": "chat.completion", "choices": []}', None),  # a gateway's template
    ({}, b"\xff\xfe", None),
    ({}, b"[" * 50_000, None),
]


@pytest.mark.parametrize(("sent", "answer", "provider"), BODIES)
def test_bodies_tell_where_the_address_does_not(sent: Any, answer: bytes, provider: str | None) -> None:
    request = Request.post_json("https://gateway.example/run", sent)
    who = recognise(RecordedExchange("a", 1, request=request, body=answer))
    assert (who and who.provider) == provider
    if who is not None:
        assert not who.own
        assert not any(map(who.judges, address_rules()))


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.mistral.ai/v1/fim/completions", {"prompt": "function add(a, b) {", "suffix": "}"}),
        ("https://generativelanguage.googleapis.com/v1beta/cachedContents", {"contents": []}),
    ],
)
def test_other_services_of_a_known_host_are_no_calls_of_a_model(url: str, sent: Any) -> None:
    answer = b'{"object": "chat.completion", "choices": []}'
    assert recognise(RecordedExchange("a", 1, request=Request.post_json(url, sent), body=answer)) is None


def test_the_gateway_is_told_from_openais_conversations() -> None:
    url = "https://gateway.example/v1/conversations"
    ours = Request.post_json(url, {"model": "m", "input": []})
    theirs = Request.post_json(url, {"items": []})
    assert recognise(RecordedExchange("a", 1, request=ours)) is not None
    assert recognise(RecordedExchange("a", 1, request=theirs)) is None


def test_an_answer_of_openrouter_gives_its_host_away() -> None:
    said = conversation("openai-chat")[0]
    body = b'{"id":"gen-1753242299-QZ","provider":"Novita","choices":[]}'
    who = recognise(RecordedExchange("a", 1, request=said.request, body=body))
    assert who is not None
    assert (who.host, who.own) == ("openrouter.ai", False)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_our_own_requests_are_recognised(provider: str) -> None:
    request = wire(provider).build(ASK, stream=False)
    who = recognise(RecordedExchange("a", 1, request=request, body=json.dumps({}).encode()))
    assert who is not None
    assert who.provider == provider


def test_a_host_is_known_by_its_port_or_without_it() -> None:
    assert routing.host_at("openai-chat", "127.0.0.1:11434") == "ollama-v1"
    assert routing.host_at("openai-chat", "api.groq.com:443") == "groq"
    assert routing.host_at("openai-responses", "api.x.ai") == "xai-responses"
    assert routing.host_at("xai", "api.x.ai") == "xai"
    assert routing.host_at("openai-chat", "nobody.example") == "openai-chat"


def test_every_liberty_that_somebody_takes_is_one() -> None:
    assert set(address_rules()) <= catalogue().keys()
    taken = frozenset().union(*(card(name).stream_liberties for name in known_ids()))
    assert BY_RECORDERS | BY_HOSTS | taken <= LIBERTIES
