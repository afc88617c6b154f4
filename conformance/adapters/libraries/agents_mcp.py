"""An MCP server for openai-agents that is in this process: an `MCPServer` of the application's own.

What the library does with a server's tools and results is the same for all servers.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import mcp.types
from agents.mcp import MCPServer

from conformance.adapters.contract import AgentTool
from conformance.adapters.libraries.application import function_schema
from conformance.model import ImagePart, Json, Part, ResourcePart, mcp_block, part_text, result_text


class ToolServer(MCPServer):
    """A server with these tools."""

    def __init__(self, tools: Mapping[str, AgentTool]) -> None:
        super().__init__()
        self._tools = tools

    @property
    def name(self) -> str:
        """What the server is called."""
        return "conformance"

    async def connect(self) -> None:
        """There is nothing to connect to."""

    async def cleanup(self) -> None:
        """There is nothing to end."""

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[mcp.types.Tool]:
        """The tools, with their schemas."""
        return [
            mcp.types.Tool.model_validate(
                {"name": name, "description": tool.tool.description, "inputSchema": function_schema(tool.tool)}
            )
            for name, tool in self._tools.items()
        ]

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> mcp.types.CallToolResult:
        """What a tool gives: text, or block by block where there are resources. A failure is marked."""
        result = self._tools[tool_name](arguments or {})
        blocks = [{"type": "text", "text": result_text(result)}]
        if any(isinstance(part, ResourcePart) for part in result.content):
            blocks = [_block(part) for part in result.content]
        return mcp.types.CallToolResult.model_validate({"content": blocks, "isError": result.is_error})

    async def list_prompts(self) -> mcp.types.ListPromptsResult:
        """There are none."""
        return mcp.types.ListPromptsResult(prompts=[])

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> mcp.types.GetPromptResult:
        """There are none. Raises `KeyError`."""
        raise KeyError(name)


def _block(part: Part) -> Json:
    """A part of a result as MCP has it."""
    if isinstance(part, ResourcePart):
        return mcp_block(part)
    if isinstance(part, ImagePart):
        return {"type": "image", "mimeType": part.media_type, "data": base64.b64encode(part.data).decode()}
    return {"type": "text", "text": part_text(part)}
