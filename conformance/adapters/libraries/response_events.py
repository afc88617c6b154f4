"""The output that an application has which reads the events of a Responses stream as they come, by their own places.

Each event says which item of the output it is about, and which part of it:
https://platform.openai.com/docs/api-reference/responses-streaming (2026-11-26).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

ENDED = ("response.completed", "response.incomplete", "response.failed")


def at_the_end(events: Iterable[Any]) -> list[Any]:
    """The output in the last event, which is what most go on with; the items before it where it has none."""
    items: list[Any] = []
    for event in events:
        if event.type == "response.output_item.done":
            items.append(event.item)
        elif event.type in ENDED:
            return list(event.response.output) or items
    return items


def by_deltas(events: Iterable[Any]) -> list[Any]:
    """What the fragments say, put together."""
    items: dict[int, Any] = {}
    thoughts: dict[int, str] = {}
    for event in events:
        match event.type:
            case "response.output_item.added":
                items[event.output_index] = item = event.item.model_copy(deep=True)
                if item.type == "function_call":
                    item.arguments = ""
                elif item.type == "reasoning":
                    item.summary, item.content = [], None
            case "response.function_call_arguments.delta":
                items[event.output_index].arguments += event.delta
            case "response.content_part.added":
                _put(items[event.output_index].content, event.content_index, event.part.model_copy(deep=True))
            case "response.output_text.delta":
                items[event.output_index].content[event.content_index].text += event.delta
            case "response.refusal.delta":
                items[event.output_index].content[event.content_index].refusal += event.delta
            case "response.reasoning_summary_part.added":
                _put(items[event.output_index].summary, event.summary_index, event.part.model_copy(deep=True))
            case "response.reasoning_summary_text.delta":
                items[event.output_index].summary[event.summary_index].text += event.delta
            case "response.reasoning_text.delta":
                thoughts[event.output_index] = thoughts.get(event.output_index, "") + event.delta
            case "response.output_item.done" if event.item.type == "reasoning":
                summary = items[event.output_index].summary
                items[event.output_index] = _thought(event.item, summary, thoughts.get(event.output_index))
            case "response.output_item.done" if event.item.type not in ("message", "function_call"):
                items[event.output_index] = event.item
    return [items[place] for place in sorted(items)]


def by_ends(events: Iterable[Any]) -> list[Any]:
    """What is said at the end of each part and of each item."""
    items: dict[int, Any] = {}
    parts: dict[int, dict[int, Any]] = {}
    summaries: dict[int, dict[int, Any]] = {}
    thoughts: dict[int, str] = {}
    for event in events:
        match event.type:
            case "response.reasoning_summary_part.done":
                summaries.setdefault(event.output_index, {})[event.summary_index] = event.part
            case "response.reasoning_text.done":
                thoughts[event.output_index] = event.text
            case "response.output_item.done" if event.item.type == "reasoning":
                told = summaries.get(event.output_index, {})
                summary = [told[place] for place in sorted(told)]
                items[event.output_index] = _thought(event.item, summary, thoughts.get(event.output_index))
            case "response.content_part.done":
                parts.setdefault(event.output_index, {})[event.content_index] = event.part
            case "response.output_item.done":
                items[event.output_index] = item = event.item.model_copy(deep=True)
                if item.type == "message":
                    own = parts.get(event.output_index, {})
                    item.content = [own[place] for place in sorted(own)]
    return [items[place] for place in sorted(items)]


def _thought(item: Any, summary: list[Any], text: str | None) -> Any:
    """An item of thinking with what the events told of it. What they do not tell, and what seals it, is the item's."""
    made = item.model_copy(deep=True)
    made.summary = [_spoken(part, made.summary) for part in summary] if summary else made.summary
    if text is not None and made.content:
        made.content = [made.content[0].model_copy(update={"text": text}), *made.content[1:]]
    return made


def _spoken(part: Any, like: list[Any]) -> Any:
    """A part of a summary as items have it: events have a class of their own."""
    return like[0].model_copy(update={"text": part.text}) if like else part


def _put(content: list[Any], place: int, part: Any) -> None:
    """A part at its place. One that is not the next has come too early, and no application can put it anywhere."""
    if place != len(content):
        raise ValueError(f"part {place} of {len(content)}")
    content.append(part)
