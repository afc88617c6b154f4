"""The chat format on DeepSeek: its thinking."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.model import Json
from conformance.rules.chat.documents import answered_message, messages
from conformance.rules.check import Verdicts, check, equal, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj

BEFORE_V4 = ("deepseek-chat", "deepseek-coder", "deepseek-reasoner")
"""DeepSeek's models that do not think unless they are told to, or not with tools."""


@check("deepseek.choose.thinking-forbids-forcing")
def thinking_forbids_forcing(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    choice = document.get("tool_choice")
    forced = choice == "required" or isinstance(choice, dict)
    switch = obj(document.get("thinking")).get("type")
    thinks = switch != "disabled" if switch is not None else document.get("model") not in BEFORE_V4
    if x.facts.tools and (forced or switch == "enabled"):
        yield holds(not (forced and thinks), "/tool_choice", ["auto", "none"], choice)


@check("deepseek.history.reasoning-content")
def reasoning_content(x: Exchange) -> Verdicts:
    came = _reasoning_that_came(x)
    replayed = [(at, message) for at, message in messages(x) if message.get("role") == "assistant"]
    if not _thinks(x, came, replayed):
        return
    for at, message in replayed:
        if not items(message.get("tool_calls")):
            continue
        expected, found = came.get(_ids(message)), message.get("reasoning_content")
        if expected:
            yield equal(f"{at}/reasoning_content", expected, found)
        else:
            yield holds(isinstance(found, str), f"{at}/reasoning_content", "the thinking, or empty text", found)


def _thinks(x: Exchange, came: Mapping[Json, str], replayed: list[tuple[str, Object]]) -> bool:
    """Whether the conversation is in thinking mode. The request may switch it off."""
    if obj(obj(x.facts.document).get("thinking")).get("type") == "disabled":
        return False
    return any(came.values()) or any(message.get("reasoning_content") for _, message in replayed)


def _reasoning_that_came(x: Exchange) -> dict[Json, str]:
    """The thinking of each earlier answer with calls, by the ids of the calls."""
    answers = [answered_message(earlier.answer) for earlier in x.earlier]
    return {_ids(message): str(message.get("reasoning_content") or "") for message in answers if _ids(message)}


def _ids(message: Object) -> tuple[str, ...]:
    return tuple(str(obj(call).get("id")) for _, call in items(message.get("tool_calls")))
