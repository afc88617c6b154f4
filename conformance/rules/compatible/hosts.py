"""The chat format on hosts that take less than OpenAI, or want more. What each takes stands in its file."""

from __future__ import annotations

from conformance.rules.chat.documents import answered_message, messages
from conformance.rules.check import Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj

JSON_FORMS = ("json_object", "json_schema")


@check("compat.choose.no-json-beside-tools")
def no_json_beside_tools(x: Exchange) -> Verdicts:
    form = obj(obj(x.facts.document).get("response_format")).get("type")
    if not x.card.takes.json_beside_tools and x.facts.tools:
        yield holds(form not in JSON_FORMS, "/response_format", "none, beside tools", {"type": form})


@check("compat.history.reasoning-content-as-taken")
def reasoning_content_as_taken(x: Exchange) -> Verdicts:
    """Whether a model thinks may show in its answers alone, so that is where to look."""
    taken = x.card.takes.reasoning_content
    said = [(at, message) for at, message in messages(x) if message.get("role") == "assistant"]
    if taken == "refused":
        for at, message in said:
            sent = "reasoning_content" in message
            found = message.get("reasoning_content")
            yield holds(not sent, f"{at}/reasoning_content", "no such field", found)
    elif taken == "needed" and _thinks(x, said):
        for at, message in said:
            if items(message.get("tool_calls")):
                found = message.get("reasoning_content")
                yield holds(isinstance(found, str), f"{at}/reasoning_content", "the thinking before the call", found)


def _thinks(x: Exchange, said: list[tuple[str, Object]]) -> bool:
    """Whether the request switches thinking on, or the model was seen to think."""
    switch = obj(obj(x.facts.document).get("thinking")).get("type")
    answers = [answered_message(earlier.answer) for earlier in x.earlier]
    seen = any(message.get("reasoning_content") for message in (*answers, *(message for _, message in said)))
    return switch == "enabled" or (switch is None and seen)
