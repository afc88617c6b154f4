"""What an adapter tells while a stream is open. Only who tells something is judged, by what had come by then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from conformance.adapters.telling import NewsReport
from conformance.answers import SoFar, growing
from conformance.model import AssistantTurn, NewsKind, to_json
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


FRAGMENTS: Mapping[NewsKind, Callable[[SoFar], str]] = {
    "thinking": lambda so_far: so_far.thinking,
    "text": lambda so_far: so_far.turn.text,
}
"""The news that comes in fragments, and what all of it together is by a place of the stream."""


def _fragments(telling: NewsReport) -> Iterator[NewsKind]:
    """The kinds of fragments to ask for. Who tells none of the model's thinking need not, but for who declared it."""
    asked = {"text", *telling.owed, *(one.news.kind for one in telling.told)}
    yield from (kind for kind in FRAGMENTS if kind in asked)


@check("common.stream.news-in-time")
def news_in_time(x: Exchange) -> Verdicts:
    """Who tells of nothing but the end has nothing to be late with."""
    telling = _told(x)
    if telling is None or not any(one.news.kind in ("text", "call") for one in telling.told):
        return
    kinds = [*_fragments(telling)]
    first = min(one.given for one in telling.told if one.news.kind in ("call", *kinds))
    chunks, known = len(x.chunks or ()), _last_by_chunk(x)
    there = (given for given, one in known.items() if one.turn.calls or any(FRAGMENTS[kind](one) for kind in kinds))
    if min(there, default=first) < first == chunks:
        found = f"buffered: nothing before all {chunks} chunks were taken"
        yield Finding("", "each fragment before the next chunk is taken", found, word="buffered")
        return
    for given, so_far in known.items():
        by_then = [one.news for one in telling.told if one.given <= given]
        for kind in kinds:
            told, come = "".join(news.text for news in by_then if news.kind == kind), FRAGMENTS[kind](so_far)
            yield holds(len(told) >= len(come), f"/{kind}", come, told)
        begun = sum(news.kind == "call" for news in by_then)
        named = [call.name for call in so_far.turn.calls if call.name]
        yield holds(begun >= len(named), "/calls", named, begun)


@check("common.stream.news-true")
def news_true(x: Exchange) -> Verdicts:
    telling = _told(x)
    if telling is None or x.offered is None:
        return
    known, nothing = _last_by_chunk(x), SoFar(0, AssistantTurn(), frozenset())
    said = dict.fromkeys(FRAGMENTS, "")
    for one in telling.told:
        so_far = next((known[given] for given in range(one.given, -1, -1) if given in known), nothing)
        news = one.news
        if news.kind in said:
            said[news.kind] += news.text
            come = FRAGMENTS[news.kind](so_far)
            yield holds(come.startswith(said[news.kind]), f"/{news.kind}", come, said[news.kind])
        elif news.kind in ("call", "call_end"):
            there = news.call < len(so_far.turn.calls)
            right = there and (news.kind == "call" or news.call not in so_far.open_calls)
            yield holds(right, f"/calls/{news.call}", "a call that has come so far", to_json(news))
    if x.offered.error is None:
        last = known[max(known)] if known else nothing
        told_kinds = telling.owed | {one.news.kind for one in telling.told}
        for kind in (kind for kind in FRAGMENTS if kind in told_kinds):
            yield holds(said[kind] == FRAGMENTS[kind](last), f"/{kind}", FRAGMENTS[kind](last), said[kind])


@check("common.stream.arguments-as-sent")
def arguments_as_sent(x: Exchange) -> Verdicts:
    """Who tells no text of arguments has nothing to get wrong, nor has who reads a format that has objects; but for who
    declared that it is told. It is told while a stream is open, or stands in the calls of any answer."""
    if x.turn is not None and x.offered is not None and x.complete and not x.damaged and x.offered.error is None:
        kept = zip(x.turn.calls, x.offered.calls, strict=True) if len(x.turn.calls) == len(x.offered.calls) else ()
        for place, (own, truly) in enumerate(kept):
            if own.sent is not None and truly.sent is not None:
                yield holds(own.sent == truly.sent, f"/calls/{place}", truly.sent, own.sent)
    telling, texts = _told(x), dict[int, str]()
    for one in telling.told if telling is not None else ():
        if one.news.kind == "arguments":
            texts[one.news.call] = texts.get(one.news.call, "") + one.news.text
    asked = telling is not None and (bool(texts) or "arguments" in telling.owed)
    sent = [so_far.sent for so_far in growing(wire(x.provider), x.chunks or ())][-1:] if asked else []
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
        for thing in _things(so_far):
            came.setdefault(thing, event)
    kinds = {"thinking": "thinking", "text": "text", "call": "call {}"}
    told = dict.fromkeys(kinds[one.news.kind].format(one.news.call) for one in telling.told if one.news.kind in kinds)
    found = [thing for thing in told if thing in came]
    if len(found) > 1:
        yield holds(found == sorted(found, key=came.__getitem__), "", [*came], found)


def _things(so_far: SoFar) -> list[str]:
    """What a turn has so far."""
    calls = [f"call {place}" for place, call in enumerate(so_far.turn.calls) if call.name]
    return [*(kind for kind, come in FRAGMENTS.items() if come(so_far)), *calls]


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
