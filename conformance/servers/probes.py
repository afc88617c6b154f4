"""What a server is asked: conversations that need nothing of its model but an answer.

Each is asked blocking and as a stream. Whether the model calls, and what it says, is its own choice; what it looks
like on the wire is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from conformance.model import Conversation, ResultsTurn, TextPart, Tool, ToolChoice, ToolResult, UserTurn

READ = Tool(
    "read_file", "Reads a text file and returns what is in it.",
    {
        "type": "object", "properties": {"path": {"type": "string", "description": "The path of the file."}},
        "required": ["path"],
    },
)  # fmt: skip
SEARCH = Tool(
    "search_files", "Searches files for a text and returns the lines that have it.",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100},
            "order": {"type": "string", "enum": ["name", "date"]},
            "folders": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["text", "limit"],
    },
)  # fmt: skip
CLOCK = Tool("current_time", "Tells the time.", {"type": "object", "properties": {}})

TOOLS = (READ, SEARCH, CLOCK)
WORDS = "Say hello in one short sentence."
READING = "Read the file notes.txt with the tool read_file."
BOTH = "Read notes.txt and plan.txt, both at once, with two calls of the tool read_file."
TIME = "What time is it?"
SEEKING = "Find the text alpha with the tool search_files, at most 5 lines."


@dataclass(frozen=True, slots=True)
class Probe:
    """A conversation with which a server is asked. ``title`` is for people."""

    id: str
    title: str
    conversation: Conversation


def _asked(text: str, *tools: Tool, mode: str = "auto", name: str | None = None) -> Conversation:
    choice = ToolChoice("tool", name) if name is not None else ToolChoice(mode)  # type: ignore[arg-type]
    return Conversation((UserTurn(text),), tools, choice, max_tokens=256)


PROBES = (
    Probe("text", "a text, without tools", _asked(WORDS)),
    Probe("text-beside-tools", "a text, though tools are declared", _asked(WORDS, *TOOLS)),
    Probe("call", "a call, if the model likes", _asked(READING, *TOOLS)),
    Probe("call-of-one", "a call of the only tool", _asked(READING, READ)),
    Probe("calls", "two calls at once, if the model likes", _asked(BOTH, *TOOLS)),
    Probe("required", "some call that the request asks for", _asked(READING, *TOOLS, mode="required")),
    Probe("named", "a call of the tool that the request names", _asked(SEEKING, *TOOLS, name="search_files")),
    Probe("none", "no call, because the request says so", _asked(READING, *TOOLS, mode="none")),
    Probe("no-arguments", "a call of a tool that takes nothing", _asked(TIME, CLOCK, name="current_time")),
    Probe("short", "an answer that the token limit cuts", replace(_asked(READING, READ), max_tokens=5)),
)  # fmt: skip

RESULTS: Mapping[str, str] = {"read_file": "alpha-7731", "search_files": "notes.txt:1: alpha", "current_time": "12:00"}


def with_results(answered: Conversation) -> Conversation:
    """A conversation that ends with the model's calls, and its tools' results after them."""
    turn = answered.turns[-1]
    calls = getattr(turn, "calls", ())
    results = [ToolResult(call.id, call.name, (TextPart(RESULTS.get(call.name, "done")),)) for call in calls]
    return replace(answered.then(ResultsTurn(tuple(results))), choice=ToolChoice())
