"""The openai SDK: calls of tools that OpenAI defined and the application runs, shells and patches, and their outputs;
and what OpenAI asks before it calls a tool of an MCP server.

Sources: https://platform.openai.com/docs/guides/tools-shell and https://platform.openai.com/docs/guides/tools-apply-patch;
openai 3.57.0 ``openai.types.responses.response_input_item_param``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.adapters.libraries.application import call_of
from conformance.model import (
    AssistantTurn,
    Conversation,
    Json,
    JsonPart,
    Tool,
    ToolCall,
    ToolResult,
    compact_json,
    result_text,
)

ASKS = "mcp_approval_request"
"""The type of the items by which OpenAI asks before it calls a server."""

MEMBERS: Mapping[str, str] = {"local_shell_call": "action", "shell_call": "action", "apply_patch_call": "operation"}
"""The member of an item that holds what is to be run, by the item's type."""


def declared_kind(kind: str) -> Json:
    """A tool of one of the kinds, to be run here."""
    return {"type": "shell", "environment": {"type": "local"}} if kind == "shell" else {"type": kind}


def declared_server(tool: Tool) -> Json:
    """An MCP server that OpenAI calls, and asks about each call."""
    return {"type": "mcp", "server_label": tool.name, "server_url": tool.server, "require_approval": "always"}


def is_kind_call(item: Any) -> bool:
    """Whether an item of the SDK's is a call for the application, or asks about one. What has a container is run by
    OpenAI."""
    environment = getattr(item, "environment", None)
    known = item.type in MEMBERS or item.type == ASKS
    return known and getattr(environment, "type", None) != "container_reference"


def kind_id(item: Any) -> str:
    """The id by which a call is answered."""
    own: str = item.id if item.type == ASKS else item.call_id
    return own


def kind_name(item: Any, conversation: Conversation) -> str:
    """The application's name of the tool that an item calls."""
    if item.type == ASKS:
        return str(item.server_label)
    kind: str = item.type.removesuffix("_call")
    return next((tool.name for tool in conversation.tools if tool.kind == kind), kind)


def kind_call_of(item: Any, conversation: Conversation) -> ToolCall:
    """The call that an item of the SDK's is."""
    if item.type == ASKS:
        asked = call_of(item.id, item.server_label, item.arguments, conversation)
        return asked if asked.invalid else replace(asked, arguments={"name": item.name, "arguments": asked.arguments})
    given = getattr(item, MEMBERS[item.type]).to_dict()
    return ToolCall(item.call_id, kind_name(item, conversation), given)


def kind_call_item(kind: str, call_id: str, call: ToolCall) -> Json:
    """A call of another model's, as an item."""
    if kind == "mcp":
        asked = call.arguments or {}
        said = {"name": asked.get("name"), "arguments": compact_json(asked.get("arguments") or {})}
        return {"type": ASKS, "id": call_id, "server_label": call.name, **said}
    own = {"id": f"lsh_{call_id}"[:64]} if kind == "local_shell" else {}
    given = {MEMBERS[f"{kind}_call"]: call.arguments or {}}
    return {"type": f"{kind}_call", **own, "call_id": call_id, "status": "completed", **given}


def kind_output(kind: str, call_id: str, result: ToolResult, conversation: Conversation) -> Json:
    """The item that answers a call."""
    if kind == "mcp":
        return {"type": "mcp_approval_response", "approval_request_id": call_id, "approve": not result.is_error}
    answer: dict[str, Json] = {"type": f"{kind}_call_output", "call_id": call_id}
    text = result_text(result)
    if kind == "apply_patch":
        return {**answer, "status": "failed" if result.is_error else "completed", "output": text}
    if kind == "local_shell":
        return {**answer, "id": call_id, "output": text}
    limit = _limit(result.call_id, conversation)
    limited = {} if limit is None else {"max_output_length": limit}
    match result.content:
        case (JsonPart(list() as outcomes),):
            return {**answer, **limited, "output": outcomes}
    outcome = {"type": "exit", "exit_code": int(result.is_error)}
    streams = {"stdout": "", "stderr": text} if result.is_error else {"stdout": text, "stderr": ""}
    return {**answer, **limited, "output": [{**streams, "outcome": outcome}]}


def _limit(call_id: str, conversation: Conversation) -> Json:
    turns = (turn for turn in reversed(conversation.turns) if isinstance(turn, AssistantTurn))
    calls = (call for turn in turns for call in turn.calls if call.id == call_id)
    return next(((call.arguments or {}).get("max_output_length") for call in calls), None)
