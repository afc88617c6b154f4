"""Which earlier exchange a request continues.

The recorder's own word comes first: the id of the record before, or the turn before in the same conversation. Else the
request itself tells:

* by ids: that of the response that it continues, or those of the calls that it replays last. Whoever has such an id has
  it from the answer that gave it out, so the link holds whichever model and host are asked now, and a call's id leads
  to another provider, too. What changed is `Exchange.switched`. Ids that many conversations share, and
  those that a recorder replaced, tell nothing (`conformance.traffic.issued`).
* by likeness: it begins with all the messages of an earlier request, followed by an assistant's. Many conversations
  begin alike, so host and model must be the same.

Only exchanges of one file are linked, and only to answers that succeeded.

Memory is bounded: the oldest exchanges are forgotten, and so is what came long before in one conversation.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from conformance.http import Request
from conformance.model import Json, ToolCall
from conformance.traffic.issued import IssuedIds, issued_ids, tells
from conformance.traffic.records import RecordedExchange
from conformance.transcript import Exchange
from conformance.wires import card
from conformance.wires.facts import SentCall, SentMessage, obj
from conformance.wires.models import model_known_as

WINDOW = 48_000_000
"""How many recorded bytes are remembered."""
MAX_DEPTH = 64
"""How many exchanges of one conversation are remembered."""

COMPARED = 80
"""How many characters of an answer tell that it is the one that is replayed."""

ExchangeName = tuple[str, ...]
"""What an exchange may be found by."""


@dataclass(slots=True)
class _Kept:
    exchange: Exchange
    size: int
    depth: int
    names: list[ExchangeName]


@dataclass(slots=True)
class Linker:
    """Remembers the exchanges of one file."""

    _kept: OrderedDict[int, _Kept] = field(default_factory=OrderedDict)
    _found_by: dict[ExchangeName, int] = field(default_factory=dict)
    _ids: IssuedIds = field(default_factory=IssuedIds)
    _size: int = 0
    _count: int = 0

    def knows(self, record_id: str) -> bool:
        """Whether the record with this id is remembered."""
        return ("record", record_id) in self._found_by

    def previous(self, record: RecordedExchange, exchange: Exchange) -> Exchange | None:
        """The exchange that this one continues, if it is remembered."""
        for name in self._questions(record, exchange):
            number = self._found_by.get(name)
            kept = self._kept[number] if number is not None else None
            if kept is not None and (name[0] != "opening" or self._is_like(exchange, kept.exchange)):
                return kept.exchange if kept.depth < MAX_DEPTH else replace(kept.exchange, previous=None)
        return None

    def _questions(self, record: RecordedExchange, exchange: Exchange) -> Iterator[ExchangeName]:
        if record.previous is not None:
            yield ("record", record.previous)
        if record.conversation is not None and record.turn is not None:
            yield ("turn", record.conversation, str(record.turn - 1))
        facts = exchange.facts
        if facts.previous is not None and tells(facts.previous) and not self._ids.shared(("response", facts.previous)):
            yield ("response", facts.previous, card(exchange.provider).format)
        ended = bool(facts.messages) and bool(facts.messages[-1].results)
        if not ended:  # the answer before was no call
            yield from reversed(list(_openings(exchange)))
        for call in reversed(_last_calls(exchange)):
            if tells(call.id, str(call.name)) and not self._ids.shared(("call", str(call.id))):
                yield ("call", str(call.id), str(call.name))
        if ended:
            yield from reversed(list(_openings(exchange)))

    def _is_like(self, exchange: Exchange, earlier: Exchange) -> bool:
        """Whether a request that begins like an earlier one goes on from its answer: the model and the host are the
        same, it replays the answer, and its calls have no ids from another answer."""
        if exchange.switched_from(earlier) is not None or not _replays(exchange, earlier):
            return False
        calls = earlier.offered.calls if earlier.offered is not None else ()
        own = {call.id for call in calls}
        same = [sent for sent in exchange.facts.calls for call in calls if _is_same(sent, call)]
        return any(sent.id in own for sent in same) or not any(self._ids.knows(sent.id) for sent in same)

    def keep(self, record: RecordedExchange, exchange: Exchange) -> None:
        """Remember an exchange, without what was only computed from it."""
        depth = self._depth(exchange.previous)
        lean = replace(
            exchange,
            request=replace(exchange.request) if isinstance(exchange.request, Request) else exchange.request,
            response=None, events=None if exchange.events is None else [],
            previous=exchange.previous if depth < MAX_DEPTH else None,
        )  # fmt: skip
        kept = _Kept(lean, record.size, depth, list(_names(record, exchange)))
        self._ids.add(exchange)
        self._count += 1
        self._kept[self._count] = kept
        self._size += kept.size
        self._found_by.update(dict.fromkeys(kept.names, self._count))
        while self._size > WINDOW and len(self._kept) > 1:
            self._forget()

    def _depth(self, previous: Exchange | None) -> int:
        depth = 0
        while previous is not None:
            depth, previous = depth + 1, previous.previous
        return depth

    def _forget(self) -> None:
        number, kept = self._kept.popitem(last=False)
        self._size -= kept.size
        for name in kept.names:
            if self._found_by.get(name) == number:
                del self._found_by[name]


def _names(record: RecordedExchange, exchange: Exchange) -> Iterator[ExchangeName]:
    if record.id is not None:
        yield ("record", record.id)
    if record.conversation is not None and record.turn is not None:
        yield ("turn", record.conversation, str(record.turn))
    for kind, value in issued_ids(exchange):
        if kind == "response":
            yield (kind, value, card(exchange.provider).format)
    for call in exchange.offered.calls if exchange.offered is not None else ():
        if tells(call.id, call.name):
            yield ("call", call.id, call.name)
    digests = _digests(exchange)
    if digests:
        yield _opening(exchange, digests[-1])


def _last_calls(exchange: Exchange) -> Sequence[SentCall]:
    """The calls of the last round that has any: earlier ones lead to an answer that others came after."""
    return next((turn.calls for turn in reversed(exchange.facts.rounds) if turn.calls), ())


def _opening(exchange: Exchange, digest: str) -> ExchangeName:
    return ("opening", exchange.provider, exchange.host, model_known_as(exchange.asked_model), digest)


def _messages(exchange: Exchange) -> list[Json]:
    messages = obj(exchange.facts.document).get(card(exchange.provider).forms.conversation)
    return messages if isinstance(messages, list) else []


def _openings(exchange: Exchange) -> Iterator[ExchangeName]:
    """The beginnings of a conversation that an assistant's message follows, the shortest first."""
    for digest, following in zip(_digests(exchange), _messages(exchange)[1:], strict=False):
        kind = obj(following).get("type")
        if obj(following).get("role") in ("assistant", "model") or kind in ("function_call", "reasoning"):
            yield _opening(exchange, digest)


