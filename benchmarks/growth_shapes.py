"""What is large for the measurement of growth: conversations and answers that are large in one way."""

from __future__ import annotations

from conformance.model import (
    AssistantTurn,
    Conversation,
    Json,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
)
from conformance.script import ScriptCall, ScriptTurn

TOOL = Tool("read_file", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
DEEPEST = 400
"""How deep documents nest at most: what is deeper is refused, or cut, wherever it comes from."""


def _calls(size: int, name: str = "read_file") -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"call_{number:024d}", name, {"path": f"/{number}"}) for number in range(size))


def _results(calls: tuple[ToolCall, ...]) -> ResultsTurn:
    return ResultsTurn(tuple(ToolResult(call.id, call.name, (TextPart(f"of {call.id}"),)) for call in calls))


def _asking(*turns: Turn) -> Conversation:
    return Conversation((UserTurn("Go on."), *turns), (TOOL,), model="m")


# --- requests --------------------------------------------------------------------------------------------------------


def one_turn(size: int) -> Conversation:
    """Many calls in one turn."""
    calls = _calls(size)
    return _asking(AssistantTurn(calls=calls, stop="tool_calls"), _results(calls))


def rounds(size: int) -> Conversation:
    """Many turns with a call each."""
    turns: list[Turn] = []
    for call in _calls(size // 2):
        turns += [AssistantTurn(calls=(call,), stop="tool_calls"), _results((call,))]
    return _asking(*turns)


def words_between(size: int) -> Conversation:
    """Many turns of words, and results that hold the same words."""
    turns: list[Turn] = []
    for call in _calls(size // 4):
        turns += [AssistantTurn(f"I look at {call.id}.", (call,), stop="tool_calls"), _results((call,))]
        turns += [AssistantTurn("of what"), UserTurn("Go on.")]
    return _asking(*turns)


def tools(size: int) -> Conversation:
    """Many tools."""
    many = tuple(Tool(f"tool_{number}", f"Does {number}.", TOOL.parameters) for number in range(size))
    return Conversation((UserTurn("Go on."),), many, model="m")


def unknown_names(size: int) -> Conversation:
    """Many calls of tools that are not declared, whose names no format takes as they are."""
    calls = tuple(ToolCall(f"c{number}", f"näme {number}", {}) for number in range(size))
    return _asking(AssistantTurn(calls=calls, stop="tool_calls"), _results(calls))


def schema(size: int) -> Conversation:
    """A tool with many parameters."""
    properties = {f"p{number}": {"type": "string"} for number in range(size)}
    wide = {"type": "object", "properties": properties, "required": list(properties)}
    return Conversation((UserTurn("Go on."),), (Tool("wide", "Takes much.", wide),), model="m")


def unions(size: int) -> Conversation:
    """A tool with a parameter of many kinds, each with a reference."""
    kinds = [{"$ref": f"#/$defs/d{number}"} for number in range(size)]
    definitions = {f"d{number}": {"type": "object", "description": f"{number}"} for number in range(size)}
    wide = {"type": "object", "properties": {"p": {"anyOf": kinds}}, "$defs": definitions}
    return Conversation((UserTurn("Go on."),), (Tool("wide", "Takes much.", wide),), model="m")


def deep_schemas(size: int) -> Conversation:
    """Tools with parameters that nest deeply."""
    inner: Json = {"type": "string"}
    for _ in range(min(size, DEEPEST // 4)):
        inner = {"type": "object", "properties": {"p": inner}}
    many = tuple(Tool(f"deep_{number}", "Nests.", inner) for number in range(max(1, size // DEEPEST)))
    return Conversation((UserTurn("Go on."),), many, model="m")


def arguments(size: int) -> Conversation:
    """A call with many arguments."""
    call = ToolCall("call_1", "read_file", {f"p{number}": number for number in range(size)})
    return _asking(AssistantTurn(calls=(call,), stop="tool_calls"), _results((call,)))


def text(size: int) -> Conversation:
    """A long result, and long words."""
    call, words = ToolCall("call_1", "read_file", {}), "Ä word\n" * size
    result = ToolResult("call_1", "read_file", (TextPart(words),))
    return _asking(AssistantTurn(words, (call,), stop="tool_calls"), ResultsTurn((result,)))


def one_character(size: int) -> Conversation:
    """A long result of one character, which is a blank."""
    call = ToolCall("call_1", "read_file", {"path": " " * 10 * size})
    result = ToolResult("call_1", "read_file", (TextPart("\t" * 10 * size + "x"),))
    return _asking(AssistantTurn(" " * 10 * size + "x", (call,), stop="tool_calls"), ResultsTurn((result,)))


def parts(size: int) -> Conversation:
    """A result of many parts."""
    call = ToolCall("call_1", "read_file", {})
    result = ToolResult("call_1", "read_file", tuple(TextPart(f"part {number}") for number in range(size)))
    return _asking(AssistantTurn("", (call,), stop="tool_calls"), ResultsTurn((result,)))


# --- answers ---------------------------------------------------------------------------------------------------------


def many_calls(size: int) -> ScriptTurn:
    """An answer with many calls."""
    return ScriptTurn(calls=tuple(ScriptCall("read_file", {"path": f"/{number}"}) for number in range(size)))


def long_arguments(size: int) -> ScriptTurn:
    """An answer with a call whose arguments are long."""
    return ScriptTurn(calls=(ScriptCall("read_file", {f"p{number}": "x" for number in range(size)}),))


def long_text(size: int) -> ScriptTurn:
    """An answer of many words."""
    return ScriptTurn(text="Ä word\n" * size)


REQUESTS = (
    one_turn, rounds, words_between, tools, unknown_names, schema, unions, deep_schemas, arguments, text, one_character,
    parts,
)  # fmt: skip
ANSWERS = (many_calls, long_arguments, long_text)
