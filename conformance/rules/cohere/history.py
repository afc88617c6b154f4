"""Cohere's chat: what a request repeats of what the model said."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.model import Json
from conformance.rules.chat.documents import messages, sent_calls
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import call_pairs, usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj


@check("cohere.history.no-text-beside-calls")
def no_text_beside_calls(x: Exchange) -> Verdicts:
    for at, message in messages(x):
        if message.get("role") == "assistant" and items(message.get("tool_calls")):
            content = message.get("content")
            right = not content if isinstance(content, str) else not any(_is_text(part) for _, part in items(content))
            yield holds(right, f"{at}/content", "no text: what is said beside calls is the tool_plan", content)


def _is_text(part: Json) -> bool:
    return obj(part).get("type") == "text" and bool(obj(part).get("text"))


@check("cohere.history.assistant-call-fields")
def assistant_call_fields(x: Exchange) -> Verdicts:
    for at, call in sent_calls(x):
        yield _incomplete(at, call)


def _incomplete(at: str, call: Mapping[str, Json]) -> Finding | None:
    function = call.get("function")
    if not isinstance(function, dict):
        return Finding(at, ["id", "type", "function"], sorted(call))
    if call.get("type") != "function":
        return Finding(f"{at}/type", "function", call.get("type"))
    if not usable(call.get("id")):
        return Finding(f"{at}/id", "the id of the call", call.get("id"))
    return holds(isinstance(function.get("name"), str), f"{at}/function/name", "the name of the function",
                 function.get("name"))  # fmt: skip


@check("cohere.history.arguments-text")
def arguments_text(x: Exchange) -> Verdicts:
    for call in x.facts.calls:
        if call.raw is not None:
            yield holds(isinstance(call.raw, str), call.arguments_at, "JSON text", call.raw)


@check("cohere.history.arguments-kept")
def arguments_kept(x: Exchange) -> Verdicts:
    """What is no text is another rule's finding. Text that was no object may go back word for word."""
    for meant, call in call_pairs(x):
        if meant.arguments is not None and isinstance(call.raw, str | None):
            there = call.arguments is not None if call.raw is not None else not meant.arguments
            yield holds(there, call.arguments_at, meant.arguments, call.raw)


@check("cohere.history.content-blocks")
def content_blocks(x: Exchange) -> Verdicts:
    for at, message in messages(x):
        for place, block in items(message.get("content")) if message.get("role") == "assistant" else ():
            yield _block(f"{at}/content/{place}", obj(block))


def _block(at: str, block: Object) -> Finding | None:
    kind = block.get("type")
    if kind not in ("text", "thinking"):
        return Finding(f"{at}/type", ["text", "thinking"], kind)
    return holds(isinstance(block.get(str(kind)), str), f"{at}/{kind}", "text", block.get(str(kind)))
