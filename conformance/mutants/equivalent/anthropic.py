"""Mutants of Anthropic's Messages that do nothing wrong."""

from __future__ import annotations

from conformance.mutants.equivalence import Equivalence

EQUIVALENT = (
    Equivalence(
        ("anthropic",), r"stream:doubled:content_block_start:(server_tool_use|mcp_tool_use|[a-z_]+_tool_result)"
        r"|stream:(drop|zeroed):content_block_start:server_tool_use:/index",
        "Nothing is known about a second, or misplaced, use of a tool that the provider ran: rules look at what came.",
    ),
    Equivalence(
        ("anthropic",), "stream:doubled:content_block_start:compaction",
        "The first has no summary then, and the provider passes over such compactions (BetaCompactionBlockParam).",
    ),
)  # fmt: skip
