"""Whether the model changed in the middle of a conversation.

What a model hands back to be continued (signed thinking, thought signatures) is that model's own: another one refuses
it or does not look at it (anthropics/anthropic-sdk-python#1598, vybestack/llxprt-code#2335). So after a change nobody
asks for it.
"""

from __future__ import annotations

from conformance.http import Request
from conformance.model import Json
from conformance.transcript import Exchange
from conformance.wires.facts import obj
from conformance.wires.models import model_asked


def asked_model(x: Exchange) -> str:
    """The model that the exchange's request asks for, ``""`` if that is not known."""
    return model_asked(x.request.path, x.facts.document) if isinstance(x.request, Request) else ""


def model_changed(x: Exchange, earlier: Exchange) -> bool:
    """Whether ``earlier`` was another model's turn than the one that ``x`` asks for.

    Two requests tell it by the names that they ask for. Where only the earlier answer is known, its own name for its
    model is looked at, which may be longer than what was asked for: ``claude-opus-4-1-20250805``.
    """
    now, then = asked_model(x), asked_model(earlier)
    if now and then:
        return now != then
    came = _answered_model(earlier.answer)
    return bool(now) and bool(came) and now not in came and came not in now


def _answered_model(answer: Json) -> str:
    named = obj(answer).get("model") or obj(answer).get("modelVersion")
    return named if isinstance(named, str) else ""
