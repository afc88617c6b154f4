"""Lies about what is told while a stream is open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.model import AssistantTurn, Conversation, News
from conformance.mutants.liar import Liar
from conformance.wires import PROVIDERS

IN_PIECES = tuple(name for name in PROVIDERS if name not in ("gemini", "ollama", "xai", "mistral"))
"""Where calls come in pieces."""
AS_TEXT = tuple(name for name in IN_PIECES if name != "unified")
"""Where the pieces are text."""
TEXT_IN_ANSWERS = tuple(name for name in PROVIDERS if name not in ("anthropic", "gemini", "ollama", "unified"))
"""Where complete answers have them as text, too."""
THINKING = tuple(name for name in PROVIDERS if name not in ("openai-chat", "azure", "xai", "mistral"))
"""Where thinking comes in words."""


class BuffersTheNews(Liar):
    """A stream is read when it is there, and then everything is told."""

    aims = ("common.stream.news-in-time",)

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        yield from super().stream_news(provider, iter(list(chunks)), conversation=conversation)


class ThinksFirst(Liar):
    """Thinking is told when all of it is there: nobody reads half a thought."""

    aims = ("common.stream.news-in-time",)
    providers = THINKING

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        thought = ""
        for news in super().stream_news(provider, chunks, conversation=conversation):
            if news.kind == "thinking":
                thought += news.text
                continue
            if thought:
                yield News("thinking", thought)
                thought = ""
            yield news


class TellsThinkingAsText(Liar):
    """What the model thinks, it says."""

    aims = ("common.stream.news-true",)
    providers = THINKING

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        for news in super().stream_news(provider, chunks, conversation=conversation):
            yield replace(news, kind="text") if news.kind == "thinking" else news


class TellsThinkingTwice(Liar):
    """Thinking is told as it comes, and once more when all of it is there."""

    aims = ("common.stream.news-true",)
    providers = THINKING

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        thought = ""
        for news in super().stream_news(provider, chunks, conversation=conversation):
            if news.kind == "thinking":
                thought += news.text
            elif thought:
                yield News("thinking", thought)
                thought = ""
            yield news


class ForgetsThoughts(Liar):
    """A thought that goes on is not told again."""

    aims = ("common.stream.news-true",)
    providers = THINKING

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        told = False
        for news in super().stream_news(provider, chunks, conversation=conversation):
            if news.kind != "thinking" or not told:
                yield news
            told = news.kind == "thinking"


class ThinksAfterwards(Liar):
    """What the model thought stands below what it said."""

    aims = ("common.stream.order-of-appearance",)
    providers = THINKING

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        news = list(super().stream_news(provider, chunks, conversation=conversation))
        yield from sorted(news, key=lambda one: {"thinking": 1, "end": 2}.get(one.kind, 0))


class TellsCallsTooSoon(Liar):
    """A call whose tool is known can be run: its arguments will come."""

    aims = ("common.stream.news-true",)
    providers = IN_PIECES

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        for news in super().stream_news(provider, chunks, conversation=conversation):
            if news.kind != "call_end":
                yield news
            if news.kind == "call":
                yield News("call_end", news.text, news.call)


class TellsTextTwice(Liar):
    """Text is told as it comes, and once more when all of it is there."""

    aims = ("common.stream.news-true",)

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        told = ""
        for news in super().stream_news(provider, chunks, conversation=conversation):
            if news.kind == "end" and told:
                yield News("text", told)
            told += news.text if news.kind == "text" else ""
            yield news


class RewritesArguments(Liar):
    """Arguments are arguments, however they are written."""

    aims = ("common.stream.arguments-as-sent",)
    providers = AS_TEXT

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        for news in super().stream_news(provider, chunks, conversation=conversation):
            yield replace(news, text=news.text.replace('":', '": ')) if news.kind == "arguments" else news


class KeepsArgumentsRewritten(Liar):
    """The text of arguments is what they are when they are written again."""

    aims = ("common.stream.arguments-as-sent",)
    providers = TEXT_IN_ANSWERS

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        calls = (replace(call, sent=json.dumps(call.arguments)) for call in turn.calls)
        return replace(turn, calls=tuple(calls))


class TellsCallsFirst(Liar):
    """What is to be done comes before what is said."""

    aims = ("common.stream.order-of-appearance",)

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        news = list(super().stream_news(provider, chunks, conversation=conversation))
        yield from sorted(news, key=lambda one: {"text": 1, "end": 2}.get(one.kind, 0))


class EndsSilently(Liar):
    """When no more comes, that is the end, and everybody sees it."""

    aims = ("common.stream.end-told",)

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        for news in super().stream_news(provider, chunks, conversation=conversation):
            if news.kind != "end":
                yield news


class LeavesItOpen(Liar):
    """Whoever stops listening has his reasons. The stream ends by itself some day."""

    aims = ("common.stream.stopping-ends-it",)

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        return super().stream_news(provider, (chunk for chunk in chunks), conversation=conversation)
