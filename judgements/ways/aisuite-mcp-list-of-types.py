# pip install 'aisuite[mcp]==0.2.0'
# A tool of an MCP server with a list of types in its schema ("type": ["string", "null"]) cannot be used.
#   expected: a function for the tool
#   found:    TypeError: unhashable type: 'list'

from aisuite.mcp.tool_wrapper import create_mcp_tool_wrapper


class Server:  # where `MCPClient` stands, which makes such a function of each tool of a server
    def call_tool(self, name, arguments):
        return "set"


SCHEMA = {"type": "object", "properties": {"label": {"type": ["string", "null"]}}, "required": ["label"]}
tool = create_mcp_tool_wrapper(Server(), "set_label", {"description": "Sets a label.", "inputSchema": SCHEMA})
print("<--", tool, tool.__signature__)
