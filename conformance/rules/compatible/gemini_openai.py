"""The chat format on Gemini's compatible endpoint."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.chat.documents import answered_calls, sent_calls
from conformance.rules.check import Verdicts, check, equal
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object, obj


@check("compat.history.gemini-openai-thought-signature")
def gemini_openai_thought_signature(x: Exchange) -> Verdicts:
    came = {
        call["id"]: signature
        for earlier in x.earlier
        for call in answered_calls(earlier.answer)
        if usable(call.get("id")) and (signature := _signature(call)) is not None
    }
    for at, call in sent_calls(x):
        expected = came.get(call["id"]) if usable(call.get("id")) else None
        if expected is not None:
            yield equal(f"{at}/extra_content/google/thought_signature", expected, _signature(call))


def _signature(call: Object) -> Json:
    return obj(obj(call.get("extra_content")).get("google")).get("thought_signature")
