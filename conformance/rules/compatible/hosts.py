"""The chat format on hosts that take less than OpenAI, or want more. What each takes stands in its file."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.chat.documents import answered_message, messages
from conformance.rules.check import Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj

JSON_FORMS = ("json_object", "json_schema")


@check("compat.choose.no-json-beside-tools")
def no_json_beside_tools(x: Exchange) -> Verdicts:
    form = obj(obj(x.facts.document).get("response_format")).get("type")
    if not x.taker.takes.json_beside_tools and x.facts.tools:
        yield holds(form not in JSON_FORMS, "/response_format", "none, beside tools", {"type": form})


@check("compat.history.reasoning-content-as-taken")
def reasoning_content_as_taken(x: Exchange) -> Verdicts:
    """Whether a model thinks may show in its answers alone, so that is where to look."""
    taken = x.taker.takes.reasoning_content
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
    seen = any(message.get("reasoning_content") for message in (*_answers(x), *(message for _, message in said)))
    return switch == "enabled" or (switch is None and seen)


@check("compat.history.reasoning-details")
def reasoning_details(x: Exchange) -> Verdicts:
    """A message is known by the ids of its calls. How the pieces of a stream are put together is not told anywhere."""
    whole = [answered_message(earlier.answer) for earlier in x.earlier if not earlier.streamed]
    came = {_ids(message): _sealed(message) for message in whole if _ids(message)}
    for at, message in messages(x):
        expected = came.get(_ids(message)) if message.get("role") == "assistant" else None
        if expected:
            found = _sealed(message)
            lost = [text for text in expected if text not in found]
            yield holds(not lost, f"{at}/reasoning_details", lost, found)


def _sealed(message: Object) -> list[Json]:
    """What only the model itself can read of its thinking."""
    details = [obj(one) for _, one in items(message.get("reasoning_details"))]
    return [one[name] for one in details for name in ("data", "signature") if isinstance(one.get(name), str)]


def _answers(x: Exchange) -> list[Object]:
    return [answered_message(earlier.answer) for earlier in x.earlier]


def _ids(message: Object) -> tuple[str, ...]:
    return tuple(str(obj(call).get("id")) for _, call in items(message.get("tool_calls")))
