"""Cohere, client half: put the events of a stream together.

Sources: docs.cohere.com "Streaming for tool use"; cohere 7.3.1 ``cohere.v2.types.V2ChatStreamResponse``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from conformance.http import StreamEvent
from conformance.model import Json, ProviderError
from conformance.wires.base import Assembly
from conformance.wires.errors import provider_error
from conformance.wires.facts import obj


@dataclass(slots=True)
class _Block:
    """A content block so far: what it began with, and the pieces that came since, by field."""

    fields: dict[str, Json]
    pieces: dict[str, list[str]] = field(default_factory=dict)

    def add(self, piece: Mapping[str, Json]) -> None:
        for name in ("text", "thinking"):
            if isinstance(piece.get(name), str):
                self.pieces.setdefault(name, [str(self.fields.get(name) or "")]).append(piece[name])

    def body(self) -> dict[str, Json]:
        """The block. One that says nothing of its type is of the type that its field has."""
        fields = {**self.fields, **{name: "".join(pieces) for name, pieces in self.pieces.items()}}
        kind = "thinking" if "thinking" in fields else "text"
        return {"type": kind, **fields}


@dataclass(slots=True)
class _Call:
    """A call so far."""

    fields: dict[str, Json]
    pieces: list[str] = field(default_factory=list)
    ended: bool = False

    @property
    def arguments(self) -> str:
        """The text of the arguments."""
        return "".join(self.pieces)

    def body(self) -> dict[str, Json]:
        """The call as a blocking message holds it."""
        return {**self.fields, "function": {**obj(self.fields.get("function")), "arguments": self.arguments}}


def assemble(events: Iterable[StreamEvent]) -> Assembly:
    """The blocking body that the events of a stream amount to."""
    assembler = CohereAssembler()
    for event in events:
        assembler.feed(event)
    return assembler.assembly()


class CohereAssembler:
    """Puts events together. Blocks and calls stand in the order in which they began; a piece goes to the one that began
    last under its ``index``, because blocks that follow each other may all have index 0."""

    def __init__(self) -> None:
        self._envelope: dict[str, Json] = {}
        self._plan: list[str] = []
        self._blocks: list[_Block] = []
        self._by_index: dict[Json, _Block] = {}
        self._calls: dict[Json, _Call] = {}
        self._error: ProviderError | None = None
        self._ended = False

    def feed(self, event: StreamEvent) -> None:
        """Take one event. What is no JSON is cut off or a marker, and the missing end of the message says so."""
        if self._ended:
            return
        data = obj(event.document)
        delta, index = obj(data.get("delta")), _key(data.get("index"))
        message = obj(delta.get("message"))
        match data.get("type"):
            case "message-start":
                self._envelope["id"] = data.get("id")
            case "tool-plan-delta":
                self._plan.append(str(message.get("tool_plan") or ""))
            case "content-start":
                self._begin(index, dict(obj(message.get("content"))))
            case "content-delta":
                if index not in self._by_index:
                    self._begin(index, {})
                self._by_index[index].add(obj(message.get("content")))
            case "tool-call-start":
                self._start(index, obj(message.get("tool_calls")))
            case "tool-call-delta":
                self._grow(index, obj(obj(message.get("tool_calls")).get("function")))
            case "tool-call-end":
                if call := self._calls.get(index):
                    call.ended = True
            case "message-end":
                self._end(delta)

    def _begin(self, index: Json, block: dict[str, Json]) -> None:
        self._by_index[index] = _Block(block)
        self._blocks.append(self._by_index[index])

    def _start(self, index: Json, call: Mapping[str, Json]) -> None:
        self._calls[index] = _Call(dict(call))
        self._grow(index, obj(call.get("function")))

    def _grow(self, index: Json, function: Mapping[str, Json]) -> None:
        if (call := self._calls.get(index)) and isinstance(function.get("arguments"), str):
            call.pieces.append(function["arguments"])

    def _end(self, delta: Mapping[str, Json]) -> None:
        self._ended = True
        self._envelope |= {name: delta[name] for name in ("finish_reason", "usage") if name in delta}
        if delta.get("error"):
            self._error = provider_error(None, delta["error"])

    def assembly(self) -> Assembly:
        """The message so far. It is whole once its end came."""
        message: dict[str, Json] = {"role": "assistant"}
        if blocks := [block.body() for block in self._blocks]:
            message["content"] = blocks
        if plan := "".join(self._plan):
            message["tool_plan"] = plan
        if self._calls:
            message["tool_calls"] = [call.body() for call in self._calls.values()]
        open_calls = frozenset(place for place, call in enumerate(self._calls.values()) if not call.ended)
        sent = tuple(call.arguments for call in self._calls.values())
        thinking = "".join(str(block.get("thinking") or "") for block in blocks)
        body = {**self._envelope, "message": message}
        return Assembly(body, self._ended, open_calls, self._error, sent=sent, thinking=thinking)


def _key(index: Json) -> Json:
    return index if isinstance(index, int) else None
