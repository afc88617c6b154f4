"""Clients that tell news while the stream of their call is open, and some that do it wrongly."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from typing import Any

import httpx
from own_kinds import ByHttpx

from conformance import AdapterInfo, Conversation, News
from conformance.adapters.endpoint import Endpoint
from conformance.wires import PROVIDERS, wire

LEFT: list[Any] = []
"""Responses that nobody closes."""


class Tells(ByHttpx):
    """Tells each piece of news as it comes."""

    def stream_news(self, provider: str, conversation: Conversation, *, endpoint: Endpoint) -> Iterator[News]:
        """The news of one model call."""
        with closing(self.taken(provider, conversation, endpoint)) as chunks:
            yield from wire(provider).news(chunks, conversation)

    def taken(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[bytes]:
        """The chunks of the answer."""
        request = wire(provider).build(conversation, stream=True)
        client, base = self.client(endpoint)
        url = base + request.url.removeprefix(endpoint.base_url)
        with client.stream("POST", url, headers=dict(request.headers), content=request.body) as response:
            yield from response.iter_raw()


class TellsOnLoopback(Tells):
    """The same over a real socket."""

    def client(self, endpoint: Endpoint) -> tuple[Any, str]:
        """A client without a certificate store."""
        return httpx.Client(verify=False), endpoint.url


class TellsFromAnotherThread(Tells):
    """Chunks are taken in a thread of their own, as fast as they come."""

    def taken(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[bytes]:
        given: queue.Queue[bytes | None] = queue.Queue()
        stopped = threading.Event()

        def take() -> None:
            with closing(Tells.taken(self, provider, conversation, endpoint)) as chunks:
                for chunk in chunks:
                    given.put(chunk)
                    if stopped.is_set():
                        break
            given.put(None)

        threading.Thread(target=take, daemon=True).start()
        try:
            yield from iter(given.get, None)
        finally:
            stopped.set()


class KeepsItsThoughts(TellsFromAnotherThread):
    """Tells nothing of the model's thinking, which nobody must who does not say so."""

    def __init__(self) -> None:
        super().__init__()
        told = {name: wire(name).card.capabilities - {"whole_news"} for name in PROVIDERS}
        self.info = AdapterInfo(type(self).__name__, told)

    def stream_news(self, provider: str, conversation: Conversation, *, endpoint: Endpoint) -> Iterator[News]:
        for news in super().stream_news(provider, conversation, endpoint=endpoint):
            if news.kind != "thinking":
                yield news


class TellsLetterByLetter(Tells):
    """Fragments may be as short as they like."""

    def stream_news(self, provider: str, conversation: Conversation, *, endpoint: Endpoint) -> Iterator[News]:
        for news in super().stream_news(provider, conversation, endpoint=endpoint):
            letters = news.text if news.kind in ("text", "thinking") else ""
            yield from (News(news.kind, letter) for letter in letters) if letters else [news]


class ThinksAfterwards(TellsFromAnotherThread):
    """Tells of the model's thinking when it is over."""

    def stream_news(self, provider: str, conversation: Conversation, *, endpoint: Endpoint) -> Iterator[News]:
        thought = list[News]()
        for news in super().stream_news(provider, conversation, endpoint=endpoint):
            if news.kind == "thinking":
                thought.append(news)
                continue
            yield from thought
            thought = []
            yield news


class TellsOnALoop(Tells):
    """The same on an event loop, with a task that takes the chunks."""

    async def stream_news(  # type: ignore[override]
        self, provider: str, conversation: Conversation, *, endpoint: Endpoint
    ) -> AsyncIterator[News]:
        given: asyncio.Queue[bytes | None] = asyncio.Queue()
        request = wire(provider).build(conversation, stream=True)
        client = httpx.AsyncClient(transport=endpoint.transport("httpx"))

        async def take() -> None:
            headers = dict(request.headers)
            async with client.stream("POST", request.url, headers=headers, content=request.body) as response:
                async for chunk in response.aiter_raw():
                    await given.put(chunk)
            await given.put(None)

        task, told, chunks = asyncio.ensure_future(take()), 0, list[bytes]()
        try:
            while (chunk := await given.get()) is not None:
                chunks.append(chunk)
                news = [one for one in wire(provider).news(iter(chunks), conversation) if one.kind in ("text", "call")]
                for one in news[told:]:
                    yield one
                told = len(news)
            yield News("end")
        finally:
            task.cancel()


class Buffers(Tells):
    """Takes everything, and then tells it."""

    def taken(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[bytes]:
        yield from list(super().taken(provider, conversation, endpoint))


class BuffersInAnotherThread(TellsFromAnotherThread):
    """The same, in a thread of its own."""

    def taken(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[bytes]:
        yield from list(super().taken(provider, conversation, endpoint))


class LooksAhead(Tells):
    """Tells of a chunk when the next one is there."""

    def taken(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[bytes]:
        held = b""
        for chunk in super().taken(provider, conversation, endpoint):
            yield held
            held = chunk
        yield held


class NeverEnds(Tells):
    """Does not tell the end."""

    def stream_news(self, provider: str, conversation: Conversation, *, endpoint: Endpoint) -> Iterator[News]:
        for news in super().stream_news(provider, conversation, endpoint=endpoint):
            if news.kind != "end":
                yield news


class EndsTooSoon(Tells):
    """Tells the end after the first piece of news."""

    def stream_news(self, provider: str, conversation: Conversation, *, endpoint: Endpoint) -> Iterator[News]:
        yield next(super().stream_news(provider, conversation, endpoint=endpoint))
        yield News("end", "end")


class StaysOpen(Tells):
    """Keeps what it reads from, and does not close it."""

    def taken(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[bytes]:
        chunks = super().taken(provider, conversation, endpoint)
        LEFT.append(chunks)
        while chunk := next(chunks, b""):
            yield chunk
