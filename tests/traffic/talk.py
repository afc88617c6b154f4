"""Traffic for the tests: two turns on any provider, as our own wires send and answer them, in every kind of file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from conformance.http import Request, frame
from conformance.model import Conversation, ResultsTurn, TextPart, Tool, ToolResult, UserTurn
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.traffic.audit import Audit
from conformance.wires import wire
from conformance.wires.base import stream_headers
from conformance.wires.naming import wire_names

Json = Any

PROVIDERS = ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "azure", "xai", "deepseek", "mistral")
HOSTS = {
    "openai-chat": "api.openai.com",
    "openai-responses": "api.openai.com",
    "anthropic": "api.anthropic.com",
    "gemini": "generativelanguage.googleapis.com",
    "ollama": "localhost:11434",
    "azure": "example.openai.azure.com",
    "xai": "api.x.ai",
    "deepseek": "api.deepseek.com",
    "mistral": "api.mistral.ai",
}
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
ASK = Conversation((UserTurn("Read both."),), (Tool("read_file", "Reads a file.", SCHEMA),), model="test-model")
CALLS = ScriptTurn("Let me look.", (ScriptCall("read_file", {"path": "/a"}), ScriptCall("read_file", {"path": "/b"})))
DONE = ScriptTurn("They say “hello”.")


@dataclass(frozen=True)
class Said:
    """One exchange: the request, and the answer as bytes."""

    request: Request
    answer: bytes
    stream: bool
    content_type: str

    @property
    def sent(self) -> Json:
        """The request's body."""
        return json.loads(self.request.body)


def conversation(provider: str, *, stream: bool = False) -> list[Said]:
    """Two exchanges: calls, then their results and a last word."""
    speaker, names = wire(provider), wire_names(ASK.tools)
    said, current = [], ASK
    for place, turn in enumerate((CALLS, DONE)):
        request = speaker.build(current, stream=stream)
        said.append(_answered(provider, request, turn, Voice("test-model", names, f"talk/{place}"), stream=stream))
        if stream:
            read = speaker.read_stream([said[-1].answer], current)
        else:
            read = speaker.read(json.loads(said[-1].answer), current)
        results = [ToolResult(call.id, call.name, (TextPart(f"hello {call.id}"),)) for call in read.calls]
        current = current.then(read, ResultsTurn(tuple(results)))
    return said


def _answered(provider: str, request: Request, turn: ScriptTurn, voice: Voice, *, stream: bool) -> Said:
    speaker = wire(provider)
    framing = speaker.card.framings[0]
    if not stream:
        return Said(request, speaker.respond(turn, voice).body, stream, "application/json")
    answer = b"".join(frame(speaker.render_stream(turn, voice), framing))
    return Said(request, answer, stream, stream_headers(framing)["content-type"])


# --- records and files -----------------------------------------------------------------------------------------------


def record(said: Said, provider: str, *, number: int = 0, host: str | None = None, **more: Json) -> dict[str, Json]:
    """The exchange as a line of JSON Lines."""
    url = urlsplit(said.request.url)
    answer: dict[str, Json] = (
        {"response": None, "response_raw": said.answer.decode()}
        if said.stream
        else {"response": json.loads(said.answer), "response_raw": None}
    )
    return {
        "id": f"{provider}-{number}",
        "method": "POST",
        "host": host or HOSTS[provider],
        "path": url.path,
        "query": url.query,
        "status": 200,
        "stream": said.stream,
        "fidelity": "wire",
        "request": said.sent,
        "request_headers": dict(said.request.headers),
        "response_headers": {"content-type": said.content_type},
        **answer,
        **more,
    }


def records(provider: str, *, stream: bool = False, **more: Json) -> list[dict[str, Json]]:
    """Both exchanges as lines."""
    talk = conversation(provider, stream=stream)
    return [record(said, provider, number=number, **more) for number, said in enumerate(talk)]


def interaction(said: Said, provider: str) -> dict[str, Json]:
    """The exchange as an interaction of a cassette."""
    url = urlsplit(said.request.url)
    headers = {"content-type": ["application/json"], "authorization": ["Bearer sk-secret-0123456789abcdefghijkl"]}
    return {
        "request": {
            "method": "POST",
            "uri": f"https://{HOSTS[provider]}{url.path}" + (f"?{url.query}" if url.query else ""),
            "headers": headers,
            "body": said.request.body.decode(),
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"Content-Type": [said.content_type]},
            "body": {"string": said.answer.decode()},
        },
    }


def write_lines(path: Path, documents: list[Json]) -> Path:
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), "utf-8")
    return path


def audited(*paths: Path, **options: Json) -> Audit:
    """An audit of files, finished."""
    audit = Audit(**options)
    for path in paths:
        for _ in audit.read(path):
            pass
    return audit
