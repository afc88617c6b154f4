"""The chat format of OpenRouter: thinking as a list of its own, parts of which only the model can read."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.chat.documents import answered_message, messages
from conformance.rules.check import Verdicts, check, equal, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj


@check("compat.history.reasoning-details")
def reasoning_details(x: Exchange) -> Verdicts:
    """A message is known by the ids of its calls. Into how many items the pieces of a stream are put is left open."""
    answers = [answered_message(earlier.answer) for earlier in x.earlier]
    came = {_ids(message): message for message in answers if _ids(message)}
    for at, message in messages(x):
        answer = came.get(_ids(message), {}) if message.get("role") == "assistant" else {}
        if expected := _sealed(answer):
            found = _sealed(message)
            lost = [text for text in expected if text not in found]
            yield holds(not lost, f"{at}/reasoning_details", lost, found)
            if not lost and _is_signed(answer):
                yield equal(f"{at}/reasoning_details", _text(answer), _text(message))


def _sealed(message: Object) -> list[Json]:
    """What only the model itself can read of its thinking."""
    found = [one.get(name) for one in _details(message) for name in ("data", "signature")]
    return [text for text in found if isinstance(text, str) and text]


def _is_signed(message: Object) -> bool:
    """Whether the text is sealed, too: the model's host checks that it is what it signed."""
    return any(one.get("signature") for one in _details(message))


def _text(message: Object) -> str:
    return "".join(str(one.get("text") or "") for one in _details(message))


def _details(message: Object) -> list[Object]:
    return [obj(one) for _, one in items(message.get("reasoning_details"))]


def _ids(message: Object) -> tuple[str, ...]:
    return tuple(str(obj(call).get("id")) for _, call in items(message.get("tool_calls")))
