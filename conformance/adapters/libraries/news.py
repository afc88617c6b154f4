"""What shims tell while a stream is open: a library's own events, in the contract's words, as they come."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Hashable, Iterable, Iterator
from contextlib import aclosing
from typing import Any

from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.chat_format import taken_choices
from conformance.adapters.libraries.shim import LoopShim, Shim
from conformance.model import Conversation, News
from conformance.wires.naming import application_name


class TellingShim(Shim):
    """A shim around a library that hands out what comes while a stream is open. A subclass says what that is."""

    @abstractmethod
    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[News]:
        """What the library tells of a streamed call, without the end. Raises what the library raises."""

    def stream_news(self, provider: str, conversation: Conversation, *, endpoint: Endpoint) -> Iterator[News]:
        """Make the model call, and tell what happens."""
        try:
            yield from self.told(provider, conversation, endpoint)
            yield News("end")
        except Exception as problem:
            yield News("end", self.failed(problem, endpoint, stream=True).stop)


class LoopTellingShim(LoopShim):
    """The same of a library that does so on an event loop."""

    @abstractmethod
    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AsyncIterator[News]:
        """What the library tells of a streamed call, without the end. Raises what the library raises."""

    async def stream_news(
        self, provider: str, conversation: Conversation, *, endpoint: Endpoint
    ) -> AsyncIterator[News]:
        """Make the model call, and tell what happens."""
        try:
            async with aclosing(self.told(provider, conversation, endpoint)) as told:  # type: ignore[type-var]
                async for news in told:
                    yield news
            yield News("end")
        except Exception as problem:
            yield News("end", self.failed(problem, endpoint, stream=True).stop)


class CallNews:
    """Numbers the calls of a stream. ``key`` is what the library's events tell them apart by."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._begun: dict[Hashable, News] = {}
        self._ended: set[Hashable] = set()

    def begins(self, key: Hashable, name: str | None) -> Iterator[News]:
        """An event that is about a call. The first that knows its name tells that it begins."""
        if name and key not in self._begun:
            self._begun[key] = News("call", application_name(name, self._conversation), len(self._begun))
            yield self._begun[key]

    def says(self, key: Hashable, text: str | None) -> Iterator[News]:
        """An event that brings a fragment of the text of a call's arguments."""
        if text and key in self._begun:
            yield News("arguments", text, self._begun[key].call)

    def ends(self, key: Hashable) -> Iterator[News]:
        """An event that says that a call is whole."""
        if key in self._begun and key not in self._ended:
            self._ended.add(key)
            yield News("call_end", self._begun[key].text, self._begun[key].call)

    def whole(self, name: str | None) -> Iterator[News]:
        """A call that comes at once."""
        key = f"whole {len(self._begun)}"
        yield from self.begins(key, name)
        yield from self.ends(key)


class Growth:
    """What grew between two snapshots of the same text, where a library's events say all that there is so far."""

    def __init__(self) -> None:
        self._known: dict[Hashable, str] = {}

    def by(self, key: Hashable, snapshot: str) -> str:
        """What came since the snapshot before."""
        before = len(self._known.get(key, ""))
        self._known[key] = snapshot
        return snapshot[before:]


def thinking_news(text: str | None) -> Iterator[News]:
    """A fragment of the model's thinking, if there is one."""
    if text:
        yield News("thinking", text)


def text_news(text: str | None) -> Iterator[News]:
    """A fragment of text, if there is one."""
    if text:
        yield News("text", text)


def chat_news(chunks: Iterable[Any], conversation: Conversation) -> Iterator[News]:
    """What chunks of OpenAI's chat format tell. When a call is whole, they do not say."""
    calls = CallNews(conversation)
    for chunk in chunks:
        for choice in taken_choices(chunk):
            yield from thinking_news(getattr(choice.delta, "reasoning_content", None))
            yield from text_news(choice.delta.content)
            for place, piece in enumerate(getattr(choice.delta, "tool_calls", None) or ()):
                index, function = getattr(piece, "index", None), piece.function
                key = place if index is None else index
                custom = getattr(piece, "custom", None)
                if function is not None:
                    yield from calls.begins(key, function.name)
                    yield from calls.says(key, function.arguments)
                elif isinstance(custom, dict):  # the openai SDK has no type for it
                    yield from calls.begins(key, custom.get("name"))
                    yield from calls.says(key, custom.get("input"))
