"""Two calls of one client, near each other: at one endpoint, in threads, on one loop, and after one that broke off."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from own_kinds import ByHttpx, OnLoopback

from conformance import AssistantTurn, Conversation
from conformance.adapters.beside import OtherStream
from conformance.adapters.bound import BoundClient
from conformance.adapters.endpoint import Endpoint
from conformance.session.readings import READINGS, other_chunks
from conformance.session.variants import ANOTHER
from conformance.wires import wire

PROVIDER = "openai-chat"
OTHERS = other_chunks(PROVIDER)
OWN = [chunk.replace(b"North", b"South") for chunk in OTHERS]
"""A stream that is as long as the other conversation's, and says something else."""
TALK = Conversation(())


class OnALoop(ByHttpx):
    """The same with an asynchronous client, which all calls at an endpoint share."""

    def __init__(self) -> None:
        super().__init__()
        self._known: tuple[Endpoint, httpx.AsyncClient] | None = None

    def shared(self, endpoint: Endpoint) -> httpx.AsyncClient:
        """The client for an endpoint."""
        if self._known is None or self._known[0] is not endpoint:
            self._known = endpoint, httpx.AsyncClient(transport=endpoint.transport("httpx"))
        return self._known[1]

    async def chunks(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AsyncIterator[bytes]:
        """The chunks of a stream."""
        request = wire(provider).build(conversation, stream=True)
        headers = dict(request.headers)
        client = self.shared(endpoint)
        async with client.stream("POST", request.url, headers=headers, content=request.body) as response:
            async for chunk in response.aiter_raw():
                yield chunk

    async def complete_on_a_loop(
        self, provider: str, conversation: Conversation, *, endpoint: Endpoint
    ) -> AssistantTurn:
        """One streamed model call."""
        taken = [chunk async for chunk in self.chunks(provider, conversation, endpoint)]
        return wire(provider).read_stream(taken, conversation)


class KeepsAll(OnALoop):
    """What has come is emptied at the end of a stream."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: list[bytes] = []

    def complete(self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint) -> AssistantTurn:
        request = wire(provider).build(conversation, stream=stream)
        client, _ = self.client(endpoint)
        headers = dict(request.headers)
        with client.stream("POST", request.url, headers=headers, content=request.body) as response:
            for chunk in response.iter_raw():
                self._kept.append(chunk)
        return self._emptied(provider, conversation)

    async def complete_on_a_loop(
        self, provider: str, conversation: Conversation, *, endpoint: Endpoint
    ) -> AssistantTurn:
        async for chunk in self.chunks(provider, conversation, endpoint):
            self._kept.append(chunk)
        return self._emptied(provider, conversation)

    def _emptied(self, provider: str, conversation: Conversation) -> AssistantTurn:
        taken, self._kept = self._kept, []
        return wire(provider).read_stream(taken, conversation)


class Raises(OnALoop):
    """Gives up where somebody else calls, too."""

    busy = 0

    async def complete_on_a_loop(self, *arguments: Any, **options: Any) -> AssistantTurn:
        self.busy += 1
        try:
            if self.busy > 1:
                raise RuntimeError("one at a time")
            return await super().complete_on_a_loop(*arguments, **options)
        finally:
            self.busy -= 1


class OneThread(ByHttpx):
    """Says that it is for one thread."""

    in_threads = False


def near(adapter: Any, way: str) -> Any:
    """What a client makes of its own stream near the other one."""
    other = OtherStream(READINGS[way], OTHERS, ANOTHER)  # type: ignore[index]
    return BoundClient(adapter, PROVIDER).read_near(OWN, TALK, other)


ALONE = wire(PROVIDER).read_stream(OWN, TALK)


@pytest.mark.parametrize("way", READINGS)
@pytest.mark.parametrize("adapter", [ByHttpx, OnLoopback, OnALoop])
def test_who_keeps_nothing_is_not_charged(adapter: type[ByHttpx], way: str) -> None:
    asked = way != "beside-another-on-a-loop" or adapter is OnALoop
    assert near(adapter(), way) == (ALONE if asked else None)


@pytest.mark.parametrize("way", READINGS)
def test_who_keeps_something_shows_it(way: str) -> None:
    assert near(KeepsAll(), way) != ALONE


def test_who_is_for_one_thread_is_not_asked_in_two() -> None:
    assert near(OneThread(), "beside-another") is None
    assert near(OneThread(), "after-one-that-broke-off") == ALONE


def test_who_raises_beside_another_is_told() -> None:
    assert "one at a time" in near(Raises(), "beside-another-on-a-loop").message
