"""What the tests of the chat wires have in common: turns to say, and how to say and hear them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from conformance.deliveries import PLAIN, whole
from conformance.http import FrameStyle, frame
from conformance.model import AssistantTurn, Conversation, Tool, Usage, UserTurn
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.wires import wire
from conformance.wires.base import Wire
from conformance.wires.openai_chat.deviations import Deviations

PROVIDERS = ("openai-chat", "azure", "xai", "deepseek", "mistral")
VOICE = Voice("gpt-test", {"read file": "read_file"}, "seed-1")
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (Tool("read file", "Reads a file.", SCHEMA), Tool("now", "Tells the time."))
ASK = Conversation((UserTurn("Go on."),), TOOLS, model="gpt-test")

READ_A, READ_B = ScriptCall("read file", {"path": "/a"}), ScriptCall("read file", {"path": "/b", "lines": [1, 2.5]})
NOW = ScriptCall("now")
NASTY = ScriptCall("read file", {"path": '😀\u2028"\\\n\u0000', "big": 2**70, "none": None, "deep": {"a": [[], {}]}})
ESCAPED = ScriptCall("read file", raw='{"path": "\\ud83d\\ude00\\n\\\\", "n": -12.5e-3}')

TURNS = {
    "nothing": ScriptTurn(),
    "text": ScriptTurn("Hello, “world” 😀\n"),
    "one_call": ScriptTurn(calls=(READ_A,)),
    "no_arguments": ScriptTurn(calls=(NOW,)),
    "text_and_calls": ScriptTurn("Let me look.", calls=(READ_A, READ_B, NOW)),
    "same_call_twice": ScriptTurn(calls=(READ_A, READ_A, NOW, NOW)),
    "nasty_arguments": ScriptTurn(calls=(NASTY, ESCAPED)),
    "broken_arguments": ScriptTurn(calls=(ScriptCall("now", raw='{"path": "/a"} and more'), READ_A)),
    "reasoning": ScriptTurn(calls=(READ_A, READ_B), reasoning="I should read both files."),
    "silent_reasoning": ScriptTurn("Done.", reasoning=""),
    "refusal": ScriptTurn(refusal="I can't help with that."),
    "text_then_refusal": ScriptTurn("Well.", refusal="No."),
    "filtered": ScriptTurn("It is", stop="refusal"),
    "length": ScriptTurn("Once upon a", stop="length"),
    "length_in_call": ScriptTurn(calls=(READ_A, ScriptCall("now", raw='{"path": "/a')), stop="length"),
    "unknown_finish": ScriptTurn("Fine.", calls=(READ_A,), finish="finished_early"),
    "usage": ScriptTurn("Hi.", usage=Usage(123, 45)),
}


def chat_wire(provider: str) -> Wire:
    """The wire of one of `PROVIDERS`."""
    return wire(provider)


def deviations(provider: str) -> Deviations:
    """What the provider does differently."""
    found: Deviations = wire(provider).build.args[0]  # type: ignore[attr-defined]
    return found


def variants(provider: str) -> Iterator[tuple[str, ScriptTurn]]:
    """Every turn that the provider can say, plainly and with each of its quirks, with a name."""
    speaker = chat_wire(provider)
    for name, turn in TURNS.items():
        if turn.refusal is not None and "refusal" not in speaker.card.capabilities:
            continue
        yield name, turn
        for quirk in sorted(speaker.card.quirks):
            yield f"{name}/{quirk}", replace(turn, quirks=frozenset({quirk}))


def streamed(speaker: Wire, turn: ScriptTurn, style: FrameStyle = PLAIN) -> list[bytes]:
    """The stream that says ``turn``, one item per event."""
    return frame(speaker.render_stream(turn, VOICE), "sse", style)


def read(speaker: Wire, turn: ScriptTurn) -> AssistantTurn:
    """The turn as its blocking response is read."""
    return speaker.read(json.loads(speaker.respond(turn, VOICE).body), ASK)


def heard(speaker: Wire, turn: ScriptTurn) -> AssistantTurn:
    """The turn as its stream is read."""
    return speaker.read_stream(whole(streamed(speaker, turn)), ASK)
