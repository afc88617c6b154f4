"""Adapters that misbehave, one way each. Each docstring tells the way."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from conformance import AdapterInfo, AssistantTurn, Conversation, Request, Response
from conformance.adapters.reference import ReferenceAdapter
from conformance.model import ProviderError

CHAT = {"openai-chat": {"blocking", "streaming", "parallel_calls"}}


class _Chat(ReferenceAdapter):
    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo(type(self).__name__, CHAT)


class Raises(_Chat):
    """Raises when it parses."""

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        raise ValueError("no such luck")


class RaisesOnBuild(_Chat):
    """Raises when it builds."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        raise KeyError("messages")


class WrongType(_Chat):
    """Returns a dictionary instead of a turn."""

    def parse_response(self, provider: str, response: Response, **_: Any) -> Any:
        return {"text": "hello"}


class WrongTypeInside(_Chat):
    """Returns a turn whose calls are dictionaries."""

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        return AssistantTurn(calls=({"id": "x"},))  # type: ignore[arg-type]


class WrongErrorInside(_Chat):
    """Returns a turn with an exception in place of the error's message."""

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        return AssistantTurn(error=ProviderError(ValueError("overloaded")))  # type: ignore[arg-type]


class ReturnsNothing(_Chat):
    """Forgets to return."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Any:
        return None


class Hangs(_Chat):
    """Never returns."""

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        while True:
            time.sleep(1)


class Loads(_Chat):
    """Is never ready."""

    def __init__(self) -> None:
        time.sleep(1000)


class Litters(_Chat):
    """Leaves garbage that ends the process when it is collected while a call is being answered."""

    answering = False

    def parse_response(self, provider: str, response: Response, **options: Any) -> AssistantTurn:
        Litters.answering = True
        try:
            for _ in range(5_000):
                Litter()
            return super().parse_response(provider, response, **options)
        finally:
            Litters.answering = False


class Litter:
    """Only the garbage collector finds this."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        if Litters.answering:
            os._exit(11)


class HangsInStreams(_Chat):
    """Never returns from the third stream on, and ignores exceptions."""

    streams = 0

    def parse_stream(self, provider: str, chunks: Iterable[bytes], **options: Any) -> AssistantTurn:
        HangsInStreams.streams += 1
        while HangsInStreams.streams > 2:
            pass
        return super().parse_stream(provider, chunks, **options)


class Exits(_Chat):
    """Calls sys.exit."""

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        sys.exit(7)


class Dies(_Chat):
    """Ends the process at once."""

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        print("about to die")
        sys.stdout.flush()
        os._exit(9)


class Prints(_Chat):
    """Prints to standard output and standard error, which is nobody's business."""

    def parse_response(self, provider: str, response: Response, **options: Any) -> AssistantTurn:
        print("noise")
        print("noise", file=sys.stderr)
        return super().parse_response(provider, response, **options)


class Coroutines(_Chat):
    """Is asynchronous."""

    async def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:  # type: ignore[override]
        return super().build_request(provider, conversation, stream=stream)

    async def parse_response(self, provider: str, response: Response, **options: Any) -> AssistantTurn:  # type: ignore[override]
        return super().parse_response(provider, response, **options)

    async def parse_stream(self, provider: str, chunks: Iterable[bytes], **options: Any) -> AssistantTurn:  # type: ignore[override]
        return super().parse_stream(provider, chunks, **options)


class NoParse:
    """Lacks an operation."""

    info = AdapterInfo("NoParse", CHAT)

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        return Request("POST", "https://example.invalid")


class NoStream:
    """Declares streaming but cannot."""

    info = AdapterInfo("NoStream", CHAT)

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        return Request("POST", "https://example.invalid")

    def parse_response(self, provider: str, response: Response) -> AssistantTurn:
        return AssistantTurn()


class NoInfo:
    """Says nothing about itself."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        return Request("POST", "https://example.invalid")

    def parse_response(self, provider: str, response: Response) -> AssistantTurn:
        return AssistantTurn()


class CannotBeMade(_Chat):
    """Cannot be made."""

    def __init__(self) -> None:
        raise RuntimeError("no configuration")


NOT_AN_ADAPTER = 42


class NeedsAnIndex(_Chat):
    """Fails where a streamed call has no index, which is what hosts leave out that deviate from OpenAI."""

    def parse_stream(self, provider: str, chunks: Iterable[bytes], **options: Any) -> AssistantTurn:
        body = b"".join(chunks)
        if b'"tool_calls":[' in body and b'"index":0,"id"' not in body and b'"index":0,"type"' not in body:
            raise KeyError("index")
        return super().parse_stream(provider, iter([body]), **options)


class PrintsAndFails(_Chat):
    """Prints, stops for a debugger, and loses what the model says."""

    def parse_response(self, provider: str, response: Response, **options: Any) -> AssistantTurn:
        print("looking at", len(response.body) > 0)
        breakpoint()
        return replace(super().parse_response(provider, response, **options), text="")