def _replays(exchange: Exchange, earlier: Exchange) -> bool:
    """Whether a request replays what an earlier exchange was answered: the same calls, and the same text.

    Recordings of one test, made at different times, begin alike too: ids that look like the provider's own but are
    others come from another answer. Ids that look different were made by the client, which is worth a finding.
    """
    answer = earlier.offered
    if answer is None:
        return False
    own = [call.id for call in answer.calls if call.id]
    sent = exchange.facts.calls
    if not any(call.id in own for call in sent) and {_looks(one) for one in own} & {_looks(call.id) for call in sent}:
        return False
    same = all(any(_is_same(one, call) for one in sent) for call in answer.calls)
    start = answer.text.strip()[:COMPARED]
    return same and (start in _said(exchange.facts.messages) if start else not _said(exchange.facts.messages[-2:-1]))


def _is_same(sent: SentCall, call: ToolCall) -> bool:
    return (sent.name, sent.arguments) == (call.name, call.arguments)


def _looks(call_id: Json) -> tuple[str, int]:
    """What ids of one origin have in common: their prefix and their length."""
    return str(call_id).partition("_")[0][:8] if "_" in str(call_id) else "", len(str(call_id))


def _said(messages: list[SentMessage]) -> set[str]:
    """How the assistant's texts begin."""
    texts = [text for message in messages if message.role == "assistant" for _, text in message.texts]
    return {text.strip()[:COMPARED] for text in texts if isinstance(text, str) and text.strip()}


def _same_bytes(message: Json) -> bytes:
    """A message as bytes that are the same for equal ones, whatever the order of their members."""
    try:
        return msgspec.json.encode(message, order="deterministic")
    except ValueError:  # a lone surrogate
        return json.dumps(message, sort_keys=True, separators=(",", ":")).encode()


def _digests(exchange: Exchange) -> list[str]:
    """A digest of each beginning: of the first message, of the first two, and so on."""
    index = exchange.facts.index
    if "beginnings" not in index:
        digest, found = hashlib.sha256(), []
        for message in _messages(exchange):
            digest.update(_same_bytes(message) + b"\0")
            found.append(digest.hexdigest())
        index["beginnings"] = found
    known: list[str] = index["beginnings"]
    return known
