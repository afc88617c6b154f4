"""What clients ask besides model calls: models, tokens, versions, and whether anybody is there."""

from __future__ import annotations

import json
from typing import Any

from every import every

from conformance.http import Request
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
