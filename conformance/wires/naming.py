"""Names on the wire: from the application's tool names to names that every provider takes, and back.

The portable form is ``[A-Za-z_][A-Za-z0-9_-]{0,62}``: the letters that all providers share, a first character that
Gemini takes, and the 63 characters of the seed documents' MCP notes. A tool of an MCP server is named
``server__tool``. Names that had to change too much, or that would collide, end in a hash of the original.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

from conformance.model import AssistantTurn, Conversation, Tool

LIMIT = 63
PORTABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}")


def wire_names(tools: Iterable[Tool]) -> dict[str, str]:
    """The wire name of each tool, by application name. Different tools get different names, always the same."""
    tools = list(tools)
    plain = {tool.name: _sanitised(tool) for tool in tools}
    taken = list(plain.values())
    names: dict[str, str] = {}
    for tool in tools:
        wire = plain[tool.name]
        shared = taken.count(wire) > 1 and wire != tool.name
        names[tool.name] = _compact(wire, tool.name) if shared or len(wire) > LIMIT else wire
    return names


def names_in(conversation: Conversation) -> dict[str, str]:
    """The wire names of the declared tools, and of those that are gone: the history calls them, and nobody declares
    them any more. One of these keeps its name if that fits and no declared tool has it on the wire."""
    names = wire_names(conversation.tools)
    taken = set(names.values())
    for turn in conversation.turns:
        for call in turn.calls if isinstance(turn, AssistantTurn) else ():
            if call.name not in names:
                wire = _sanitised(Tool(call.name))
                kept = wire == call.name and len(wire) <= LIMIT and wire not in taken
                names[call.name] = wire if kept else _compact(wire, call.name)
    return names


def application_name(wire_name: str, conversation: Conversation | None) -> str:
    """The application's name of the tool that the model calls ``wire_name``."""
    if conversation is None or conversation.tool(wire_name) is not None:
        return wire_name
    names: Mapping[str, str] = wire_names(conversation.tools)
    return next((name for name, wire in names.items() if wire == wire_name), wire_name)


def _sanitised(tool: Tool) -> str:
    name = "__".join(map(_clean, tool.mcp)) if tool.mcp else _clean(tool.name)
    return name if re.match(r"[A-Za-z_]", name) else f"_{name}"


def _clean(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)


def _compact(wire: str, original: str) -> str:
    mark = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{wire[: LIMIT - 9]}_{mark}"
