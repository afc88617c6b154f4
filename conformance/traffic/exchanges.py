"""A recorded exchange as an `Exchange`, and looking at the answer in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from conformance.answers import Answer, answer_of_events, answer_of_response
from conformance.http import FramingError, Request, Response
from conformance.model import Profile
from conformance.traffic.framing import events_of, is_stream, read_quickly
from conformance.traffic.lenient import BY_RECORDERS
from conformance.traffic.recognise import TrafficSource
from conformance.traffic.records import RecordedExchange
from conformance.traffic.redaction import liberties_of
from conformance.transcript import Exchange
from conformance.wires import wire
from conformance.wires.grammar import Grammar, Look, follow_events


def exchange_in(record: RecordedExchange, who: TrafficSource, profile: Profile) -> Exchange:
    """The exchange of a record. Raises `FramingError` when its answer cannot be read.

    An empty answer was lost by the recorder: no provider answers nothing."""
    exchange = Exchange(who.provider, profile, request=_request(record), with_host=who.speaker)
    return exchange.receive(_answer(record, record.body, who)) if record.body else exchange


def _request(record: RecordedExchange) -> Request | None:
    """The request, if it is one: an SDK's notes without an address are the arguments of its own function."""
    request = record.request
    known = record.framed or record.host or record.told_by
    return request if request is not None and request.body and known else None


def _answer(record: RecordedExchange, body: bytes, who: TrafficSource) -> Answer:
    speaker = wire(who.provider)
    if record.status < 400 and is_stream(record):
        return answer_of_events(speaker, events_of(body))
    response = read_quickly(Response(record.status, record.headers, body))
    if record.status < 400 and not response.is_json:
        raise FramingError("it is neither JSON nor a stream that is known")
    return answer_of_response(speaker, response)


def look_at_answer(record: RecordedExchange, who: TrafficSource, exchange: Exchange) -> Iterator[tuple[str, Look]]:
    """What the grammars say about an answer, each with the rule that it is about.

    Hosts that only imitate a provider may leave out what readers put up with. An answer that was told says nothing of
    its form.
    """
    if record.told_by:
        return
    if exchange.events is not None:
        yield from _look_at_stream(record, who, exchange)
    elif (body := wire(who.provider).body_grammar) is not None:
        yield from ((body.rule, look) for look in body.looks(exchange.answer) if who.own or not look.own_hosts_only)


def _look_at_stream(record: RecordedExchange, who: TrafficSource, exchange: Exchange) -> Iterator[tuple[str, Look]]:
    liberties = who.liberties | liberties_of(exchange) | (frozenset() if record.framed else BY_RECORDERS)
    grammar = _grammar(who.provider, liberties)
    if grammar is None:
        return
    followed = follow_events(grammar, exchange.events or ())
    broken = followed.violation
    for rule in sorted(followed.rules):
        if broken is None or broken.rule != rule:
            yield rule, Look(True, "", None, None)
    if broken is not None:
        yield broken.rule, Look(False, broken.at, broken.expected, broken.found)


@cache
def _grammar(provider: str, liberties: frozenset[str]) -> Grammar | None:
    """The grammar of a provider's streams with liberties taken; ``None`` for a provider without one."""
    own = wire(provider).grammar
    return own.with_liberties(liberties) if own is not None else None
