"""Lies about the gateway's own API."""

from __future__ import annotations

from conformance.model import Json
from conformance.mutants.liar import Liar


class LeavesOrderToChance(Liar):
    """Results need no ids, and come in the order in which they are ready."""

    aims = ("unified.parse.implicit-order-correlation",)

    def sends(self, body: Json) -> Json:
        entries = body["input"]
        results = [item for item in entries if item.get("role") == "tool"]
        for item in results:
            item.pop("tool_call_id", None)
        rest = iter(results[::-1])
        body["input"] = [next(rest) if item.get("role") == "tool" else item for item in entries]
        return body


class PrintsBlocks(Liar):
    """Content is text: blocks are printed."""

    aims = ("unified.parse.string-or-block-content",)

    def sends(self, body: Json) -> Json:
        for item in body["input"]:
            if item.get("role") == "tool":
                item["content"] = str(item["content"])
        return body
