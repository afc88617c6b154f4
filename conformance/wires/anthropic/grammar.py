"""Messages: the grammar of an event stream.

    stream   START ─message_start▶ OPEN ─block_start▶ BLOCK ─block_delta▶ BLOCK ─block_stop▶ OPEN …
                                   OPEN ─message_delta▶ ENDING ─message_stop▶ DONE
    block    START ─text▶ TEXT ─text_delta▶ TEXT … ─stop▶ CLOSED        and so on for each type of block

Blocks come one after the other and are numbered from 0: a delta or a stop names the block that is open. What a delta
may add depends on the block's type; a type that is not known may take any. A ``message_delta`` with the stop reason
stands between the last block and ``message_stop``. ``ping`` means nothing and may come anywhere, as may events that are
yet to be invented; ``error`` ends all. The SSE event name repeats the type: the official SDK ignores events without it.

Sources: platform.claude.com, "Streaming messages"; ``anthropic.types.RawMessageStreamEvent``; 321 recorded streams.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import StreamEvent
from conformance.model import Json
from conformance.wires.facts import items, obj
from conformance.wires.grammar import (
    START,
    BodyGrammar,
    Grammar,
    GrammarLevel,
    GrammarLiberty,
    Look,
    Looks,
    Token,
    named,
)

RULE = "anthropic.stream.event-grammar"

STREAM = {
    START: {"message_start": "OPEN", "ping": START, "error": "FAILED"},
    "OPEN": {
        "content_block_start": "BLOCK", "message_delta": "ENDING", "ping": "OPEN", "another": "OPEN", "error": "FAILED",
    },
    "BLOCK": {
        "content_block_delta": "BLOCK", "content_block_stop": "OPEN", "ping": "BLOCK", "another": "BLOCK",
        "error": "FAILED",
    },
    "ENDING": {
        "message_delta": "ENDING", "message_stop": "DONE", "ping": "ENDING", "another": "ENDING", "error": "FAILED",
    },
    "DONE": {},
    "FAILED": {},
}
_KINDS = frozenset(kind for edges in STREAM.values() for kind in edges)

BLOCK = {
    START: {
        "text": "TEXT", "thinking": "THINKING", "redacted_thinking": "WHOLE", "compaction": "COMPACTION",
        "tool_use": "TOOL", "server_tool_use": "TOOL", "mcp_tool_use": "TOOL", "a result": "WHOLE", "another": "ANY",
    },
    "TEXT": {"text_delta": "TEXT", "citations_delta": "TEXT", "stop": "CLOSED"},
    "THINKING": {"thinking_delta": "THINKING", "signature_delta": "SIGNED", "stop": "CLOSED"},
    "SIGNED": {"signature_delta": "SIGNED", "stop": "CLOSED"},
    "TOOL": {"input_json_delta": "TOOL", "stop": "CLOSED"},
    "COMPACTION": {"compaction_delta": "COMPACTION", "stop": "CLOSED"},
    "WHOLE": {"stop": "CLOSED"},
    "ANY": {
        "text_delta": "ANY", "citations_delta": "ANY", "thinking_delta": "ANY", "signature_delta": "ANY",
        "input_json_delta": "ANY", "compaction_delta": "ANY", "another delta": "ANY", "stop": "CLOSED",
    },
    "CLOSED": {},
}  # fmt: skip

LIBERTIES: Mapping[str, tuple[GrammarLiberty, ...]] = {
    # No event names: what an SDK or a fixture wrote down, and proxies.
    "no_event_names": tuple(
        GrammarLiberty("stream", ((state, f"{kind} without event name", after),))
        for state, edges in STREAM.items()
        for kind, after in edges.items()
    ),
    # Several answers one after the other in one fixture.
    "joined": (
        GrammarLiberty("stream", (("DONE", "message_start", "OPEN"), ("OPEN", "message_stop", "DONE"))),
    ),
}
"""What recorders and proxies do differently."""

GRAMMAR = Grammar(
    (
        GrammarLevel("stream", RULE, STREAM, frozenset({"DONE", "FAILED"}), broken=frozenset({"FAILED"})),
        GrammarLevel("block", RULE, BLOCK, frozenset({"CLOSED"})),
    ),
    lambda: AnthropicSpeaker(),
    LIBERTIES,
)


class AnthropicSpeaker:
    """Says what the events of one stream mean."""

    def __init__(self) -> None:
        self._message = 0

    def __call__(self, event: StreamEvent, data: Json) -> Iterator[Token]:
        fields = obj(data)
        kind = str(fields.get("type"))
        yield Token("stream", (), _stream_kind(kind, event.event, fields), "/type")
        if kind == "message_start":
            self._message += 1
        block = _block_kind(kind, fields)
        if block is not None:
            index = fields.get("index")
            own = index if isinstance(index, int) else -1
            yield Token("block", (self._message, own), block, "/index" if own < 0 else f"/{block_place(kind)}")


def _stream_kind(kind: str, name: str | None, fields: Mapping[str, Json]) -> str:
    if not fields:
        return "no event"
    word = kind if kind in _KINDS else "another"
    if name is None:
        return f"{word} without event name"
    return word if name == kind else f"{kind} under the event name {name}"


def _block_kind(kind: str, fields: Mapping[str, Json]) -> str | None:
    """What an event means for the block that it names."""
    match kind:
        case "content_block_start":
            started = str(obj(fields.get("content_block")).get("type"))
            return started if started in BLOCK[START] else "a result" if started.endswith("_result") else "another"
        case "content_block_delta":
            delta = str(obj(fields.get("delta")).get("type"))
            return delta if delta in BLOCK["ANY"] else "another delta"
        case "content_block_stop":
            return "stop"
    return None


def block_place(kind: str) -> str:
    """Where in an event its block's news stand."""
    return {"content_block_start": "content_block/type", "content_block_delta": "delta/type"}.get(kind, "index")


# --- blocking answers ------------------------------------------------------------------------------------------------


def looks(document: Json) -> Looks:
    """A message."""
    content = obj(document).get("content")
    if obj(document).get("error"):
        return
    yield Look(isinstance(content, list), "/content", "a list of blocks", content)
    for place, block in items(content):
        if obj(block).get("type") == "tool_use":
            yield from named(block, f"/content/{place}", "id", "name")
            arguments = block.get("input")
            yield Look(isinstance(arguments, dict), f"/content/{place}/input", "an object", arguments, True)


BODY_GRAMMAR = BodyGrammar("anthropic.parse.tool-use-blocks", looks)
