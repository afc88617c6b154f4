"""Interactions for the tests."""

from __future__ import annotations

import json
from typing import Any

from conformance.http import Request
from conformance.recordings.interaction import Ending, Headers, Interaction, Provenance

URL = "https://api.openai.com/v1/chat/completions"
JSON = (("content-type", "application/json"),)
SSE = (("content-type", "text/event-stream; charset=utf-8"),)

PROVENANCE = Provenance(
    provider="openai-chat",
    model="test-model",
    origin="conformance serve",
    recorded="2026-01-02T03:04:05Z",
    adapter="reference",
    scenario="shell/non_zero_exit",
    delivery="blocking",
    scenario_revision="0123abcd",
    libraries={"httpx": "0.28.1"},
    api_version=None,
    suite="0.1.0",
)


def said(
    sent: Any = None,
    answer: Any = None,
    *,
    url: str = URL,
    request_headers: dict[str, str] | None = None,
    headers: Headers = JSON,
    chunks: tuple[bytes, ...] | None = None,
    ended: Ending = "whole",
    status: int = 200,
    reason: str = "OK",
) -> Interaction:
    """An interaction; documents become JSON, bytes stay."""
    body = sent if isinstance(sent, bytes) else json.dumps(sent or {"model": "test-model"}).encode()
    text = answer if isinstance(answer, bytes) else json.dumps(answer or {"id": "chatcmpl-1"}).encode()
    sent_headers = {"Content-Type": "application/json", **(request_headers or {})}
    request = Request("POST", url, sent_headers, body)
    return Interaction(request, status, headers, (text,) if chunks is None else chunks, ended, reason)


def sse(*documents: Any) -> bytes:
    """A stream of events."""
    return b"".join(b"data: " + json.dumps(document).encode() + b"\n\n" for document in documents)
