"""The chat format of OpenRouter: thinking as a list of its own, parts of which only the model can read."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.chat.documents import answered_message, messages
from conformance.rules.check import Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj


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


def _ids(message: Object) -> tuple[str, ...]:
    return tuple(str(obj(call).get("id")) for _, call in items(message.get("tool_calls")))
