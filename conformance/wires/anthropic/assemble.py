"""Messages, client half: put the events of a stream together into the message that they amount to.

Sources: ``anthropic.types.RawMessageStreamEvent``; platform.claude.com, "Streaming messages"; the official SDK's
``accumulate_event``. Departures from the SDK, each for a reason:

- Arguments that are not JSON stay as their text; the SDK shows as much of the object as it can make out.
- A ``message_start`` inside an open message begins anew: a proxy lost its upstream, tried again and spliced the second
  answer onto the first (https://github.com/vercel/ai/issues/18331). Mixed, the two could never be replayed. The same
  message started twice (https://github.com/BerriAI/litellm/issues/32478) goes on.
- What follows ``message_stop`` is not part of the message.
- A later ``message_delta`` without a stop reason does not take the stop reason back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from conformance.http import StreamEvent
from conformance.model import Json, ProviderError
from conformance.wires.base import Assembly, parse_arguments
from conformance.wires.errors import provider_error
from conformance.wires.facts import items, obj

FRAGMENTS = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}
"""The deltas that add text to what came before, and the field that holds it."""


@dataclass(slots=True)
class OpenBlock:
    """A content block as it grows: what it began with, and the fragments that came since."""

    fields: dict[str, Json]
    closed: bool = False
    fragments: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in FRAGMENTS.values()})

    def add(self, delta: Mapping[str, Json]) -> None:
        """Take one delta. Unknown ones change nothing."""
        match delta.get("type"):
            case "text_delta" | "thinking_delta" | "input_json_delta" as kind:
                name = FRAGMENTS[kind]
                self.fragments[name].append(str(delta.get(name) or ""))
            case "signature_delta":
                self.fields["signature"] = delta.get("signature")
            case "citations_delta":
                cited = [citation for _, citation in items(self.fields.get("citations"))]
                self.fields["citations"] = [*cited, delta.get("citation")]
            case "compaction_delta":
                self.fields |= {name: value for name, value in delta.items() if name != "type"}

    def block(self) -> dict[str, Json]:
        """The block so far. Arguments that are no JSON object stay text."""
        block = dict(self.fields)
        for name in ("text", "thinking"):
            if self.fragments[name]:
                block[name] = str(block.get(name) or "") + "".join(self.fragments[name])
        text = "".join(self.fragments["partial_json"])
        if text.strip():
            arguments, raw, _ = parse_arguments(text)
            block["input"] = raw if arguments is None else arguments
        return block


def assemble(events: Iterable[StreamEvent]) -> Assembly:
    """The message that the events of a stream amount to."""
    assembler = MessageAssembler()
    for event in events:
        assembler.feed(event)
    return assembler.assembly()


class MessageAssembler:
    """Puts events together. Blocks are kept apart by ``index`` and stand in the order in which they began."""

    def __init__(self) -> None:
        self._error: ProviderError | None = None
        self._begin({})

    def _begin(self, message: Mapping[str, Json]) -> None:
        self._message = dict(message)
        self._blocks = [OpenBlock(dict(obj(block)), closed=True) for _, block in items(message.get("content"))]
        self._by_index: dict[str, OpenBlock] = {}
        self._reasoned = self._stopped = False

    def feed(self, event: StreamEvent) -> None:
        """Take one event."""
        if self._stopped or self._error is not None:
            return
        if not event.is_json:
            return  # cut off: the missing end of the message says so
        data = obj(event.document)
        match data.get("type") or event.event:
            case "message_start":
                self._start(obj(data.get("message")))
            case "content_block_start":
                self._open(str(data.get("index")), OpenBlock(dict(obj(data.get("content_block")))))
            case "content_block_delta":
                if block := self._block(data):
                    block.add(obj(data.get("delta")))
            case "content_block_stop":
                if block := self._block(data):
                    block.closed = True
            case "message_delta":
                self._end(obj(data.get("delta")), obj(data.get("usage")))
            case "message_stop":
                self._stopped = True
            case "error":
                self._error = provider_error(None, data.get("error"))

    def _start(self, message: Mapping[str, Json]) -> None:
        if not self._message or message.get("id") != self._message.get("id"):
            self._begin(message)

    def _open(self, index: str, block: OpenBlock) -> None:
        self._blocks.append(block)
        self._by_index[index] = block

    def _block(self, data: Mapping[str, Json]) -> OpenBlock | None:
        return self._by_index.get(str(data.get("index")))

    def _end(self, delta: Mapping[str, Json], usage: Mapping[str, Json]) -> None:
        """Token counts are running totals, and one that is absent leaves what ``message_start`` said."""
        self._message |= {name: value for name, value in delta.items() if value is not None}
        counts = {name: value for name, value in usage.items() if value is not None}
        self._message["usage"] = {**obj(self._message.get("usage")), **counts}
        self._reasoned = self._reasoned or delta.get("stop_reason") is not None

    def assembly(self) -> Assembly:
        """The message so far.

        It is whole once its stop reason came, also without ``message_stop``: every recorded stream has both, but some
        compatible hosts leave the last event out, and with a stop reason the model has nothing more to say.
        """
        body = {"type": "message", "role": "assistant", **self._message}
        body["content"] = blocks = [block.block() for block in self._blocks]
        uses = [block for block in self._blocks if block.fields.get("type") == "tool_use"]
        open_calls = frozenset(place for place, block in enumerate(uses) if not block.closed)
        sent = tuple("".join(block.fragments["partial_json"]) for block in uses)
        thinking = "".join(str(block.get("thinking") or "") for block in blocks)
        return Assembly(
            body, self._stopped or self._reasoned, open_calls, self._error, sent=sent, thinking=thinking
        )
