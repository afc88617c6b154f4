# pip install 'aisuite[mcp]==0.2.0'
# A tool of an MCP server whose schema has an optional parameter before a required one cannot be used.
#   expected: a function for the tool
#   found:    ValueError: non-default argument follows default argument

from aisuite.mcp.tool_wrapper import create_mcp_tool_wrapper


class Server:  # where `MCPClient` stands, which makes such a function of each tool of a server
    def call_tool(self, name, arguments):
        return "booked"


SCHEMA = {
    "type": "object",
    "properties": {"minutes": {"type": "integer"}, "room": {"type": "string"}},
    "required": ["room"],
}
tool = create_mcp_tool_wrapper(Server(), "book_room", {"description": "Books a room.", "inputSchema": SCHEMA})
print("<--", tool, tool.__signature__)
