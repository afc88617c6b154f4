"""Messages, provider half: blocks of tools that the provider runs itself.

Sources: ``anthropic.types.beta`` of the official SDK, and recorded traffic of api.anthropic.com, in which each of these
kinds, with these members, was sent. What they say is made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.model import Json
from conformance.script import Voice
from conformance.wires.base import mint

DIRECT: dict[str, Json] = {"caller": {"type": "direct"}}
RAN: dict[str, Json] = {"content": [], "return_code": 0, "stderr": "", "stdout": "42\n"}
PAGE = {
    "type": "web_fetch_result", "url": "https://example.org/harbour", "retrieved_at": "2026-02-07T12:00:00+00:00",
    "content": {
        "type": "document", "title": "Harbour",
        "source": {"type": "text", "media_type": "text/plain", "data": "Open from eight to four."},
    },
}  # fmt: skip

PAIRS: Sequence[tuple[str, dict[str, Json], str, dict[str, Json]]] = (
    ("web_fetch", {"url": "https://example.org/harbour"}, "web_fetch_tool_result", {"content": PAGE, **DIRECT}),
    (
        "bash_code_execution", {"command": "echo 42"}, "bash_code_execution_tool_result",
        {"content": {"type": "bash_code_execution_result", **RAN}},
    ),
    (
        "code_execution", {"code": "print(42)"}, "code_execution_tool_result",
        {"content": {"type": "code_execution_result", **RAN}},
    ),
    (
        "text_editor_code_execution", {"command": "create", "path": "a.txt", "file_text": "a"},
        "text_editor_code_execution_tool_result",
        {"content": {"type": "text_editor_code_execution_create_result", "is_file_update": False}},
    ),
    (
        "text_editor_code_execution", {"command": "view", "path": "b.txt"}, "text_editor_code_execution_tool_result",
        {"content": {"type": "text_editor_code_execution_tool_result_error", "error_code": "unavailable"}},
    ),
    (
        "tool_search_tool_bm25", {"query": "read files"}, "tool_search_tool_result",
        {"content": {"type": "tool_search_tool_search_result",
                     "tool_references": [{"type": "tool_reference", "tool_name": "read_file"}]}},
    ),
    (
        "advisor", {}, "advisor_tool_result",
        {"content": {"type": "advisor_result", "text": "Read the file first.", "stop_reason": "end_turn"}},
    ),
)  # fmt: skip
"""A server tool's name and input, and its result."""

MCP: tuple[dict[str, Json], dict[str, Json]] = (
    {"type": "mcp_tool_use", "name": "berths", "server_name": "harbour", "input": {"city": "Bergen"}},
    {"type": "mcp_tool_result", "is_error": False, "content": [{"type": "text", "text": "three"}]},
)


def hosted_blocks(voice: Voice) -> Iterator[dict[str, Json]]:
    """Every kind of pair, once: the use, then its result."""
    for number, (name, question, kind, result) in enumerate(PAIRS):
        use = mint(f"{voice.seed}/hosted/{number}", 24, "srvtoolu_")
        yield {"type": "server_tool_use", "id": use, "name": name, "input": question, **DIRECT}
        yield {"type": kind, "tool_use_id": use, **result}
    use = mint(f"{voice.seed}/hosted/mcp", 24, "mcptoolu_")
    yield {**MCP[0], "id": use}
    yield {**MCP[1], "tool_use_id": use}
