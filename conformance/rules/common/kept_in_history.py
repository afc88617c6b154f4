"""Nothing of the conversation gets lost, on every wire: what was said and called is sent.

Other rules say how things are written. These only ask whether they are there at all, and unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from conformance.http import Request
from conformance.model import AssistantTurn, Json, UserTurn, to_json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import call_pairs, left_out
from conformance.rules.shared.standing import edges_of, end_of, text_of
from conformance.rules.shared.texts import container
from conformance.transcript import Exchange
from conformance.wires.facts import SentMessage, value_at


@check("common.history.text-kept", needs_intent=True)
def text_kept(x: Exchange) -> Verdicts:
    """A message may hold several turns, or more than a turn: guidance may stand before what the user says first.

    Turns that the provider keeps need not come again.
    """
    if x.intent is None or not isinstance(x.request, Request) or x.facts.is_partial:
        return
    if x.intent.system is not None and (guidance := x.intent.system.strip()):
        found = "\n".join(text for _, text in x.facts.system if isinstance(text, str))
        first = next((text_of(message) for message in x.facts.messages if message.role == "user"), "")
        told = any(end_of(said, guidance, 0, set()) is not None for said in (found, first))
        yield holds(told, "", {"system": guidance}, {"system": found})
    messages = [message for message in x.facts.messages if message.role in ("user", "assistant")]
    place, start = 0, 0
    for role, text in _said(x):
        at = _next(messages, place, start, role, text)
        if at is None:
            yield Finding("", {"role": role, "text": text}, [_shown(message) for message in messages[place:]])
            continue
        place, start = at
        yield None


def _said(x: Exchange) -> Iterator[tuple[str, str]]:
    """What was said, with who said it, in order."""
    for turn in x.intent.turns if x.intent is not None else ():
        if isinstance(turn, UserTurn | AssistantTurn) and turn.text.strip():
            yield "user" if isinstance(turn, UserTurn) else "assistant", turn.text.strip()


def _next(messages: list[SentMessage], place: int, start: int, role: str, text: str) -> tuple[int, int] | None:
    """Where ``text`` ends, at or after a place: the number of its message and the position in the message's text."""
    for number in range(place, len(messages)):
        if messages[number].role == role:
            said, edges = text_of(messages[number]), edges_of(messages[number])
            end = end_of(said, text, start if number == place else 0, edges)
            if end is not None:
                return number, end
    return None


def _shown(message: SentMessage) -> Json:
    return {"role": message.role, "text": text_of(message)[:200]}


@check("common.history.edges-kept", needs_intent=True)
def edges_kept(x: Exchange) -> Verdicts:
    """Of text that was sent at all: another rule asks for the words."""
    if x.intent is None or x.facts.is_partial:
        return
    users = [turn.text for turn in x.intent.turns if isinstance(turn, UserTurn)]
    messages = [text_of(message) for message in x.facts.messages if message.role == "user"]
    system = [text for _, text in x.facts.system if isinstance(text, str)]
    yield from _with_edges(users, messages)
    yield from _with_edges([x.intent.system or ""], [*system, *messages[:1]])


def _with_edges(meant: list[str], sent: list[str]) -> Verdicts:
    for text in (one for one in meant if one.strip() and one != one.strip()):
        if any(text.strip() in said for said in sent):
            yield holds(any(text in said for said in sent), "", text, sent)


@check("common.history.calls-kept", needs_intent=True)
def calls_kept(x: Exchange) -> Verdicts:
    """Names have rules of their own, and so has text that was no object. What the user passed over may be left out."""
    if x.intent is None or not isinstance(x.request, Request) or x.facts.is_partial:
        return
    replays = {id(call): sent for call, sent in call_pairs(x)}
    calls = [call for turn in x.intent.turns if isinstance(turn, AssistantTurn) for call in turn.calls]
    may_lack = left_out(x)
    owed = sum(call.id not in may_lack for call in calls)
    for call in calls:
        sent = replays.get(id(call))
        if sent is None:
            if call.id not in may_lack and len(x.facts.calls) < owed:
                yield Finding("", to_json(call), [item.name for item in x.facts.calls])
        elif call.arguments is not None and sent.arguments is not None:
            plain = _without_nulls if sent.kind is not None else dict
            same = _same(plain(call.arguments), plain(sent.arguments))
            yield holds(same, sent.arguments_at, call.arguments, sent.arguments)


def _without_nulls(given: Mapping[str, Json]) -> dict[str, Json]:
    """What a call of a kind that the provider defined is given. A null there says nothing: its members are optional."""
    return {name: value for name, value in given.items() if value is not None}


@check("common.history.invalid-text-kept", needs_intent=True)
def invalid_text_kept(x: Exchange) -> Verdicts:
    """Where it stands is left open: as the arguments' text, as a text inside an object, or as the JSON that it is."""
    for call, sent in call_pairs(x):
        if call.invalid and call.raw and call.raw.strip() and not x.facts.is_partial:
            values = list(_values_in(sent.raw))
            told = any(isinstance(one, str) and call.raw.strip() in one for one in values)
            yield holds(told or _is_among(call.raw, values), sent.arguments_at, call.raw, sent.raw)


@check("common.history.refusal-kept", needs_intent=True)
def refusal_kept(x: Exchange) -> Verdicts:
    """Where the words stand is left open: in a field or a block for refusals, or as a text of the model's."""
    if x.intent is None or not isinstance(x.request, Request) or x.facts.is_partial:
        return
    refused = [turn.refusal for turn in x.intent.turns if isinstance(turn, AssistantTurn) and turn.refusal]
    said = [value_at(x.facts.document, message.at) for message in x.facts.messages if message.role == "assistant"]
    texts = [one for message in said for one in _values_in(message) if isinstance(one, str)]
    for words in (refusal.strip() for refusal in refused):
        yield holds(any(words in text for text in texts), "", words, [_shown_text(text) for text in texts])


def _shown_text(text: str) -> str:
    return text[:200]


def _is_among(text: str, values: list[Json]) -> bool:
    """Whether the JSON that the text is, if it is any, is one of the values."""
    try:
        meant = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return any(_same(meant, one) for one in values)


def _values_in(value: Json) -> Iterator[Json]:
    """A value, all that is in it, and what is in the JSON that a text is."""
    pending = [value]
    while pending:
        one = pending.pop()
        yield one
        if isinstance(one, str):
            inner = container(one)
            pending += [inner] if inner else []
        elif isinstance(one, dict):
            pending += one.values()
        elif isinstance(one, list):
            pending += one


def _same(one: Json, other: Json) -> bool:
    """Whether two values mean the same. ``5`` may be sent as ``5.0``, which is the same number in JSON."""
    pending = [(one, other)]
    while pending:
        left, right = pending.pop()
        if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            pending += [(value, right[key]) for key, value in left.items()]
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            pending += zip(left, right, strict=True)
        elif isinstance(left, bool) != isinstance(right, bool) or left != right:
            return False
    return True
