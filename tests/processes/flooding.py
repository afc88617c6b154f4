"""Adapters that print, send or raise far too much. ``FLOOD`` says how many bytes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from conformance import AdapterInfo, AssistantTurn, Conversation, Request, Response
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.reference import ReferenceAdapter

SIZE = int(os.environ.get("FLOOD", "0"))
CHAT = {"openai-chat": {"blocking", "streaming", "parallel_calls"}}
PIECE = 1 << 20


class _Floods(ReferenceAdapter):
    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo(type(self).__name__, CHAT)

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        return self.flood(super().build_request(provider, conversation, stream=stream))

    def flood(self, request: Request) -> Request:
        """What it does to each request."""
        return request


class Prints(_Floods):
    """Prints lines on both standard streams, the first time."""

    times = SIZE // PIECE // 2

    def flood(self, request: Request) -> Request:
        times, Prints.times = Prints.times, 0
        for _ in range(times):
            for stream in (sys.stdout, sys.stderr):
                stream.write("x" * (PIECE - 1) + "\n")
        return request


class SendsMuch(_Floods):
    """A body of one long text."""

    def flood(self, request: Request) -> Request:
        return replace(request, body=request.body[:-1] + b',"more":"' + b"x" * SIZE + b'"}')


class SendsMany(_Floods):
    """A body of many values, each of which takes far more memory than its text."""

    def flood(self, request: Request) -> Request:
        return replace(request, body=request.body[:-1] + b',"more":[' + b"[]," * (SIZE // 3) + b"0]}")


class SendsManyMembers(_Floods):
    """A body with many names."""

    def flood(self, request: Request) -> Request:
        names = b",".join(b'"a%d":0' % number for number in range(SIZE // 12))
        return replace(request, body=request.body[:-1] + b"," + names + b"}")


class LongAddress(_Floods):
    def flood(self, request: Request) -> Request:
        return replace(request, url=request.url + "?" + "x" * SIZE)


class ManyHeaders(_Floods):
    def flood(self, request: Request) -> Request:
        return replace(request, headers={**request.headers, **{f"x-{number}": "y" for number in range(SIZE // 20)}})


class Raises(_Floods):
    def flood(self, request: Request) -> Request:
        raise ValueError("x" * SIZE)


class RaisesInARow(_Floods):
    """Exceptions that have others behind them."""

    def flood(self, request: Request) -> Request:
        problem: Exception = ValueError("x" * (SIZE // 100))
        for _ in range(100):
            problem, problem.__cause__ = ValueError("y" * (SIZE // 100)), problem
        raise problem


class LongName(_Floods):
    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo("n" * SIZE, CHAT, homepage="https://" + "h" * SIZE)


class Understands(_Floods):
    """A turn with far too much in it."""

    def parse_response(self, provider: str, response: Response, **options: Any) -> AssistantTurn:
        turn = super().parse_response(provider, response, **options)
        return replace(turn, text="x" * SIZE, calls=turn.calls * (SIZE // 1000))


class Calls:
    """A client that makes model calls again and again."""

    def __init__(self) -> None:
        self.info = AdapterInfo(type(self).__name__, CHAT)

    def body(self) -> Any:
        """What is sent."""
        return b"{" + b'"more":"' + b"x" * (SIZE // 10) + b'"}'

    def complete(
        self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint
    ) -> AssistantTurn:
        import httpx

        with httpx.Client(verify=False, timeout=60) as client:
            for _ in range(100):
                client.post(f"{endpoint.url}/chat/completions", content=self.body())
        return AssistantTurn("done")


class CallsInPieces(Calls):
    """Bodies without a length."""

    def body(self) -> Any:
        return (b"x" * 10_000 for _ in range(SIZE // 10_000))


class CallsThroughTheTransport(Calls):
    """The same without a socket."""

    def complete(
        self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint
    ) -> AssistantTurn:
        import httpx

        with httpx.Client(transport=endpoint.transport("httpx")) as client:
            for _ in range(100):
                client.post(f"{endpoint.base_url}/chat/completions", content=self.body())
        return AssistantTurn("done")


class Runs:
    """An agent that calls tools again and again, with long arguments, and says too much."""

    def __init__(self) -> None:
        self.info = AdapterInfo("Runs", CHAT)

    def run(
        self, provider: str, task: str, tools: Sequence[AgentTool], endpoint: Endpoint, **options: Any
    ) -> str:
        for _ in range(100):
            tools[0](command="x" * (SIZE // 100))
        return "x" * SIZE
