"""Messages: calls in streams.

As with Chat Completions, each rule looks only at streams that show its behaviour, delivered one event a chunk, and
compares only what that behaviour decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.model import Json, ToolCall
from conformance.rules.anthropic.documents import block_kind, events_of
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import calls_understood
from conformance.rules.shared.streams import differs, same_calls, understood_stream
from conformance.transcript import Exchange, once
from conformance.wires.facts import Object, obj


@check("anthropic.stream.event-grammar")
def event_grammar(x: Exchange) -> Verdicts:
    """Arguments have rules of their own, and so has a failure."""
    if understood_stream(x) is None or not events_of(x, "content_block_start"):
        return
    yield same_calls(x)
    yield differs(x, "/text", lambda turn: turn.text)
    yield differs(x, "/stop", lambda turn: turn.stop)


@dataclass(slots=True)
class StreamedUse:
    """A call in a stream: its block as it began, and the fragments of its input."""

    begun: Object
    fragments: list[str] = field(default_factory=list)

    @property
    def without_input(self) -> bool:
        """Whether neither the block as it began nor any fragment holds an argument."""
        return not self.begun.get("input") and not "".join(self.fragments).strip()


@once
def _streamed_uses(x: Exchange) -> list[StreamedUse]:
    """The calls whose blocks a stream begins, in order. A message that begins anew begins a new list."""
    uses: list[StreamedUse] = []
    by_index: dict[Json, StreamedUse] = {}
    for event in x.documents:
        index = obj(event).get("index")
        match obj(event).get("type"):
            case "message_start":
                uses, by_index = [], {}
            case "content_block_start" if isinstance(index, int):
                block = event.get("content_block")
                by_index.pop(index, None)
                if isinstance(block, dict) and block_kind(block) == "tool_use":
                    by_index[index] = StreamedUse(block)
                    uses.append(by_index[index])
            case "content_block_delta" if isinstance(index, int) and index in by_index:
                piece = obj(event.get("delta")).get("partial_json")
                by_index[index].fragments.append(piece if isinstance(piece, str) else "")
    return uses


def _understood_uses(x: Exchange) -> Iterator[tuple[StreamedUse, ToolCall, ToolCall | None, str]]:
    """Each call of a stream that ended well: its events, what they say, what was understood of it, and where."""
    turns, uses = understood_stream(x), _streamed_uses(x)
    if turns is None or len(uses) != len(turns[0].calls):
        return
    offered, read = turns
    for use, call, place in zip(uses, offered.calls, calls_understood(offered.calls, read.calls), strict=True):
        yield (use, call, None, "/calls") if place is None else (use, call, read.calls[place], f"/calls/{place}")


def _as_blocking(x: Exchange, at: str, found: ToolCall) -> bool:
    """Whether the call at ``at`` is understood just so without a stream, which then is not to blame."""
    place = int(at.rpartition("/")[2])
    return x.twin is not None and place < len(x.twin.calls) and x.twin.calls[place].arguments == found.arguments


@check("anthropic.stream.partial-json-concatenated")
def partial_json_concatenated(x: Exchange) -> Verdicts:
    for use, call, found, at in _understood_uses(x):
        if not use.without_input and call.arguments is not None and found is not None:
            right = found.arguments == call.arguments or _as_blocking(x, at, found)
            yield holds(right, f"{at}/arguments", call.arguments, found.arguments)


@check("anthropic.stream.no-args-tool")
def no_args_tool(x: Exchange) -> Verdicts:
    for use, call, found, at in _understood_uses(x):
        if not use.without_input or call.arguments != {}:
            continue
        if found is None:
            yield Finding(at, f"a call of {call.name}", "no such call")
        else:
            right = (found.arguments == {} and not found.invalid) or _as_blocking(x, at, found)
            yield holds(right, f"{at}/arguments", {}, found.raw if found.arguments is None else found.arguments)
