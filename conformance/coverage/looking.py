"""Whether a form is looked at: whether a rule tells when just it is gone, or another, in an exchange that has it.

In a *request* the form is taken out of what the reference adapter sent, and the rules about building judge the rest.

In an *answer* the question is about readers: would one be told that does not see this form? So the answer is changed,
the reference adapter reads it, and what it understood is judged as the reading of the answer that was really given.
Where the difference is only in what the adapter keeps for itself (signatures, reasoning), the next request that it
builds is judged. The grammars are asked, too: they tell what recorded and live providers send.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from conformance.coverage.documents import FormDocument, documents_of, forms_in, is_answered, orders
from conformance.coverage.edits import GoneError, edited, edited_events, swapped
from conformance.coverage.forms import form_kind, side_of
from conformance.coverage.walk import Occurrence
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Profile
from conformance.outcomes import OperationFailure
from conformance.rules import Rule, catalogue
from conformance.rules.judge import judge
from conformance.transcript import Exchange
from conformance.wires import card, wire
from conformance.wires.grammar import Grammar, follow_events

By = Literal["rule", "grammar"]


@dataclass(frozen=True, slots=True)
class Appearance:
    """An exchange in which a form was seen, and the exchange after it in the same conversation."""

    exchange: Exchange
    following: Exchange | None = None


@dataclass(slots=True)
class Looker:
    """Asks the rules of one provider. ``rules`` are all, unless others are given."""

    provider: str
    rules: Sequence[Rule] = field(default_factory=lambda: list(catalogue().values()))
    _known: dict[int, dict[str, list[tuple[FormDocument, list[Occurrence]]]]] = field(default_factory=dict)
    _kept: list[Exchange] = field(default_factory=list)

    def looked_at(self, form: str, appearances: Sequence[Appearance]) -> By | None:
        """What tells in one of the exchanges that the form is gone."""
        look = self._in_request if side_of(form) == "request" else self._in_answer
        found = [by for appearance in appearances for by in look(form, appearance)]
        return "rule" if "rule" in found else found[0] if found else None

    # --- requests ----------------------------------------------------------------------------------------------------

    def _in_request(self, form: str, appearance: Appearance) -> Iterator[By]:
        exchange = appearance.exchange
        assert isinstance(exchange.request, Request)
        for document, found in self._places(exchange).get(form, ()):
            try:
                changes = list(edited(document.value, found))
            except GoneError:
                continue
            for change in changes:
                request = replace(exchange.request, body=_encoded(change))
                if self._is_told("build", replace(exchange, request=request)):
                    yield "rule"
                    return

    # --- answers -----------------------------------------------------------------------------------------------------

    def _in_answer(self, form: str, appearance: Appearance) -> Iterator[By]:
        exchange = appearance.exchange
        changes = self._streams(form, exchange) if exchange.events is not None else self._bodies(form, exchange)
        for changed in changes:
            if self._reader_is_told(changed, appearance):
                yield "rule"
                return
            if _grammar_tells(changed, exchange):
                yield "grammar"

    def _bodies(self, form: str, exchange: Exchange) -> Iterator[Exchange]:
        assert isinstance(exchange.response, Response)
        for document, found in self._places(exchange).get(form, ()):
            for change in edited(document.value, found):
                yield replace(exchange, response=replace(exchange.response, body=_encoded(change)), answer=change)

    def _streams(self, form: str, exchange: Exchange) -> Iterator[Exchange]:
        assert exchange.events is not None
        if form_kind(form) == "order":
            numbers = [number for pair, number in orders(exchange.events, exchange.provider) if pair == form]
            streams = [swapped(exchange.events, number) for number in numbers[:1]]
        else:
            streams = list(edited_events(exchange.events, self._places(exchange).get(form, ())))
        yield from (replace(exchange, events=events) for events in streams)

    def _reader_is_told(self, changed: Exchange, appearance: Appearance) -> bool:
        exchange = appearance.exchange
        understood = _understood(changed)
        if understood == exchange.understood:
            return False
        if self._is_told("parse", replace(exchange, understood=understood)):
            return True
        return isinstance(understood, AssistantTurn) and self._is_told_later(understood, appearance)

    def _is_told_later(self, understood: AssistantTurn, appearance: Appearance) -> bool:
        """Whether the next request lacks something, when what the adapter keeps for itself is that of a reader who did
        not see the form."""
        exchange, following, turn = appearance.exchange, appearance.following, appearance.exchange.turn
        if following is None or following.intent is None or exchange.intent is None or turn is None:
            return False
        place = len(exchange.intent.turns)
        if place >= len(following.intent.turns) or understood.opaque == turn.opaque:
            return False
        turns = list(following.intent.turns)
        kept = turns[place]
        if not isinstance(kept, AssistantTurn):
            return False
        turns[place] = replace(kept, opaque=understood.opaque)
        conversation = replace(following.intent, turns=tuple(turns))
        try:
            request = wire(self.provider).build(conversation, stream=following.streamed)
        except Exception as problem:  # what it kept is of no use to it
            failed = OperationFailure("build_request", "error", str(problem))
            return self._is_told("parse", replace(following, request=failed, understood=None))
        return self._is_told("build", replace(following, request=request))

    # --- the rest ----------------------------------------------------------------------------------------------------

    def _is_told(self, side: str, exchange: Exchange) -> bool:
        own = _own_rules(tuple(rule.id for rule in self.rules), self.provider, exchange.profile, side)
        return any(finding is not None for rule in own for finding in judge(rule, exchange))

    def _places(self, exchange: Exchange) -> dict[str, list[tuple[FormDocument, list[Occurrence]]]]:
        """The forms of an exchange: in which documents, and where. Kept, because every form asks again."""
        key = id(exchange)
        if key not in self._known:
            self._kept.append(exchange)
            known: dict[str, list[tuple[FormDocument, list[Occurrence]]]] = {}
            for document in documents_of(exchange):
                inside: dict[str, list[Occurrence]] = {}
                for one in forms_in(document, self.provider):
                    inside.setdefault(one.form, []).append(one)
                for form, found in inside.items():
                    known.setdefault(form, []).append((document, found))
            self._known[key] = known
        return self._known[key]

    def request_forms(self, exchange: Exchange) -> list[str]:
        """The forms of a request. They are not kept."""
        documents = (one for one in documents_of(exchange) if one.side == "request")
        return [each.form for document in documents for each in forms_in(document, self.provider)]

    def appearances(self, exchanges: Sequence[Exchange]) -> Iterator[tuple[str, Appearance]]:
        """Every form of the exchanges of a case, with where it was seen."""
        for number, exchange in enumerate(exchanges):
            following = exchanges[number + 1] if number + 1 < len(exchanges) else None
            seen = list(self._places(exchange))
            if exchange.events is not None:
                seen += {form for form, _ in orders(exchange.events, self.provider)}
            yield from ((form, Appearance(exchange, following)) for form in seen)


@cache
def _own_rules(names: tuple[str, ...], provider: str, profile: Profile, side: str) -> list[Rule]:
    known = catalogue()
    return [known[name] for name in names if known[name].side == side and known[name].applies_to(provider, profile)]


def _understood(exchange: Exchange) -> AssistantTurn | OperationFailure:
    """What the reference adapter reads in an answer."""
    speaker = wire(exchange.provider)
    try:
        if exchange.events is not None:
            return speaker.finish(speaker.assemble(exchange.events), exchange.intent)
        assert exchange.response is not None
        return speaker.read_response(exchange.response, exchange.intent)
    except Exception as problem:
        return OperationFailure("parse_response", "error", str(problem))


def _grammar_tells(changed: Exchange, exchange: Exchange) -> bool:
    """Whether a grammar has something against the changed answer that it has not against the real one."""
    return _is_faulted(changed) and not _is_faulted(exchange)


def _is_faulted(exchange: Exchange) -> bool:
    speaker = wire(exchange.provider)
    if exchange.events is not None:
        grammar = _grammar(exchange.provider)
        return grammar is not None and follow_events(grammar, exchange.events).violation is not None
    if speaker.body_grammar is None or not is_answered(exchange):
        return False
    return any(not look.right for look in speaker.body_grammar.looks(exchange.answer))


@cache
def _grammar(provider: str) -> Grammar | None:
    grammar = wire(provider).grammar
    return grammar.with_liberties(card(provider).stream_liberties) if grammar is not None else None


def _encoded(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")


