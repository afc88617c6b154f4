"""Converse, client half: put the events of a stream together into the answer that they amount to.

Sources: botocore 1.44.8 ``ConverseStreamOutput``; 32 recorded streams. A block of text or thinking begins with its
first delta: only calls, and results of the provider's own tools, are begun by an event of their own. Thinking that
comes as ``text`` and ``signature`` stands in ``reasoningText`` of a blocking answer, and a text to which a ``citation``
came in ``citationsContent``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from conformance.http import StreamEvent
from conformance.model import Json, ProviderError
from conformance.wires.base import Assembly, parse_arguments
from conformance.wires.bedrock.events import is_call, type_and_fields
from conformance.wires.errors import provider_error
from conformance.wires.facts import items, obj

EXCEPTION = "Exception"


@dataclass(slots=True)
class _Block:
    """A content block so far."""

    use: dict[str, Json] | None = None
    result: dict[str, Json] | None = None
    said: list[Json] = field(default_factory=list)
    citations: list[Json] = field(default_factory=list)
    other: dict[str, Json] = field(default_factory=dict)
    texts: list[str] | None = None
    thoughts: list[str] | None = None
    sealed: dict[str, Json] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    closed: bool = False

    def add(self, delta: Mapping[str, Json]) -> None:
        """Take one delta. Unknown ones change nothing."""
        if isinstance(delta.get("text"), str):
            self.texts = [*(self.texts or []), delta["text"]]
        if isinstance(piece := obj(delta.get("toolUse")).get("input"), str):
            self.inputs.append(piece)
        self.said += [part for _, part in items(delta.get("toolResult"))]
        self.citations += [delta["citation"]] if "citation" in delta else []
        thinking = obj(delta.get("reasoningContent"))
        if isinstance(thinking.get("text"), str):
            self.thoughts = [*(self.thoughts or []), thinking["text"]]
        self.sealed |= {name: thinking[name] for name in ("signature", "redactedContent") if name in thinking}

    def body(self) -> dict[str, Json]:
        """The block as a blocking answer holds it. Arguments that are no JSON object stay text."""
        if self.use is not None:
            arguments, raw, _ = parse_arguments("".join(self.inputs))
            return {"toolUse": {**self.use, "input": raw if arguments is None else arguments}}
        if self.result is not None:
            return {"toolResult": {**self.result, "content": self.said}}
        if self.citations:
            words: list[Json] = [{"text": "".join(self.texts or [])}]
            return {"citationsContent": {"content": words, "citations": self.citations}}
        if "redactedContent" in self.sealed:
            return {"reasoningContent": {"redactedContent": self.sealed["redactedContent"]}}
        if self.thoughts is not None or self.sealed:
            return {"reasoningContent": {"reasoningText": {"text": "".join(self.thoughts or []), **self.sealed}}}
        return {"text": "".join(self.texts)} if self.texts is not None else self.other


def assemble(events: Iterable[StreamEvent]) -> Assembly:
    """The answer that the events of a stream amount to."""
    assembler = ConverseAssembler()
    for event in events:
        assembler.feed(event)
    return assembler.assembly()


class ConverseAssembler:
    """Puts events together. Blocks are kept apart by ``contentBlockIndex``, in the order of their beginnings."""

    def __init__(self) -> None:
        self._role: Json = "assistant"
        self._blocks: dict[Json, _Block] = {}
        self._end: dict[str, Json] = {}
        self._metadata: dict[str, Json] = {}
        self._error: ProviderError | None = None

    def feed(self, event: StreamEvent) -> None:
        """Take one event. What is no JSON is cut off, and the missing end of the message says so."""
        if self._error is not None or not event.is_json:
            return
        name, data = type_and_fields(event.document)
        if name.endswith(EXCEPTION):
            self._error = provider_error(None, {**data, "type": name})
            return
        match name:
            case "messageStart":
                self._role = data.get("role", self._role)
            case "contentBlockStart":
                self._begin(self._block(data), obj(data.get("start")))
            case "contentBlockDelta":
                self._block(data).add(obj(data.get("delta")))
            case "contentBlockStop":
                self._block(data).closed = True
            case "messageStop":
                self._end |= data
            case "metadata":
                self._metadata |= data

    def _begin(self, block: _Block, start: Mapping[str, Json]) -> None:
        if "toolUse" in start:
            block.use = dict(obj(start["toolUse"]))
        elif "toolResult" in start:
            block.result = dict(obj(start["toolResult"]))
        else:
            block.other = dict(start)

    def _block(self, data: Mapping[str, Json]) -> _Block:
        index = data.get("contentBlockIndex")
        return self._blocks.setdefault(index if isinstance(index, int) else None, _Block())

    def assembly(self) -> Assembly:
        """The answer so far. It is whole once ``messageStop`` came: ``metadata`` says nothing of the message."""
        content = [body for block in self._blocks.values() if (body := block.body())]
        message = {"role": self._role, "content": content}
        known = {name: value for name, value in (*self._end.items(), *self._metadata.items()) if value is not None}
        uses = [block for block in self._blocks.values() if _is_for_client(block)]
        return Assembly(
            {"output": {"message": message}, **known},
            "stopReason" in self._end,
            frozenset(place for place, block in enumerate(uses) if not block.closed),
            self._error,
            sent=tuple("".join(block.inputs) for block in uses),
            thinking="".join(text for block in self._blocks.values() for text in block.thoughts or ()),
        )


def _is_for_client(block: _Block) -> bool:
    return block.use is not None and is_call({"toolUse": block.use})
