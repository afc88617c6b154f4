"""The completion that an application has which reads the events of the openai SDK's accumulator, as they come.

``ChatCompletionStreamState.handle_chunk`` gives them, and ``chat.completions.stream`` hands them on. Each fragment says
what is new, and all that there is so far; the last event of a text or of a call says all of it:
https://github.com/openai/openai-python/blob/main/helpers.md (2026-11-26). They tell text, refusals and calls of
functions. What they do not tell is taken from the snapshot: the ids of calls, and calls of custom tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.libraries.news import CallNews, Growth, text_news
from conformance.model import Conversation, News

EventsAndSnapshot = tuple[list[Any], Any]
"""What the door gives: the events, and the accumulator's last snapshot."""


NOTHING = {"name": "", "arguments": "", "parsed_arguments": None}
"""The members of a function about which no event came."""


@dataclass
class _Told:
    """What events told of a choice."""

    text: str | None = None
    refusal: str | None = None
    parsed: Any = None
    probable: dict[str, Any] = field(default_factory=dict)
    """The probabilities of the tokens of the text, and of the refusal."""
    calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The members of functions: the name, the text of the arguments, and what they mean if the tool is strict."""

    def called(self, event: Any, **said: Any) -> None:
        """An event about a call."""
        self.calls[event.index] = {"name": event.name, **said}


def by_fragments(answer: EventsAndSnapshot) -> Any:
    """What each event says is new, put together."""
    told = _Told()
    for event in answer[0]:
        match event.type:
            case "content.delta":
                told.text, told.parsed = (told.text or "") + event.delta, event.parsed
            case "refusal.delta":
                told.refusal = (told.refusal or "") + event.delta
            case "logprobs.content.delta":
                told.probable["content"] = [*told.probable.get("content", ()), *event.content]
            case "logprobs.refusal.delta":
                told.probable["refusal"] = [*told.probable.get("refusal", ()), *event.refusal]
            case "tool_calls.function.arguments.delta":
                before = told.calls.get(event.index, NOTHING)["arguments"]
                told.called(event, arguments=before + event.arguments_delta)
    return _completion(answer[1], told)


def by_snapshots(answer: EventsAndSnapshot) -> Any:
    """The last that the fragments say is there."""
    told = _Told()
    for event in answer[0]:
        match event.type:
            case "content.delta":
                told.text, told.parsed = event.snapshot, event.parsed
            case "refusal.delta":
                told.refusal = event.snapshot
            case "logprobs.content.delta":
                told.probable["content"] = list(event.snapshot)
            case "logprobs.refusal.delta":
                told.probable["refusal"] = list(event.snapshot)
            case "tool_calls.function.arguments.delta":
                told.called(event, arguments=event.arguments, parsed_arguments=event.parsed_arguments)
    return _completion(answer[1], told)


def by_ends(answer: EventsAndSnapshot) -> Any:
    """What the events say at the end of a text or a call: all of it, once. Of a stream that broke off, what came."""
    events, snapshot = answer
    message, whole = snapshot.choices[0].message, bool(snapshot.choices[0].finish_reason)
    told, again = _Told(), list[int]()
    said: dict[str, list[str]] = {"text": [], "refusal": []}
    for event in events:
        match event.type:
            case "content.done":
                said["text"].append(event.content)
                told.parsed = event.parsed
            case "refusal.done":
                said["refusal"].append(event.refusal)
            case "logprobs.content.done":
                told.probable["content"] = [*told.probable.get("content", ()), *event.content]
            case "logprobs.refusal.done":
                told.probable["refusal"] = [*told.probable.get("refusal", ()), *event.refusal]
            case "tool_calls.function.arguments.done":
                again += [event.index] if event.index in told.calls else []
                told.called(event, arguments=event.arguments, parsed_arguments=event.parsed_arguments)
    told.text = "".join(said["text"]) or (None if whole else message.content)
    told.refusal = "".join(said["refusal"]) or (None if whole else message.refusal)
    made = _completion(snapshot, told, whole=whole)
    calls = made.choices[0].message.tool_calls
    for place in again:
        calls.append(calls[place].model_copy(deep=True))
    return made


def _completion(snapshot: Any, told: _Told, *, whole: bool = True) -> Any:
    """The snapshot with what the events told in the place of its own. ``whole``: they told all calls of functions."""
    made = snapshot.model_copy(deep=True)
    message, probable = made.choices[0].message, getattr(made.choices[0], "logprobs", None)
    for name in ("content", "refusal") if probable is not None else ():
        if getattr(probable, name) is not None:
            setattr(probable, name, told.probable.get(name, []))
    message.content, message.refusal, message.parsed = told.text, told.refusal, told.parsed
    for place, call in enumerate(message.tool_calls or ()):
        if call.type == "function" and (whole or place in told.calls):
            for name, value in told.calls.get(place, NOTHING).items():
                setattr(call.function, name, value)
    return made


def fragment_news(events: Iterable[Any], conversation: Conversation) -> Iterator[News]:
    """What the events tell while the stream is open."""
    calls = CallNews(conversation)
    for event in events:
        match event.type:
            case "content.delta":
                yield from text_news(event.delta)
            case "tool_calls.function.arguments.delta":
                yield from calls.begins(event.index, event.name)
                yield from calls.says(event.index, event.arguments_delta)
            case "tool_calls.function.arguments.done":
                yield from calls.ends(event.index)


def snapshot_news(events: Iterable[Any], conversation: Conversation) -> Iterator[News]:
    """What grows in the events while the stream is open."""
    calls, grown = CallNews(conversation), Growth()
    for event in events:
        match event.type:
            case "content.delta":
                yield from text_news(grown.by("text", event.snapshot))
            case "tool_calls.function.arguments.delta":
                yield from calls.begins(event.index, event.name)
                yield from calls.says(event.index, grown.by(event.index, event.arguments))
            case "tool_calls.function.arguments.done":
                yield from calls.ends(event.index)
