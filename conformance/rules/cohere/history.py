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


@check("cohere.history.thinking-as-it-came")
def thinking_as_it_came(x: Exchange) -> Verdicts:
    """Blocks of one message may be joined, and white space is not compared."""
    came = [_thinking(obj(obj(earlier.answer).get("message"))) for earlier in x.earlier]
    known = {_squeezed(text) for thoughts in came for text in (*thoughts, "".join(thoughts)) if text.strip()}
    for at, message in messages(x) if known else ():
        for text in _thinking(message) if message.get("role") == "assistant" else ():
            yield holds(_squeezed(text) in known, f"{at}/content", "the thinking as it came", text)


@check("cohere.history.thinking-beside-calls")
def thinking_beside_calls(x: Exchange) -> Verdicts:
    """A plan says as much. Where the request does not say that the model shall think, nothing is asked."""
    if x.facts.settings.thinking is not True:
        return
    came = {call_id: thought for answer in map(_said, x.earlier) if (thought := _thought_alone(answer))
            for call_id in _call_ids(answer)}  # fmt: skip
    for at, message in messages(x):
        thought = next((came[call_id] for call_id in _call_ids(message) if call_id in came), None)
        if thought is not None:
            told = bool(_thinking(message) or message.get("tool_plan"))
            yield holds(told, f"{at}/content", thought, message.get("content"))


def _said(earlier: Exchange) -> Object:
    return obj(obj(earlier.answer).get("message"))


def _thought_alone(answer: Object) -> list[str]:
    """What the model thought, where no plan says it."""
    thought = _thinking(answer)
    return thought if any(map(str.strip, thought)) and not answer.get("tool_plan") else []


def _call_ids(message: Object) -> list[str]:
    """The ids of a message's calls that can be followed."""
    found = (obj(call).get("id") for _, call in items(message.get("tool_calls")))
    return [call_id for call_id in found if usable(call_id)]


def _thinking(message: Object) -> list[str]:
    """The texts of a message's blocks of thinking."""
    blocks = (obj(block) for _, block in items(message.get("content")))
    thoughts = (block.get("thinking") for block in blocks if block.get("type") == "thinking")
    return [text for text in thoughts if isinstance(text, str)]


def _squeezed(text: str) -> str:
    return "".join(text.split())
