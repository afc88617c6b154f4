"""Which requests are one and the same, provider by provider: what SDKs write otherwise and no provider goes by."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.http import Request
from conformance.model import Json
from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.player import Player, UnmatchedError
from conformance.recordings.volatile import BUILT_IN, NOTHING, VOLATILE
from conformance.wires.volatile import Volatile

URL = "https://api.test/v1/x"


def plays(volatile: Volatile, recorded: Json, sent: Json, url: str = URL, sent_url: str = URL) -> bool:
    """Whether a recording of one request answers another."""
    interaction = Interaction(_request(url, recorded), 200, (), (b"{}",))
    try:
        Player([Cassette((interaction,))], volatile=volatile, any_host=True).answer(_request(sent_url, sent))
    except UnmatchedError:
        return False
    return True


def _request(url: str, body: Json) -> Request:
    return Request("POST", url, {"content-type": "application/json"}, json.dumps(body).encode())


def assistant(**fields: Any) -> dict[str, Any]:
    """A message with a call, in OpenAI's format."""
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return {"messages": [{"role": "assistant", "tool_calls": [call], **fields}]}


def content(*parts: Json, **fields: Json) -> dict[str, Json]:
    """A request in Gemini's format."""
    return {"contents": [{"role": "model", "parts": list(parts)}], **fields}


SAME: list[tuple[str, Json, Json]] = [
    ("openai-chat", assistant(refusal=None, annotations=None, audio=None, function_call=None), assistant()),
    ("openai-chat", {"tool_choice": "auto"}, {}),
    ("openai-responses", {"tool_choice": "auto"}, {}),
    ("anthropic", {"tool_choice": {"type": "auto"}}, {}),
    ("azure", {"model": "deployment"}, {}),
    ("ollama", assistant(content=""), assistant()),
    ("ollama", {"tools": []}, {}),
    ("gemini", {"system_instruction": {}}, {"systemInstruction": {}}),
    ("gemini", content({"text": "a"}, {"text": ""}), content({"text": "a"})),
    ("gemini", content({"text": "a", "thoughtSignature": "-_8="}), content({"text": "a", "thoughtSignature": "+/8"})),
    ("gemini", content({"function_call": {"name": "f"}}), content({"functionCall": {"name": "f"}})),
    (
        "gemini",
        {"tools": [{"function_declarations": [{"name": "f", "parameters_json_schema": {"type": "object"}}]}]},
        {"tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object"}}]}]},
    ),
]

OTHER: list[tuple[str, Json, Json]] = [
    ("openai-chat", assistant(refusal="No."), assistant()),
    ("openai-chat", {"tool_choice": "required"}, {}),
    ("openai-chat", {"model": "a"}, {"model": "b"}),
    ("openai-chat", assistant(content=""), assistant()),
    ("openai-chat", {"tools": []}, {}),
    ("anthropic", {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}, {}),
    ("anthropic", {"messages": [{"content": [{"type": "tool_use", "input": {"refusal": None}}]}]},
     {"messages": [{"content": [{"type": "tool_use", "input": {}}]}]}),
    ("gemini", content({"text": "a"}, {"text": " "}), content({"text": "a"})),
    ("gemini", content({"text": "", "thoughtSignature": "+/8="}), content()),
    ("gemini", content({"functionCall": {"name": "f", "args": {"max_size": 1}}}),
     content({"functionCall": {"name": "f", "args": {"maxSize": 1}}})),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "one", "other"), SAME)
def test_these_ask_for_the_same(provider: str, one: Json, other: Json) -> None:
    assert plays(VOLATILE[provider], one, other)
    assert plays(VOLATILE[provider], other, one)
    assert not plays(NOTHING, one, other)


@pytest.mark.parametrize(("provider", "one", "other"), OTHER)
def test_these_do_not(provider: str, one: Json, other: Json) -> None:
    assert not plays(VOLATILE[provider], one, other)


def test_geminis_versions_have_the_same_method() -> None:
    host = "https://generativelanguage.googleapis.com"
    for method in ("generateContent", "streamGenerateContent"):
        old, new = (f"{host}/{version}/models/m:{method}?alt=sse" for version in ("v1beta", "v1"))
        assert plays(VOLATILE["gemini"], {}, {}, old, new)
        assert not plays(NOTHING, {}, {}, old, new)
        assert not plays(VOLATILE["gemini"], {}, {}, old, new.replace("models/m", "models/n"))
    counting = (f"{host}/{version}/models/m:countTokens" for version in ("v1beta", "v1"))
    assert not plays(VOLATILE["gemini"], {}, {}, *counting)


def test_what_one_provider_alone_ignores_is_not_ignored_everywhere() -> None:
    assert not plays(BUILT_IN, {"model": "a"}, {})
    ids = {"messages": [{"role": "tool", "tool_call_id": "a"}]}, {"messages": [{"role": "tool"}]}
    assert plays(VOLATILE["ollama"], *ids)
    assert not plays(BUILT_IN, *ids)
