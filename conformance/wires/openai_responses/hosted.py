"""OpenAI Responses, provider half: items of tools that the provider runs itself, and the events between their two ends.

Sources: openai SDK types ``openai.types.responses``, and recorded traffic of api.openai.com, in which each of these
kinds, with these members, was sent. What they say is made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.model import Json
from conformance.script import Voice
from conformance.wires.base import fragments, mint

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
          "additionalProperties": False}  # fmt: skip
FUNCTION = {"type": "function", "name": "tide_table", "description": "When the tide is high", "parameters": SCHEMA,
            "strict": True, "defer_loading": True}  # fmt: skip

ITEMS: Sequence[tuple[str, dict[str, Json]]] = (
    ("mcpl_", {
        "type": "mcp_list_tools", "server_label": "harbour",
        "tools": [{"name": "berths", "description": "Free berths", "input_schema": SCHEMA,
                   "annotations": {"read_only": True}}],
    }),
    ("mcp_", {
        "type": "mcp_call", "status": "completed", "server_label": "harbour", "name": "berths",
        "arguments": '{"city":"Bergen"}', "output": "three", "error": None, "approval_request_id": None,
    }),
    ("mcp_", {
        "type": "mcp_call", "status": "failed", "server_label": "harbour", "name": "berths",
        "arguments": '{"city":"Oslo"}', "output": None, "approval_request_id": None,
        "error": {"type": "http_error", "code": 503, "message": "closed for the night"},
    }),
    ("tsc_", {
        "type": "tool_search_call", "status": "completed", "execution": "server", "call_id": None,
        "arguments": {"paths": ["harbour"]},
    }),
    ("tso_", {
        "type": "tool_search_output", "status": "completed", "execution": "server", "call_id": None,
        "tools": [
            {**FUNCTION, "output_schema": None},
            {"type": "namespace", "name": "harbour", "description": "All about the harbour", "tools": [FUNCTION]},
        ],
    }),
    ("ci_", {
        "type": "code_interpreter_call", "status": "completed", "container_id": "cntr_00000000", "code": "print(6 * 7)",
        "outputs": [{"type": "logs", "logs": "42\n"},
                    {"type": "image", "url": "https://example.org/plot.png"}],
    }),
    ("ci_", {
        "type": "code_interpreter_call", "status": "completed", "container_id": "cntr_00000000", "code": "pass",
        "outputs": None,
    }),
    ("fs_", {
        "type": "file_search_call", "status": "completed", "queries": ["opening hours"],
        "results": [{"file_id": "file-0000", "filename": "hours.txt", "score": 0.75, "text": "From eight to four.",
                     "attributes": {}, "vector_store_id": "vs_0000"}],
    }),
    ("fs_", {"type": "file_search_call", "status": "completed", "queries": ["harbour master"], "results": None}),
    ("ig_", {
        "type": "image_generation_call", "status": "completed", "background": "opaque", "output_format": "png",
        "quality": "high", "size": "1024x1024", "revised_prompt": "A harbour at dawn", "result": "iVBORw0KGgo=",
    }),
    ("ws_", {
        "type": "web_search_call", "status": "completed",
        "action": {"type": "open_page", "url": "https://example.org/harbour"},
    }),
    ("ws_", {
        "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "harbour fees"},
    }),
)  # fmt: skip
"""How ids begin, and the rest of each item."""

STEPS: Mapping[str, Sequence[str]] = {
    "mcp_list_tools": ("in_progress", "completed"),
    "mcp_call": ("in_progress", "_arguments", "completed"),
    "code_interpreter_call": ("in_progress", "_code", "interpreting", "completed"),
    "file_search_call": ("in_progress", "searching", "completed"),
    "web_search_call": ("in_progress", "searching", "completed"),
}
"""The events between an item's two ends, as recorded. A step with ``_`` is a member, bit by bit."""


def hosted_items(voice: Voice) -> Iterator[dict[str, Json]]:
    """Every kind of item, once."""
    for number, (prefix, item) in enumerate(ITEMS):
        yield {"id": mint(f"{voice.seed}/hosted/{number}", 48, prefix), **item}


def hosted_steps(item: Mapping[str, Json], here: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """The events between an item's two ends."""
    kind = f"response.{item['type']}"
    for step in STEPS.get(item["type"], ()):
        if not step.startswith("_"):
            failed = step == "completed" and item["status"] == "failed" if "status" in item else False
            yield {"type": f"{kind}.{'failed' if failed else step}", **here}
            continue
        member = step[1:]
        for piece in fragments(item[member], frozenset()):
            yield {"type": f"{kind}{step}.delta", **here, "delta": piece, "obfuscation": mint(piece, 8)}
        yield {"type": f"{kind}{step}.done", **here, member: item[member]}
