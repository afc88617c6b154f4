"""What the tests of the Responses wire have in common: turns to say, and how to say and hear them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from conformance.deliveries import PLAIN
from conformance.http import FrameStyle, StreamEvent, frame
from conformance.model import AssistantTurn, Conversation, ResultsTurn, Tool, ToolResult, Usage, UserTurn
from conformance.script import ScriptCall, ScriptTurn, ServerSearch, Voice
from conformance.wires import wire

WIRE = wire("openai-responses")
VOICE = Voice("gpt-test", {"read file": "read_file"}, "seed-1")
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (Tool("read file", "Reads a file.", SCHEMA), Tool("now", "Tells the time."))
ASK = Conversation((UserTurn("Go on."),), TOOLS, model="gpt-test")

READ_A, READ_B = ScriptCall("read file", {"path": "/a"}), ScriptCall("read file", {"path": "/b", "lines": [1, 2.5]})
NOW = ScriptCall("now")
NASTY = ScriptCall("read file", {"path": '😀\u2028"\\\n\u0000', "big": 2**70, "none": None, "deep": {"a": [[], {}]}})
ESCAPED = ScriptCall("read file", raw='{"path": "\\ud83d\\ude00\\n\\\\", "n": -12.5e-3}')
SEARCH = ServerSearch("weather in Oslo", "Weather", "https://example.org/oslo")

TURNS = {
    "nothing": ScriptTurn(),
    "text": ScriptTurn("Hello, “world” 😀\n"),
    "one_call": ScriptTurn(calls=(READ_A,)),
    "text_and_calls": ScriptTurn("Let me look.", calls=(READ_A, READ_B, NOW)),
    "nasty_arguments": ScriptTurn(calls=(NASTY, ESCAPED)),
    "broken_arguments": ScriptTurn(calls=(ScriptCall("now", raw='{"path": "/a"} and more'), READ_A)),
    "reasoning": ScriptTurn(calls=(READ_A, READ_B), reasoning="I should read both files."),
    "silent_reasoning": ScriptTurn("Done.", reasoning=""),
    "refusal": ScriptTurn(refusal="I can't help with that."),
    "text_then_refusal": ScriptTurn("Well.", refusal="No."),
    "filtered": ScriptTurn("It is", stop="refusal"),
    "search": ScriptTurn("It rains.", search=SEARCH),
    "search_and_call": ScriptTurn("It rains.", calls=(READ_A,), search=SEARCH, reasoning="Look it up."),
    "length": ScriptTurn("Once upon a", stop="length"),
    "length_in_call": ScriptTurn(calls=(READ_A, ScriptCall("now", raw='{"path": "/a')), stop="length"),
    "length_after_call": ScriptTurn(calls=(READ_A,), stop="length"),
    "unknown_status": ScriptTurn("Fine.", calls=(READ_A,), finish="finished_early"),
    "usage": ScriptTurn("Hi.", usage=Usage(123, 45)),
}

FAILURES = {
    "server": ("server_error", True, "response.failed"),
    "overloaded": ("server_error", True, "response.failed"),
    "invalid_request": ("invalid_prompt", False, "response.failed"),
    "rate_limit": ("rate_limit_exceeded", True, "error"),
    "authentication": ("invalid_api_key", False, "error"),
}
"""For each kind of error inside a stream: its code, whether trying again may help, and the event that says it."""


def variants(turn: ScriptTurn) -> Iterator[ScriptTurn]:
    """``turn`` without quirks, with each one, and with all of them."""
    for quirks in (frozenset[str](), *(frozenset({quirk}) for quirk in sorted(WIRE.card.quirks)), WIRE.card.quirks):
        yield replace(turn, quirks=quirks)


def read(turn: ScriptTurn, conversation: Conversation | None = ASK) -> AssistantTurn:
    """What is understood of the blocking response that says ``turn``."""
    return WIRE.read_response(WIRE.respond(turn, VOICE), conversation)


def streamed(turn: ScriptTurn, style: FrameStyle = PLAIN) -> list[bytes]:
    """The stream that says ``turn``, one item per event."""
    return frame(WIRE.render_stream(turn, VOICE), "sse", style)


def documents(turn: ScriptTurn) -> list[dict[str, Any]]:
    """The decoded events of the stream that says ``turn``."""
    return [json.loads(event.data) for event in WIRE.render_stream(turn, VOICE)]


def events(*said: dict[str, Any]) -> list[StreamEvent]:
    """Documents as events."""
    return [StreamEvent(json.dumps(document)) for document in said]


def results(turn: AssistantTurn, *content: Any) -> ResultsTurn:
    """The same result for each call of ``turn``, the last call's first."""
    return ResultsTurn(tuple(ToolResult(call.id, call.name, content) for call in reversed(turn.calls)))
