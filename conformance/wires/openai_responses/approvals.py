"""OpenAI Responses: the provider calls a tool of an MCP server itself, and asks before it does.

    {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "dice", "name": "roll", "arguments": "{}"}
    {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true}

In neutral words: a call of the tool ``dice``, which is given ``{"name": "roll", "arguments": {}}``. The user
accepts or rejects it, and it has no result: what the server says comes as items of the provider's own.

Sources: openai 3.57.0 ``openai.types.responses.response_input_item_param`` (McpApprovalRequest,
McpApprovalResponse); https://platform.openai.com/docs/guides/tools-connectors-mcp (Approvals); recorded traffic of
api.openai.com with both items (vercel/ai openai-mcp-tool-approval; openai/openai-dotnet MCPToolAlwaysRequiresApproval).
"""

from __future__ import annotations

from conformance.model import Decision, Json, Tool, ToolCall, compact_json
from conformance.wires.base import parse_arguments
from conformance.wires.facts import Object, SentCall, obj, object_of

KIND, REQUEST, RESPONSE = "mcp", "mcp_approval_request", "mcp_approval_response"


def declared_server(tool: Tool) -> dict[str, Json]:
    """How a server is declared, so that each call is asked about."""
    return {"type": KIND, "server_label": tool.name, "server_url": tool.server, "require_approval": "always"}


def asked_call(call_id: str, item: Object) -> ToolCall:
    """The call that a request for approval is about."""
    label = str(item.get("server_label") or "")
    arguments, raw, invalid = parse_arguments(item.get("arguments"))
    given = None if arguments is None else {"name": item.get("name"), "arguments": arguments}
    return ToolCall(call_id, label, given, raw, invalid)


def request_item(item_id: str | None, label: str, given: Object) -> dict[str, Json]:
    """A request for approval."""
    arguments = compact_json(given.get("arguments") or {})
    return {"id": item_id, "type": REQUEST, "arguments": arguments, "name": given.get("name"), "server_label": label}


def response_item(request_id: str, decision: Decision) -> dict[str, Json]:
    """The user's decision."""
    return {"type": RESPONSE, "approval_request_id": request_id, "approve": decision.accept}


def asked_of(at: str, item: Object) -> SentCall:
    """A replayed request for approval. Its name is the server's label."""
    arguments = object_of(item.get("arguments"))
    return SentCall(
        at=at,
        id=item.get("id"),
        name=item.get("server_label"),
        raw=item.get("arguments"),
        arguments=None if arguments is None else {"name": item.get("name"), "arguments": arguments},
        id_at=f"{at}/id",
        name_at=f"{at}/server_label",
        arguments_at=f"{at}/arguments",
        kind=KIND,
    )


def is_request(item: Json) -> bool:
    """Whether an item asks for approval."""
    return obj(item).get("type") == REQUEST
