"""The chat format on Mistral."""

from __future__ import annotations

import re
from itertools import pairwise

from conformance.rules.chat.documents import (
    answered_calls,
    call_deltas,
    messages,
)
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import obj

NINE = re.compile(r"[a-zA-Z0-9]{9}")


@check("mistral.ids.nine-alphanumerics")
def nine_alphanumerics(x: Exchange) -> Verdicts:
    ids = [(call.id_at, call.id) for call in x.facts.calls] + [(item.ref_at, item.ref) for item in x.facts.results]
    for at, value in ids:
        if isinstance(value, str):
            yield holds(NINE.fullmatch(value) is not None, at, "nine letters or digits", value)


@check("mistral.history.assistant-before-user")
def assistant_before_user(x: Exchange) -> Verdicts:
    sent = messages(x)
    for (_, before), (at, message) in pairwise(sent):
        if before.get("role") == "tool":
            yield holds(message.get("role") != "user", f"{at}/role", "a message of the assistant before", "user")


@check("mistral.history.no-reasoning-content")
def no_reasoning_content(x: Exchange) -> Verdicts:
    for at, message in messages(x):
        if message.get("role") == "assistant":
            sent = "reasoning_content" in message
            yield holds(not sent, f"{at}/reasoning_content", "no such field", message.get("reasoning_content"))


@check("mistral.parse.arguments-string-or-object")
def arguments_string_or_object(x: Exchange) -> Verdicts:
    """Arguments that are text, under a type and an id, are what every chat provider sends: nothing to examine."""
    offered, read = x.offered, x.parsed
    if offered is None or read is None or not _has_liberties(x):
        return
    names = [call.name for call in offered.calls], [call.name for call in read.calls]
    yield holds(len(names[0]) == len(names[1]), "/calls", *names)
    for place, (call, other) in enumerate(zip(offered.calls, read.calls, strict=False)):
        if not call.invalid:
            yield holds(call.arguments == other.arguments, f"/calls/{place}/arguments", call.arguments, other.arguments)
        if call.id in ("", "null"):
            own = usable(other.id) and other.id != "null"
            yield holds(own, f"/calls/{place}/id", "an id made up by the reader", other.id)


def _has_liberties(x: Exchange) -> bool:
    """Whether a call came in a way that only Mistral's types allow."""
    if x.streamed:
        deltas = call_deltas(x)
        return any(isinstance(delta.arguments, dict) or delta.id == "null" for delta in deltas)
    calls = answered_calls(x.answer)
    return any(
        isinstance(obj(call.get("function")).get("arguments"), dict)
        or "type" not in call
        or call.get("id") in (None, "null")
        for call in calls
    )
