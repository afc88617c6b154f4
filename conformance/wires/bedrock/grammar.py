"""Converse: the grammar of an event stream.

    stream   START ─messageStart▶ OPEN ─contentBlock…▶ OPEN … ─messageStop▶ ENDED ─metadata▶ DONE
    block    START ─toolUse▶ CALL ─toolUse delta▶ CALL ─stop▶ CLOSED
             START ─text delta▶ TEXT …               a block of text or thinking has no beginning of its own

Blocks come one after the other and are numbered from 0. An exception ends all.

Sources: botocore 1.44.8 ``ConverseStreamOutput``; 32 recorded streams.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import StreamEvent
from conformance.model import Json
from conformance.wires.bedrock.events import type_and_fields
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

RULE = "bedrock.stream.event-grammar"

STREAM = {
    START: {"messageStart": "OPEN", "exception": "FAILED"},
    "OPEN": {
        "contentBlockStart": "OPEN", "contentBlockDelta": "OPEN", "contentBlockStop": "OPEN", "messageStop": "ENDED",
        "another": "OPEN", "exception": "FAILED",
    },
    "ENDED": {"metadata": "DONE", "another": "ENDED", "exception": "FAILED"},
    "DONE": {},
    "FAILED": {},
}  # fmt: skip
KINDS = frozenset(kind for edges in STREAM.values() for kind in edges)

BLOCK = {
    START: {
        "toolUse": "CALL", "another": "ANY", "text delta": "TEXT", "citation delta": "TEXT",
        "reasoningContent delta": "THINKING",
        "another delta": "ANY", "stop": "CLOSED",
    },
    "CALL": {"toolUse delta": "CALL", "stop": "CLOSED"},
    "TEXT": {"text delta": "TEXT", "citation delta": "TEXT", "stop": "CLOSED"},
    "THINKING": {"reasoningContent delta": "THINKING", "stop": "CLOSED"},
    "ANY": {
        "toolUse delta": "ANY", "text delta": "ANY", "reasoningContent delta": "ANY", "citation delta": "ANY",
        "another delta": "ANY", "stop": "CLOSED",
    },
    "CLOSED": {},
}  # fmt: skip
DELTAS = ("toolUse", "text", "reasoningContent", "citation")

LIBERTIES: Mapping[str, tuple[GrammarLiberty, ...]] = {
    # Fixtures of the AI SDK: they begin with the first block, and say what it cost before they
    # say why it ends, and do not end a text.
    "no_message_start": (
        GrammarLiberty(
            "stream",
            (
                *((START, kind, "OPEN") for kind in ("contentBlockStart", "contentBlockDelta", "contentBlockStop")),
                ("OPEN", "metadata", "OPEN"),
            ),
            ends=frozenset({"ENDED"}),
        ),
        GrammarLiberty("block", ends=frozenset({"TEXT"})),
    ),
}
"""What recorders do differently."""

GRAMMAR = Grammar(
    (
        GrammarLevel(
            "stream", RULE, STREAM, frozenset({"DONE", "FAILED"}), closes={"messageStop": ("block",)},
            broken=frozenset({"FAILED"}),
        ),
        GrammarLevel("block", RULE, BLOCK, frozenset({"CLOSED"})),
    ),
    lambda: converse_tokens,
    LIBERTIES,
)  # fmt: skip


def converse_tokens(event: StreamEvent, data: Json) -> Iterator[Token]:
    """What one event means."""
    name, fields = type_and_fields(data)
    block = _block_kind(name, fields)
    if block is not None:
        index = fields.get("contentBlockIndex")
        yield Token("block", (index if isinstance(index, int) else -1,), block, f"/{name}")
    yield Token("stream", (), _stream_kind(name))


def _stream_kind(name: str) -> str:
    if name.endswith("Exception"):
        return "exception"
    if not name:
        return "no event"
    return name if name in KINDS else "another"


def _block_kind(name: str, fields: Mapping[str, Json]) -> str | None:
    match name:
        case "contentBlockStart":
            return "toolUse" if "toolUse" in obj(fields.get("start")) else "another"
        case "contentBlockDelta":
            found = next((kind for kind in DELTAS if kind in obj(fields.get("delta"))), "another")
            return f"{found} delta"
        case "contentBlockStop":
            return "stop"
    return None


# --- blocking answers ------------------------------------------------------------------------------------------------


def looks(document: Json) -> Looks:
    """An answer with a message."""
    at, content = "/output/message/content", obj(obj(obj(document).get("output")).get("message")).get("content")
    if "output" not in obj(document) and "message" in obj(document):
        return
    yield Look(isinstance(content, list), at, "a list of blocks", content)
    for place, block in items(content):
        if "toolUse" in obj(block):
            use = obj(obj(block)["toolUse"])
            yield from named(use, f"{at}/{place}/toolUse", "toolUseId", "name")
            arguments = use.get("input")
            yield Look(isinstance(arguments, dict), f"{at}/{place}/toolUse/input", "an object", arguments, True)


BODY_GRAMMAR = BodyGrammar("bedrock.parse.tool-use-blocks", looks)
