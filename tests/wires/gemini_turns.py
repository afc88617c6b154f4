"""What the tests of the Gemini wire share: tools, scripted turns and small makers."""

from __future__ import annotations

import json

from conformance.http import Request, StreamEvent
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    ResultsTurn,
    TextPart,
    Tool,
    ToolResult,
    UserTurn,
)
from conformance.script import ScriptCall, ScriptTurn, ServerSearch, Voice
from conformance.wires.gemini.wire import WIRE
from conformance.wires.naming import wire_names

READ = Tool(
    "read file",
    "Reads a file.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer"},
            "ranges": {"type": "array", "items": {"type": "object", "properties": {"from": {"type": "integer"}}}},
            "ratio": {"type": "number"},
        },
    },
)
NOW = Tool("now", "Tells the time.")
TOOLS = (READ, NOW)
NAMES = wire_names(TOOLS)
VOICE = Voice("gemini-3-pro", NAMES, "seed")
ASKED = Conversation((UserTurn("go"),), TOOLS)

PATH = '/ü/\u2028\U0001f600"\\'
ARGUMENTS = {"path": PATH, "limit": 5, "ranges": [{"from": 1}], "ratio": 0.5, "x": [None, True, {}]}
CALLS = (ScriptCall(READ.name, ARGUMENTS), ScriptCall(NOW.name), ScriptCall(READ.name, {"path": ""}))
SEARCH = ServerSearch("who", "Title", "https://example.org/a")

TURNS = {
    "text": ScriptTurn("Grüße, 世界 \U0001f600\nline"),
    "empty": ScriptTurn(),
    "one-call": ScriptTurn(calls=CALLS[:1]),
    "calls": ScriptTurn(calls=CALLS),
    "text-and-calls": ScriptTurn("Let me look.", CALLS),
    "own-id": ScriptTurn(calls=(ScriptCall(NOW.name, {}, id="fc-1"),)),
    "thinking-text": ScriptTurn("Hi.", reasoning="Say hi."),
    "thinking-calls": ScriptTurn("Wait.", CALLS, reasoning="Look first."),
    "thinking-only": ScriptTurn(reasoning=""),
    "search": ScriptTurn("Found.", search=SEARCH),
    "length": ScriptTurn("cut o", stop="length"),
    "refusal": ScriptTurn(refusal="No."),
    "blocked": ScriptTurn(stop="refusal"),
    "malformed": ScriptTurn(finish="MALFORMED_FUNCTION_CALL"),
    "unknown-finish": ScriptTurn(calls=CALLS[:2], finish="FUNCTION_CALL"),
}
QUIRKS = [frozenset(), *(frozenset({quirk}) for quirk in sorted(WIRE.card.quirks)), WIRE.card.quirks]


ONE, TWO = TURNS["one-call"], ScriptTurn(calls=CALLS[:2], reasoning="plan")
IMAGE = (TextPart("seen"), ImagePart("image/png", b"\x00\x01"))
INLINE = {"inlineData": {"mimeType": "image/png", "data": "AAE="}}
SUMMARY = "seen\nBinary content of type image/png was processed."


def signatures(turn: AssistantTurn) -> list[str]:
    return [part["thoughtSignature"] for part in turn.opaque["gemini_parts"] if "thoughtSignature" in part]


def body_of(request: Request):
    return json.loads(request.body)


def finished(*contents, order=None, error=False):
    """A results turn whose results came in ``order``."""

    def make(turn):
        made = [
            ToolResult(call.id, call.name, content, error) for call, content in zip(turn.calls, contents, strict=False)
        ]
        return ResultsTurn(tuple(made[place] for place in order or range(len(made))))

    return make


def pieces(*fragments, finish="STOP"):
    candidates = [{"content": {"role": "model", "parts": [fragment]}} for fragment in fragments]
    candidates[-1]["finishReason"] = finish
    return [StreamEvent(json.dumps({"candidates": [candidate]})) for candidate in candidates]


def piece(path=None, more=True, **value):
    partial = {"partialArgs": [{"jsonPath": path, **value}]} if path else {}
    return {"functionCall": {**partial, **({"willContinue": True} if more else {})}}


def opening(name="now", **fields):
    return {"functionCall": {"name": name, "willContinue": True}, **fields}
