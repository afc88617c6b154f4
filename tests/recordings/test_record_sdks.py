"""The official SDKs, unmodified, are recorded through the transport of their own client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anthropic
import httpx
import httpx2
import ollama
import openai
from canaries import canary, survivors
from google import genai
from google.genai import types
from loopback import head, serving, stream, whole
from recorded import sse

from conformance.recordings.record_transports import RecordingTransport
from conformance.recordings.recorder import Recorder
from conformance.recordings.store import read_cassette

KEY = canary("sdk", "sk-proj-")
USER = [{"role": "user", "content": "hello"}]


def chat(text: str, **more: Any) -> dict[str, Any]:
    """A chunk of Chat Completions."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None} | more
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


CHUNKS = sse(chat("Hel"), chat("lo"), chat("", finish_reason="stop")) + b"data: [DONE]\n\n"
MESSAGE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "Hello"}],
    "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip
CANDIDATE = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello"}]}, "finishReason": "STOP"}]}
LINES = b"".join(
    json.dumps({"message": {"role": "assistant", "content": text}, "done": not text}).encode() + b"\n"
    for text in ("Hel", "lo", "")
)


def tape(folder: Path, library: Any) -> tuple[Recorder, Any]:
    """A recorder, and a transport that records to it."""
    recorder = Recorder(folder / "a.json")
    return recorder, RecordingTransport(library.HTTPTransport(), recorder)


def test_openai(tmp_path: Path) -> None:
    recorder, transport = tape(tmp_path, httpx2)
    with serving(stream(CHUNKS[:50], CHUNKS[50:])) as server:
        client = openai.OpenAI(api_key=KEY, base_url=f"{server.url}/v1", http_client=httpx2.Client(transport=transport))
        events = client.chat.completions.create(model="m", messages=USER, stream=True)  # type: ignore[call-overload]
        assert "".join(event.choices[0].delta.content or "" for event in events) == "Hello"
    (interaction,) = read_cassette(recorder.path).interactions
    assert (interaction.chunks, interaction.ended) == ((CHUNKS[:50], CHUNKS[50:]), "whole")
    assert interaction.request.headers["authorization"] == "Bearer SCRUBBED"
    assert survivors(tmp_path, [KEY]) == []


def test_anthropic(tmp_path: Path) -> None:
    recorder, transport = tape(tmp_path, httpx2)
    with serving(whole(json.dumps(MESSAGE).encode(), "Content-Type: application/json")) as server:
        client = anthropic.Anthropic(api_key=KEY, base_url=server.url, http_client=httpx2.Client(transport=transport))
        said = client.messages.create(model="m", max_tokens=9, messages=USER)  # type: ignore[arg-type]
        assert said.content[0].text == "Hello"  # type: ignore[union-attr]
    (interaction,) = read_cassette(recorder.path).interactions
    assert json.loads(interaction.body) == MESSAGE
    assert "anthropic-version" in interaction.request.headers
    assert survivors(tmp_path, [KEY]) == []


def test_google_genai(tmp_path: Path) -> None:
    recorder, transport = tape(tmp_path, httpx2)
    with serving(whole(json.dumps(CANDIDATE).encode(), "Content-Type: application/json")) as server:
        options = types.HttpOptions(base_url=server.url, client_args={"transport": transport})
        client = genai.Client(api_key=KEY, http_options=options)
        assert client.models.generate_content(model="m", contents="hello").text == "Hello"
    (interaction,) = read_cassette(recorder.path).interactions
    assert json.loads(interaction.body) == CANDIDATE
    assert survivors(tmp_path, [KEY]) == []


def test_ollama(tmp_path: Path) -> None:
    recorder, transport = tape(tmp_path, httpx)

    def answer(_: bytes) -> list[bytes]:
        return [head("Content-Type: application/x-ndjson", f"Content-Length: {len(LINES)}") + LINES]

    with serving(answer) as server:
        client = ollama.Client(host=server.url, transport=transport, headers={"Authorization": f"Bearer {KEY}"})
        said = client.chat(model="m", messages=USER, stream=True)
        assert "".join(part.message.content or "" for part in said) == "Hello"
    (interaction,) = read_cassette(recorder.path).interactions
    assert interaction.body == LINES
    assert survivors(tmp_path, [KEY]) == []
