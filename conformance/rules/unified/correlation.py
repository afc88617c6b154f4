"""The gateway's own API: results without ids, both forms of content, calls with ``args``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.model import Json, result_text
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import answers, gathered, usable
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj
from conformance.wires.unified.correlate import CorrelationError, answered_call_ids

BLOCKS_AS_TEXT = re.compile(r"""\s*\[\s*\{\s*['"]type['"]\s*:""")
"""How a list of content blocks begins when it was turned into text."""


def _tool_messages(x: Exchange) -> Iterator[tuple[str, Json]]:
    """The content of each tool message, with its pointer."""
    for place, item in items(obj(x.facts.document).get("input")):
        if obj(item).get("role") == "tool":
            yield f"/input/{place}/content", obj(item).get("content")


@check("unified.parse.implicit-order-correlation")
def implicit_order_correlation(x: Exchange) -> Verdicts:
    """The gateway matches the results; what each of them says tells whether it is the one that was meant."""
    try:
        matched = answered_call_ids(x.facts.document)
    except CorrelationError as problem:
        yield Finding("/input", "results that each answer one call, by id or by order", str(problem))
        return
    texts = {result.at: result.text for result in x.facts.results}
    meant = _meant_texts(x)
    ids = gathered(meant, meant.get)
    for at, call_id in matched:
        if call_id in meant:
            said = texts.get(at)
            right = said not in ids or meant[call_id] == said
            yield None if right else Finding(f"{at}/tool_call_id", list(ids[said]), call_id)


def _meant_texts(x: Exchange) -> dict[str, str]:
    """The text that the application returned for each call, by the call's id in the request."""
    return {
        answer.call.id: result_text(answer.meant)
        for answer in answers(x)
        if answer.call is not None and usable(answer.call.id)
    }


@check("unified.parse.string-or-block-content")
def string_or_block_content(x: Exchange) -> Verdicts:
    meant = {answer.sent.at: result_text(answer.meant) for answer in answers(x) if answer.sent is not None}
    for at, content in _tool_messages(x):
        if isinstance(content, str):
            as_text = BLOCKS_AS_TEXT.match(content) and meant.get(at.removesuffix("/content")) != content
            yield holds(not as_text, at, "text, or a list of blocks", content)
        elif isinstance(content, list) and content:
            yield next((wrong for place, block in items(content) if (wrong := _block(f"{at}/{place}", block))), None)
        else:
            yield Finding(at, "text, or a list of blocks", content)


def _block(at: str, block: Json) -> Finding | None:
    kind = obj(block).get("type", "text")
    right = kind == "image" or (kind == "text" and isinstance(obj(block).get("text"), str))
    return holds(right, at, {"type": "text", "text": "..."}, block)


@check("unified.parse.tool-call-args-object")
def tool_call_args_object(x: Exchange) -> Verdicts:
    for place, item in items(obj(x.facts.document).get("input")):
        for number, call in items(obj(item).get("tool_calls")):
            yield _call(f"/input/{place}/tool_calls/{number}", call)


def _call(at: str, document: Json) -> Finding | None:
    call = obj(document)
    if not isinstance(call.get("name"), str) or "args" not in call:
        return Finding(at, ["id", "name", "args", "type"], sorted(call))
    if call.get("type", "tool_call") != "tool_call":
        return Finding(f"{at}/type", "tool_call", call["type"])
    return holds(isinstance(call["args"], dict), f"{at}/args", "an object", call["args"])
