"""What a recording cannot be judged on, because recorders change it before they write.

* Keys, queries and headers are dropped: rules about them look only at requests that are at hand, not recorded
  (`Exchange.intent` is known of those alone).
* Ids and signatures are replaced, by one placeholder for all or by one for each, in the request, in the answer, or in
  both: vcrpy's ``before_record_*`` hooks, go-vcr's ``BeforeSaveHook``, snapshot serializers and hand-made fixtures do.
  Where an id of an exchange is such a placeholder, nothing is said about the form of ids, whether they are unique, and
  what belongs to what by them; a signature that is one, or holds one, is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from conformance.model import Json
from conformance.rules.check import Finding
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj

ID_RULES = frozenset({
    "anthropic.continuation.container-named", "anthropic.history.assistant-content-replayed",
    "anthropic.history.own-blocks-unchanged", "anthropic.history.server-calls-closed",
    "anthropic.ids.pattern-and-uniqueness",
    "anthropic.result.references-tool-use-id", "chat.continuation.full-history", "chat.ids.max-length",
    "common.history.call-replayed-before-result", "common.ids.verbatim-round-trip",
    "common.result.exactly-one-per-call", "common.result.no-orphan",
    "compat.history.reasoning-details",
    "gemini.ids.echoed-when-present", "gemini.ids.synthetic-not-on-wire", "mistral.ids.nine-alphanumerics",
    "responses.continuation.previous-response-id", "responses.history.item-id-prefix",
    "responses.history.reasoning-items-passed-back", "responses.history.marks-kept",
    "responses.ids.call-id-length-64", "responses.ids.item-length-64", "responses.ids.items-unique",
    "responses.result.approval-answered", "responses.result.client-items-answered",
})  # fmt: skip
"""The rules that judge ids, or tell by them what belongs to what."""

ID_LIBERTIES = frozenset({"changing_ids"})
"""What a stream may do whose ids a recorder replaced, beyond the grammar."""

_SIGNATURES = frozenset({"thoughtSignature", "thought_signature", "signature", "encrypted_content"})
"""The fields of signatures, in every format."""

_PLACEHOLDER = re.compile(
    r"[*<>\[\]{}…]|\.\.\."
    r"|redact|scrub|saniti[sz]|anonymi[sz]|obfuscat|placeholder|masked|filtered|dummy"
    r"|(?:^|[_-])(?:x{3,}|\#{3,})$",
    re.IGNORECASE,
)
"""``REDACTED``, ``call_***``, ``<id>``, ``[ID-2]``, ``toolu_sanitized``, ``call_XXXX``. No provider and no client that
we know of makes such ids. Zeros are none: magentic sent ``000000000`` for every id that it had received."""
_LONGEST = 64

_CUT_OUT = re.compile(r"REDACTED|[*<>\[\]{}…]")
"""What recorders that look for secrets leave in the middle of a signature. Base64 has none of these characters, and
hardly ever the word."""


def is_placeholder(value: Json) -> bool:
    """Whether a recorder put this in the place of an id or a signature."""
    return isinstance(value, str) and len(value) <= _LONGEST and _is_placeholder(value)


@lru_cache(maxsize=10_000)
def _is_placeholder(value: str) -> bool:
    """The same ids come again and again, in the history of a conversation and in the events of a stream."""
    return _PLACEHOLDER.search(value) is not None


def has_kept_ids(exchange: Exchange, answered: bool) -> bool:
    """Whether the ids of a recorded exchange, and of the one that it continues, are those that were sent.

    One id for all calls is a placeholder too, whatever it looks like, where the provider answered: ``answered``.
    """
    both = (exchange,) if exchange.previous is None else (exchange, exchange.previous)
    return not any(map(has_placeholders, both)) and not (answered and _is_one_for_all(exchange))


def has_placeholders(exchange: Exchange) -> bool:
    """Whether an id of an exchange is a placeholder. It is looked up once: the exchange that goes on from it asks
    again, when its request is not at hand in neutral words any more."""
    if exchange.redacted is None:
        exchange.redacted = any(is_placeholder(one) for one in _ids(exchange) if one is not None)
    return exchange.redacted


def _ids(exchange: Exchange) -> Iterator[Json]:
    facts = exchange.facts
    yield facts.previous
    yield from (call.id for call in facts.calls)
    yield from (result.ref for result in facts.results)
    yield from _ids_in_items(facts.document)
    yield from _ids_in_items({"messages": [exchange.answer]})
    yield obj(exchange.answer).get("id")
    yield from (obj(item).get("id") for _, item in items(obj(exchange.answer).get("output")))
    yield from (call.id for call in exchange.offered.calls) if exchange.offered is not None else ()


def _ids_in_items(document: Json) -> Iterator[Json]:
    """Ids of what is no call of the application's: items of Responses, and Anthropic's blocks of server tools. Its
    answer is a message, too."""
    messages = (obj(message).get("content") for _, message in items(obj(document).get("messages")))
    for group in (obj(document).get("input"), *messages):
        for _, item in items(group):
            yield from (obj(item).get(name) for name in ("id", "call_id", "tool_use_id"))


def liberties_of(exchange: Exchange) -> frozenset[str]:
    """The liberties of a recorded stream: those of replaced ids where an event has such a one."""
    said = (event.document for event in exchange.events or () if '"item' in event.data)
    ids = (one for event in map(obj, said) for one in (event.get("item_id"), obj(event.get("item")).get("id")))
    return ID_LIBERTIES if any(map(is_placeholder, ids)) else frozenset()


def _is_one_for_all(exchange: Exchange) -> bool:
    ids = [call.id for call in exchange.facts.calls]
    return len(ids) > 1 and bool(ids[0]) and all(one == ids[0] for one in ids)


def is_signature_lost(item: Finding) -> bool:
    """Whether a finding is about a signature that the recorder replaced, or cut a piece out of."""
    told = item.found if isinstance(item.found, str) else ""
    return item.at.rpartition("/")[2] in _SIGNATURES and (is_placeholder(told) or _CUT_OUT.search(told) is not None)
