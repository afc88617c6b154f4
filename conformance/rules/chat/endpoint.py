"""Chat Completions: where a request goes and what it must carry, how its fields are typed, how errors read."""

from __future__ import annotations

from conformance.http import Request
from conformance.model import AssistantTurn, Json, ToolCall
from conformance.rules.chat.documents import answered_calls, stated_error
from conformance.rules.check import Finding, Verdicts, check, equal, has_key, holds
from conformance.rules.shared.pairing import call_pairs, left_out
from conformance.rules.shared.request_types import wrong_types
from conformance.rules.shared.requests import has_bearer, posts_to
from conformance.transcript import Exchange
from conformance.wires.facts import SentCall, SentMessage, obj


@check("chat.http.endpoint-and-auth")
def endpoint_and_auth(x: Exchange) -> Verdicts:
    """Recordings are scrubbed, so headers are looked at only where the adapter's own request is at hand."""
    request = x.request
    if not isinstance(request, Request):
        return
    right = posts_to(x, request, "/chat/completions")
    yield holds(right, "", "POST .../chat/completions", f"{request.method} {request.path}")
    if x.intent is not None:
        own = x.card.key.header  # a host may have one of its own
        sent = has_bearer(request) or (own != "authorization" and bool(request.header(own)))
        yield has_key(sent, "authorization: Bearer <key>", request.header("authorization"))
        kind = request.header("content-type")
        yield holds((kind or "").lower().startswith("application/json"), "", "content-type: application/json", kind)


@check("chat.error.body-shape")
def body_shape(x: Exchange) -> Verdicts:
    """A reader may put words around the message, and may take the code for the type where both are there."""
    if x.response is None or x.response.status < 400 or x.turn is None:
        return
    message, kinds = stated_error(x.answer)
    if message is None:
        return
    error = x.turn.error
    if error is None:
        yield Finding("/error", message, None)
        return
    yield holds(message in str(error.message), "/error/message", message, error.message)
    yield equal("/error/status", x.response.status, error.status)
    if kinds:
        yield holds(error.type in kinds, "/error/type", kinds[0], error.type)


@check("chat.continuation.full-history")
def full_history(x: Exchange) -> Verdicts:
    previous = x.previous
    if previous is None or not isinstance(x.request, Request):
        return
    # A recorded client may have edited its conversation on purpose: only an adapter's own requests must agree.
    if x.intent is not None and previous.facts.messages:
        yield _first_change(previous.facts.messages, x.facts.messages)
    offered, sent = previous.offered, answered_calls(previous.answer)
    if offered is None or offered.stop in ("error", "incomplete"):
        return
    if len(sent) == len(offered.calls):
        replays = _replays(x, previous, offered)
        for call, replay, document in zip(offered.calls, replays, sent, strict=True):
            yield from _repeated(x, call, replay, obj(document["function"]).get("name"))
    if x.intent is not None and offered.text and not offered.calls:
        texts = [str(text) for message in x.facts.messages if message.role == "assistant" for _, text in message.texts]
        yield holds(any(offered.text in text for text in texts), "/messages", offered.text, texts)


def _first_change(before: list[SentMessage], now: list[SentMessage]) -> Finding | None:
    """The first earlier message that is not repeated. Ids are other rules' business."""
    for place, message in enumerate(before):
        found = _meaning(now[place]) if place < len(now) else None
        if found != _meaning(message):
            return Finding(message.at, _meaning(message), found)
    return None


def _meaning(message: SentMessage) -> Json:
    said = {
        "role": message.role,
        "texts": [text for _, text in message.texts],
        "calls": [[call.name, call.raw if call.arguments is None else call.arguments] for call in message.calls],
        "results": [result.text for result in message.results],
    }
    return {key: value for key, value in said.items() if value}


def _replays(x: Exchange, previous: Exchange, offered: AssistantTurn) -> list[SentCall | None]:
    """Each call of the answer before as it is in this request: found by id, or by its place in the conversation."""
    if x.intent is None or previous.intent is None:
        same = [[call for call in x.facts.calls if call.id == own.id] for own in offered.calls]
        return [found[0] if len(found) == 1 else None for found in same]
    sent = {meant.id: call for meant, call in call_pairs(x)}
    turn = next((turn for turn in x.intent.turns[len(previous.intent.turns) :]), None)
    meant = turn.calls if isinstance(turn, AssistantTurn) and len(turn.calls) == len(offered.calls) else offered.calls
    return [sent.get(call.id) for call in meant]


def _repeated(x: Exchange, offered: ToolCall, replay: SentCall | None, name: Json) -> Verdicts:
    """Whether a call is repeated as it was. Arguments compare by what they mean."""
    if replay is None:
        if x.intent is not None and offered.id not in left_out(x):
            yield Finding("/messages", f"the call {offered.id or name} of the answer before", "no such call")
    elif replay.name != name:
        yield Finding(replay.name_at, name, replay.name)
    elif replay.arguments is not None or offered.arguments is None:  # else it is no JSON: another rule's finding
        same = offered.arguments is None or replay.arguments == offered.arguments
        yield holds(same, replay.arguments_at, offered.arguments, replay.raw)


@check("chat.shape.request-types")
def request_types(x: Exchange) -> Verdicts:
    yield from wrong_types(x, "chat")
