"""What clients ask besides model calls: models, tokens, versions, and whether anybody is there."""

from __future__ import annotations

import json
from typing import Any

import openai
from every import every
from openai.types.responses import ResponseCompactionItem

from conformance.http import Request
from conformance.server import Running
from conformance.server.compaction import sealed_calls
from conformance.server.service import Service

SERVICE = Service()
CASES: dict[str, tuple[str, str, str, Any]] = {
    "openai's models": ("GET", "/p/openai-chat/v1/models", "/data/0/id", "test-model"),
    "one of them": ("GET", "/p/openai-responses/v1/models/gpt-x", "/id", "gpt-x"),
    "a host of its format": ("GET", "/p/deepseek/models", "/object", "list"),
    "anthropic's models": ("GET", "/p/anthropic/v1/models", "/data/0/type", "model"),
    "anthropic's tokens": ("POST", "/p/anthropic/v1/messages/count_tokens", "/input_tokens", 3),
    "gemini's models": ("GET", "/p/gemini/v1beta/models", "/models/0/name", "models/test-model"),
    "one of gemini's": ("GET", "/p/gemini/v1beta/models/gemini-x", "/name", "models/gemini-x"),
    "gemini's tokens": ("POST", "/p/gemini/v1beta/models/gemini-x:countTokens", "/totalTokens", 3),
    "gemini's models, without a prefix": ("GET", "/v1beta/models", "/models/0/name", "models/test-model"),
    "gemini's tokens, without a prefix": ("POST", "/v1beta/models/gemini-x:countTokens", "/totalTokens", 3),
    "ollama's tags, without a prefix": ("GET", "/api/tags", "/models/0/name", "test-model"),
    "anthropic's tokens, without a prefix": ("POST", "/v1/messages/count_tokens", "/input_tokens", 3),
    "openai's models, without a prefix": ("GET", "/v1/models", "/data/0/id", "test-model"),
    "a compacted history": ("POST", "/v1/responses/compact", "/object", "response.compaction"),
    "ollama's tags": ("GET", "/p/ollama/api/tags", "/models/0/name", "test-model"),
    "ollama's version": ("GET", "/p/ollama/api/version", "/version", "0.12.0"),
    "ollama's show": ("POST", "/p/ollama/api/show", "/capabilities/1", "tools"),
}


def _asked(method: str, path: str) -> tuple[int, bytes]:
    headers = {"content-type": "application/json", "host": "localhost"}
    served = SERVICE.serve(Request(method, f"http://localhost{path}", headers, b'{"model": 1}'))
    return served.status, b"".join(served.chunks)


def test_what_clients_ask_besides_is_answered() -> None:
    def answered(method: str, path: str, at: str, value: Any) -> None:
        status, body = _asked(method, path)
        found = json.loads(body)
        for part in at.split("/")[1:]:
            found = found[int(part)] if part.isdecimal() else found[part]
        assert (status, found) == (200, value) or (value == 3 and 0 < found < 10)

    every(CASES, answered)


def test_a_head_is_answered_anywhere_and_other_addresses_are_not_there() -> None:
    assert _asked("HEAD", "/p/anthropic") == (200, b"")
    assert _asked("GET", "/p/anthropic/v1/files")[0] == 404
    assert _asked("POST", "/p/openai-chat/v1/models")[0] == 404
    assert _asked("GET", "/p/nobody/v1/models")[0] == 404


def test_the_official_sdk_reads_a_compacted_history(strict: Running) -> None:
    """The user's messages, and one item that holds the calls sealed: those of an earlier item, too."""
    client = openai.OpenAI(base_url=strict.url("openai-responses"), api_key="any", max_retries=0)
    call: Any = {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"}
    result: Any = {"type": "function_call_output", "call_id": "call_1", "output": "text"}
    first = client.responses.compact(model="any", input=[{"role": "user", "content": "Read it."}, call, result])
    again: Any = [item.to_dict(warnings=False) for item in first.output]
    second = client.responses.compact(model="any", input=[*again, {**call, "call_id": "call_2"}])
    assert [item.type for item in second.output] == ["message", "compaction"]
    assert first.usage.total_tokens > 1
    item = second.output[1]
    assert isinstance(item, ResponseCompactionItem)
    assert sealed_calls(item.encrypted_content) == ["call_1", "call_2"]


def test_a_seal_of_somebody_else_holds_nothing() -> None:
    for seal in ("gAAAA", "é", "Y29tcGFjdGVkOg==", "Y29tcGFjdGVkOjE=", None, 1):
        assert sealed_calls(seal) == []
