"""What an adapter tells while a stream is open. Only who tells something is judged, by what had come by then."""

from __future__ import annotations

from conformance.adapters.telling import NewsReport
from conformance.answers import SoFar, growing
from conformance.model import AssistantTurn, to_json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires import wire


def _told(x: Exchange) -> NewsReport | None:
    """What was told of a stream that is read rightly. Who reads it wrongly is charged for that alone."""
    turn, offered = x.turn, x.offered
    if x.telling is None or turn is None or offered is None or x.chunks is None or x.damaged:
        return None
    alike = turn.text == offered.text and len(turn.calls) == len(offered.calls)
    return x.telling if alike and not x.telling.failure else None


def _last_by_chunk(x: Exchange) -> dict[int, SoFar]:
    return {one.given: one for one in growing(wire(x.provider), x.chunks or ())}


@check("common.stream.news-in-time")
def news_in_time(x: Exchange) -> Verdicts:
    """Who tells of nothing but the end has nothing to be late with."""
    telling = _told(x)
    if telling is None or not any(one.news.kind in ("text", "call") for one in telling.told):
        return
    first = min(one.given for one in telling.told if one.news.kind in ("text", "call"))
    chunks, known = len(x.chunks or ()), _last_by_chunk(x)
    due = min((given for given, one in known.items() if one.turn.text or one.turn.calls), default=first)
    if due < first == chunks:
        found = f"buffered: nothing before all {chunks} chunks were taken"
        yield Finding("", "each fragment before the next chunk is taken", found, word="buffered")
        return
    for given, so_far in known.items():
        text = "".join(one.news.text for one in telling.told if one.news.kind == "text" and one.given <= given)
        yield holds(len(text) >= len(so_far.turn.text), "/text", so_far.turn.text, text)
        begun = sum(one.news.kind == "call" and one.given <= given for one in telling.told)
        named = [call.name for call in so_far.turn.calls if call.name]
        yield holds(begun >= len(named), "/calls", named, begun)


@check("common.stream.news-true")
def news_true(x: Exchange) -> Verdicts:
    telling = _told(x)
    if telling is None or x.offered is None:
        return
    known, text, so_far = _last_by_chunk(x), "", None
    for one in telling.told:
        so_far = known.get(one.given) or next((known[n] for n in range(one.given, -1, -1) if n in known), None)
        come = so_far.turn if so_far is not None else AssistantTurn()
        news = one.news
        if news.kind == "text":
            text += news.text
            yield holds(come.text.startswith(text), "/text", come.text, text)
        elif news.kind in ("call", "call_end"):
            there = news.call < len(come.calls)
            whole = there and (so_far is None or news.call not in so_far.open_calls)
            right = whole if news.kind == "call_end" else there
            yield holds(right, f"/calls/{news.call}", "a call that has come so far", to_json(news))
    told_text = any(one.news.kind == "text" for one in telling.told)
    if told_text and x.offered.error is None:
        yield holds(text == x.offered.text, "/text", x.offered.text, text)


@check("common.stream.arguments-as-sent")
def arguments_as_sent(x: Exchange) -> Verdicts:
    """Who tells no text of arguments has nothing to get wrong, nor has who reads a format that has objects."""
    telling, texts = _told(x), dict[int, str]()
    for one in telling.told if telling is not None else ():
        if one.news.kind == "arguments":
            texts[one.news.call] = texts.get(one.news.call, "") + one.news.text
    sent = [so_far.sent for so_far in growing(wire(x.provider), x.chunks or ())][-1:] if texts else []
    for call, text in enumerate(sent[0] if sent else ()):
        yield holds(texts.get(call, "") == text, f"/calls/{call}", text, texts.get(call, ""))


@check("common.stream.order-of-appearance")
def order_of_appearance(x: Exchange) -> Verdicts:
    """What one event brings has no order that could be told from outside."""
    telling = _told(x)
    if telling is None:
        return
    came = dict[str, int]()
    for event, so_far in enumerate(growing(wire(x.provider), x.chunks or ())):
        for thing in _things(so_far.turn):
            came.setdefault(thing, event)
    kinds = {"text": "text", "call": "call {}"}
    told = dict.fromkeys(kinds[one.news.kind].format(one.news.call) for one in telling.told if one.news.kind in kinds)
    found = [thing for thing in told if thing in came]
    if len(found) > 1:
        yield holds(found == sorted(found, key=came.__getitem__), "", [*came], found)


def _things(turn: AssistantTurn) -> list[str]:
    """What a turn has so far."""
    calls = [f"call {place}" for place, call in enumerate(turn.calls) if call.name]
    return [*(["text"] if turn.text else []), *calls]


@check("common.stream.end-told")
def end_told(x: Exchange) -> Verdicts:
    """The end is the last that is told, also of a stream that broke off."""
    if x.telling is None or x.turn is None or x.damaged:
        return
    if x.telling.failure:
        yield Finding("", "news to the end", x.telling.failure)
        return
    kinds = [one.news.kind for one in x.telling.told]
    yield holds(kinds[-1:] == ["end"] and kinds.count("end") == 1, "/stop", "the end, once, and last", kinds[-3:])


@check("common.stream.stopping-ends-it")
def stopping_ends_it(x: Exchange) -> Verdicts:
    if x.telling is not None and x.telling.closed is not None:
        yield holds(x.telling.closed, "", "chunks that are closed when nobody listens any more", "chunks left open")
