"""Responses: a call of a custom tool, and its output."""

from __future__ import annotations

from conformance.rules.check import Verdicts, check, holds
from conformance.rules.responses.documents import input_items
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange

CALLS = ("function_call", "custom_tool_call")
OUTPUTS = tuple(f"{call}_output" for call in CALLS)
"""Calls of the client's tools, and the items that answer them."""


@check("responses.result.custom-output")
def custom_output(x: Exchange) -> Verdicts:
    """Of an output whose call is not there, nobody knows what it must be."""
    items_with_ids = [(at, item) for at, item in input_items(x) if usable(item.get("call_id"))]
    asked = {item["call_id"]: f"{item['type']}_output" for _, item in items_with_ids if item.get("type") in CALLS}
    for at, item in items_with_ids:
        if item.get("type") in OUTPUTS and item["call_id"] in asked:
            wanted = asked[item["call_id"]]
            yield holds(item["type"] == wanted, f"{at}/type", wanted, item["type"])
