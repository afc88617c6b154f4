"""Adapters of the kinds that make their own HTTP calls, to be served over stdio."""

from __future__ import annotations

import http.client
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from conformance import AdapterInfo, AssistantTurn, Conversation, Request, Response
from conformance.adapters.contract import AgentTool
from conformance.adapters.reference import ReferenceAdapter
from conformance.wires import wire

CHAT = {"openai-chat": {"blocking", "streaming", "parallel_calls", "errors", "json_results"}}
REFERENCE = ReferenceAdapter()


def posted(url: str, body: bytes, headers: dict[str, str]) -> Response:
    """What comes back for a POST."""
    target = urlsplit(url)
    connection = http.client.HTTPConnection(target.netloc)
    try:
        connection.request("POST", target.path, body, headers)
        response = connection.getresponse()
        return Response(response.status, dict(response.getheaders()), response.read())
    finally:
        connection.close()


class LoopbackClient:
    """A client that knows nothing but a base URL."""

    info = AdapterInfo("loopback-client", CHAT)

    def complete(self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Any) -> AssistantTurn:
        request = REFERENCE.build_request(provider, conversation, stream=stream)
        headers = {"content-type": "application/json", "authorization": f"Bearer {endpoint.api_key}"}
        response = posted(f"{endpoint.url}/chat/completions", request.body, headers)
        if stream and response.status == 200:
            return REFERENCE.parse_stream(provider, [response.body], conversation=conversation)
        return REFERENCE.parse_response(provider, response, conversation=conversation)


class TransportClient:
    """A client whose library takes a transport."""

    info = AdapterInfo("transport-client", CHAT)

    async def complete(self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Any) -> Any:
        import httpx

        request = REFERENCE.build_request(provider, conversation, stream=stream)
        async with httpx.AsyncClient(transport=endpoint.transport("httpx"), base_url=endpoint.base_url) as client:
            response = await client.post("/chat/completions", content=request.body, headers=dict(request.headers))
        if stream and response.status_code == 200:
            return REFERENCE.parse_stream(provider, [response.content], conversation=conversation)
        whole = Response(response.status_code, dict(response.headers), response.content)
        return REFERENCE.parse_response(provider, whole, conversation=conversation)


class Agent:
    """An agent that asks until no more calls come."""

    info = AdapterInfo("agent", CHAT)

    def run(
        self, provider: str, task: str, tools: Sequence[AgentTool], *, endpoint: Any, system: str | None, stream: bool
    ) -> str:
        from conformance.model import ResultsTurn, UserTurn

        by_name = {tool.tool.name: tool for tool in tools}
        conversation = Conversation((UserTurn(task),), tuple(tool.tool for tool in tools), system=system)
        while True:
            request = REFERENCE.build_request(provider, conversation, stream=False)
            response = posted(f"{endpoint.url}/chat/completions", request.body, {"content-type": "application/json"})
            turn = REFERENCE.parse_response(provider, response, conversation=conversation)
            if not turn.calls:
                return turn.text
            results = [replace(by_name[call.name](call.arguments or {}), call_id=call.id) for call in turn.calls]
            conversation = conversation.then(turn, ResultsTurn(tuple(results)))


class Prints(ReferenceAdapter):
    """Prints, reads its input, and is asynchronous: none of which is anybody's business."""

    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo("prints", CHAT)

    async def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:  # type: ignore[override]
        import os
        import sys

        print("noise")
        os.write(1, b"noise\n")
        assert sys.stdin.read() == ""
        return wire(provider).build(conversation, stream=stream)


class KeepsAnObject(ReferenceAdapter):
    """Keeps what is no JSON in its opaque state."""

    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo("keeps-an-object", CHAT)

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        self.kept = object()
        return AssistantTurn(opaque=self.kept)

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        request = super().build_request(provider, Conversation(()), stream=stream)
        same = any(getattr(turn, "opaque", None) is self.kept for turn in conversation.turns)
        return replace(request, headers={"x-same": str(same)})


def completion(**message: Any) -> bytes:
    """The body of a chat completion."""
    said = {"role": "assistant", "content": None, **message}
    return json.dumps({"choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}).encode()
