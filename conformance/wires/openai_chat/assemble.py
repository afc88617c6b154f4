"""Chat Completions, client half: put the chunks of a stream together.

Sources: openai/openai-openapi ``CreateChatCompletionStreamResponse``; recorded streams of compatible hosts, which leave
out or repeat almost everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from conformance.http import StreamEvent
from conformance.model import Json, ProviderError, compact_json
from conformance.wires.base import Assembly
from conformance.wires.errors import provider_error
from conformance.wires.facts import items, obj, object_of
from conformance.wires.openai_chat.deviations import Deviations
from conformance.wires.openai_chat.failures import failure


def assemble(deviations: Deviations, events: Iterable[StreamEvent]) -> Assembly:
    """The blocking body that a stream of chunks amounts to."""
    assembler = ChatAssembler(deviations)
    for event in events:
        assembler.feed(event)
    return assembler.assembly()


def content_text(content: Json) -> str:
    """The text of a message's content: itself, or its text parts."""
    if isinstance(content, str):
        return content
    texts = (obj(part).get("text") for _, part in items(content) if obj(part).get("type") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def thought_text(content: Json) -> str:
    """The text of the thinking that is among the parts of a message's content, as Mistral sends it."""
    thoughts = (obj(part).get("thinking") for _, part in items(content) if obj(part).get("type") == "thinking")
    return "".join(map(content_text, thoughts))


TEXTS = ("text", "summary")
"""The members of OpenRouter's ``reasoning_details`` that come in pieces."""


@dataclass(slots=True)
class _Call:
    """A call so far. ``custom`` marks a call of a custom tool, whose input is free text."""

    id: Json = None
    name: Json = None
    pieces: list[str] = field(default_factory=list)
    custom: bool = False
    extra: Json = None

    @property
    def arguments(self) -> str:
        """The text of the arguments."""
        text = "".join(self.pieces)
        self.pieces = [text]
        return text

    @property
    def whole(self) -> bool:
        """Whether the arguments are an object already: nothing can be added to it."""
        text = self.arguments
        return text.rstrip().endswith("}") and object_of(text) is not None

    def body(self) -> Json:
        """The call as a blocking message holds it."""
        if self.custom:
            return {"id": self.id, "type": "custom", "custom": {"name": self.name, "input": self.arguments}}
        function = {"name": self.name, "arguments": self.arguments}
        extra = {} if self.extra is None else {"extra_content": self.extra}
        return {"id": self.id, "type": "function", "function": function, **extra}


class ChatAssembler:
    """Puts chunks together into the message that they amount to. Only the first choice counts."""

    def __init__(self, deviations: Deviations) -> None:
        self._texts: dict[str, list[str]] = {"content": [], "refusal": []}
        self._thinking = deviations.reasoning_field
        if self._thinking:
            self._texts[self._thinking] = []
        self._thought: list[str] = []
        self._items = deviations.reasoning_items
        self._thoughts: dict[str, dict[str, Json]] = {}
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._legacy: _Call | None = None
        self._finish: Json = None
        self._usage: Json = None
        self._error: ProviderError | None = None
        self._done = False

    def feed(self, event: StreamEvent) -> None:
        """Take one event."""
        if event.data.strip() == "[DONE]":
            self._done = True
            return
        if not event.is_json:
            return  # cut off: the missing terminal marker says so
        chunk = event.document
        if (error := failure(chunk)) is not None:
            self._error = provider_error(None, error)
        self._usage = obj(chunk).get("usage") or self._usage
        for _, choice in items(obj(chunk).get("choices")):
            if obj(choice).get("index") in (0, None):
                self._choice(obj(choice))

    def _choice(self, choice: Mapping[str, Json]) -> None:
        self._finish = choice.get("finish_reason") or self._finish
        delta = obj(choice.get("delta"))
        for name, pieces in self._texts.items():
            if said := delta.get(name):
                pieces.append(content_text(said))
        self._thought.append(thought_text(delta.get("content")))
        for _, item in items(delta.get(self._items)) if self._items else ():
            self._thinks(obj(item))
        for _, fragment in items(delta.get("tool_calls")):
            self._fragment(obj(fragment))
        if legacy := obj(delta.get("function_call")):
            self._legacy = self._legacy or _Call()
            self._legacy.name = self._legacy.name or legacy.get("name")
            self._legacy.pieces.append(content_text(legacy.get("arguments")))

    def _thinks(self, item: Mapping[str, Json]) -> None:
        """Take a piece of an item of the thinking. Pieces of one item have its type and its index, and their texts are
        put together; the other members, what is sealed among them, come whole."""
        known = self._thoughts.setdefault(f"{item.get('type')} {item.get('index')}", {})
        texts = {name: content_text(known.get(name)) + content_text(item[name]) for name in TEXTS if name in item}
        known |= {**item, **texts}

    def _fragment(self, fragment: Mapping[str, Json]) -> None:
        custom = obj(fragment.get("custom"))
        said = obj(fragment.get("function")) or custom
        arguments = said.get("input" if said is custom else "arguments")
        text = arguments if isinstance(arguments, str) else "" if arguments is None else compact_json(arguments)
        call_id, name = fragment.get("id"), said.get("name") or None
        call = self._slot(fragment.get("index"), None if call_id in ("", "null") else call_id, name, text)
        call.id = call_id if call.id in (None, "") and call_id is not None else call.id
        call.name = call.name or name
        call.extra = call.extra or fragment.get("extra_content")
        call.pieces.append(text)
        call.custom = call.custom or bool(custom)

    def _slot(self, index: Json, call_id: Json, name: Json, text: str) -> _Call:
        """The call that a fragment belongs to: the one under its index; without an index, the last one. Unless the
        fragment shows that it opens a new one."""
        number = index if isinstance(index, int) else None
        last = self._calls[-1] if self._calls else None
        known = last if number is None else self._by_index.get(number)
        if known is None or _opens(known, call_id, name, text, indexed=number is not None):
            known = _Call()
            self._calls.append(known)
        if number is not None:
            self._by_index[number] = known
        return known

    def assembly(self) -> Assembly:
        """The message so far. Without a finish reason and without ``[DONE]``, its calls are not known to be whole."""
        complete = self._done or self._finish is not None
        texts = {field: "".join(pieces) for field, pieces in self._texts.items()}
        message: dict[str, Json] = {"role": "assistant", "content": texts.pop("content") or None}
        message |= {field: text for field, text in texts.items() if text}
        if self._thoughts:
            message[str(self._items)] = list(self._thoughts.values())
        if self._calls:
            message["tool_calls"] = [call.body() for call in self._calls]
        elif self._legacy is not None:
            message["function_call"] = {"name": self._legacy.name, "arguments": self._legacy.arguments}
        body = {"choices": [{"index": 0, "message": message, "finish_reason": self._finish}], "usage": self._usage}
        open_calls = frozenset() if complete else frozenset(self._open())
        sent, thinking = tuple(call.arguments for call in self._all()), texts.get(self._thinking or "", "")
        thinking = thinking or "".join(self._thought)
        return Assembly(body, complete, open_calls, self._error, sent=sent, thinking=thinking)

    def _open(self) -> Iterator[int]:
        # Chat has no end marker per call: in a cut stream only a call whose text is an object already is whole. A text
        # that a custom tool takes may always go on.
        return (position for position, call in enumerate(self._all()) if call.custom or not call.whole)

    def _all(self) -> list[_Call]:
        return self._calls or ([self._legacy] if self._legacy else [])


def _opens(known: _Call, call_id: Json, name: Json, text: str, *, indexed: bool) -> bool:
    """Whether a fragment that should belong to ``known`` begins another call. Only a fragment with a name can.

    Ids decide where both have one: one host sends many calls under index 0, others repeat name and id in every
    fragment. Without ids, a call that is whole takes no more text; and where there is no index either, a second name is
    a second call.
    """
    if not name or not known.name:
        return False
    if call_id is not None and known.id not in (None, "", "null"):
        return bool(call_id != known.id)
    if known.whole and (text.strip() or not indexed):
        return True
    return not indexed and bool(name != known.name)
