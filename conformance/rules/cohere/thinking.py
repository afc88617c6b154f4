"""Cohere's chat: what a request repeats of what the model thought."""

from __future__ import annotations

from conformance.rules.chat.documents import messages
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj


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
        if thought := next((came[call_id] for call_id in _call_ids(message) if call_id in came), list[str]()):
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
