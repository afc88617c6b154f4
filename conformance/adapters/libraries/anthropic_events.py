"""The message that an application has which reads the events of ``messages.stream``, as they come.

The SDK's own events (``text``, ``input_json``, ``thinking``, …) follow the raw one that they are made of, which says
what block they are about. Each says what is new, and all that there is so far:
https://github.com/anthropics/anthropic-sdk-python/blob/main/helpers.md (2026-11-26).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.libraries.news import CallNews, Growth, text_news, thinking_news
from conformance.model import Conversation, News


@dataclass
class EventMessage:
    """A message, made of events."""

    content: list[Any] = field(default_factory=list)
    usage: Any = None
    stop_reason: str | None = None
    stop_details: Any = None
    said: str | None = None
    """The text, where it was told apart from the blocks."""

    whole: Any = None
    """The SDK's own message, where an event has it."""

    def begins(self, event: Any) -> None:
        """The first event, which has the message with nothing in it."""
        self.usage, self.content = event.message.usage, list(event.message.content)

    def ends(self, said: Any) -> None:
        """Why it stops: ``said`` is the end of a raw event, or the whole message."""
        self.stop_reason, self.stop_details = said.stop_reason, getattr(said, "stop_details", None)  # since 0.84

    def ends_with(self, message: Any) -> None:
        """The end, with the SDK's own message."""
        self.ends(message)
        self.usage, self.whole = message.usage, message


def by_fragments(events: Iterable[Any]) -> EventMessage:
    """What each event says is new, put together."""
    made, texts, block = EventMessage(), dict[int, str](), 0
    for event in events:
        match event.type:
            case "content_block_delta":
                block = event.index
            case "input_json":
                texts[block] = texts.get(block, "") + event.partial_json
            case "message_delta":
                made.ends(event.delta)
                made.usage.output_tokens = event.usage.output_tokens
                if getattr(event.usage, "input_tokens", None) is not None:  # a total, as of what its own tools took
                    made.usage.input_tokens = event.usage.input_tokens
            case _:
                _enter(made, block, event, _add)
    for place, text in texts.items():
        made.content[place].input = _value(text) if text else made.content[place].input
    return made


def by_snapshots(events: Iterable[Any]) -> EventMessage:
    """The last that the events say is there."""
    made, block = EventMessage(), 0
    for event in events:
        match event.type:
            case "content_block_delta":
                block = event.index
            case "message_stop":
                made.ends_with(event.message)
            case _:
                _enter(made, block, event, _replace)
    return made


def by_blocks(events: Iterable[Any]) -> EventMessage:
    """The blocks as they are when they end, until the message does. A block that does not end is as it began."""
    made = EventMessage()
    for event in events:
        match event.type:
            case "content_block_stop":
                made.content[event.index] = event.content_block
            case "message_stop":
                made.ends_with(event.message)
                break
            case _:
                _enter(made, 0, event, lambda block, event: None)
    return made


def with_text(answer: tuple[Iterable[str], Any]) -> EventMessage:
    """A message with the text that the SDK tells apart from it, in pieces or whole."""
    texts, message = answer
    made = EventMessage(message.content, said="".join(texts))
    made.ends_with(message)
    return made


def _enter(made: EventMessage, block: int, event: Any, change: Callable[[Any, Any], None]) -> None:
    match event.type:
        case "message_start":
            made.begins(event)
        case "content_block_start":
            made.content.append(event.content_block.model_copy(deep=True))
        case "text" | "thinking" | "signature" | "citation" | "input_json":
            change(made.content[block], event)


def _add(block: Any, event: Any) -> None:
    match event.type:
        case "text":
            block.text += event.text
        case "thinking":
            block.thinking += event.thinking
        case "signature":
            block.signature = event.signature
        case "citation":
            block.citations = [*(block.citations or ()), event.citation]


def _replace(block: Any, event: Any) -> None:
    match event.type:
        case "text":
            block.text = event.snapshot
        case "thinking":
            block.thinking = event.snapshot
        case "signature":
            block.signature = event.signature
        case "citation":
            block.citations = event.snapshot
        case "input_json":
            block.input = event.snapshot


def _value(text: str) -> Any:
    """The value in a text of JSON; the text where there is none, because its end did not come."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def fragment_news(events: Iterable[Any], conversation: Conversation) -> Iterator[News]:
    """What the events say is new, while the stream is open."""
    calls, begun = CallNews(conversation), -1
    for event in events:
        match event.type:
            case "thinking":
                yield from thinking_news(event.thinking)
            case "text":
                yield from text_news(event.text)
            case "content_block_start" if event.content_block.type == "tool_use":
                begun = event.index
                yield from calls.begins(begun, event.content_block.name)
            case "content_block_start":  # what is there already comes with no event of its own
                yield from thinking_news(getattr(event.content_block, "thinking", None))
                yield from text_news(getattr(event.content_block, "text", None))
            case "input_json":
                yield from calls.says(begun, event.partial_json)
            case "content_block_stop":
                yield from calls.ends(event.index)


def snapshot_news(events: Iterable[Any], conversation: Conversation) -> Iterator[News]:
    """What grows in the events while the stream is open. Arguments are objects there, so their text is not told."""
    calls, grown, block = CallNews(conversation), Growth(), 0
    for event in events:
        match event.type:
            case "content_block_delta":
                block = event.index
            case "thinking":
                yield from thinking_news(grown.by(block, event.snapshot))
            case "text":
                yield from text_news(grown.by(block, event.snapshot))
            case "content_block_start" if event.content_block.type == "tool_use":
                yield from calls.begins(event.index, event.content_block.name)
            case "content_block_stop":
                yield from calls.ends(event.index)
