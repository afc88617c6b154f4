"""Speaking dialects: what the reference adapter sends, in other spellings, and what the rules say of it.

No rule may fail: a spelling that means the same is right, and a rule that minds it is a false alarm of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from conformance.coverage.documents import documents_of, forms_in
from conformance.coverage.measure import Measurement, measure, packaged, played
from conformance.coverage.scope import is_counted
from conformance.dialects.declared import declared, said_so
from conformance.dialects.derived import derived
from conformance.dialects.dialect import Dialect, dialect_of
from conformance.dialects.tables import table
from conformance.http import Request
from conformance.model import Profile, decoded_json
from conformance.rules import Rule, catalogue
from conformance.rules.check import Finding
from conformance.rules.judge import judge
from conformance.transcript import Exchange
from conformance.wires import card


@cache
def dialects_of(provider: str) -> Sequence[Dialect]:
    """The dialects that are tried with a provider: of its format, of itself, and what its SDK's types tell."""
    names = dict.fromkeys((card(provider).format, provider))
    return [*(dialect_of(entry) for name in names for entry in table().get(name, ())), *derived(provider)]


def spoken(dialect: Dialect, exchanges: Sequence[Exchange]) -> list[Exchange] | None:
    """A conversation in a dialect, model call by model call; ``None`` where it says nothing else."""
    if dialect.one_call and len(exchanges) > 1:
        return None
    done: dict[int, Exchange] = {}
    changed = False
    for exchange in exchanges:
        previous = done.get(id(exchange.previous), exchange.previous)
        other = _rewritten(dialect, exchange)
        if other is None:
            done[id(exchange)] = replace(exchange, previous=previous)
            continue
        variants = {
            name: replace(_rewritten(dialect, one) or one, previous=one.previous and previous)
            for name, one in exchange.variants.items()
        }  # a variant apart has nothing before it
        done[id(exchange)] = replace(other, previous=previous, variants=variants)
        changed = True
        if not _is_known(exchange, other):
            return None
    return list(done.values()) if changed else None


def _rewritten(dialect: Dialect, exchange: Exchange) -> Exchange | None:
    request = exchange.request
    if not isinstance(request, Request):
        return None
    document = dialect.spoken(decoded_json(request.body), exchange)
    if document is None:
        return None
    try:
        return replace(exchange, request=Request.post_json(request.url, document, request.headers))
    except UnicodeEncodeError:  # half of a pair of surrogates
        return None


def _is_known(before: Exchange, after: Exchange) -> bool:
    """Whether a host of another's format was recorded to take what is new. The provider of the format takes it."""
    provider = after.provider
    if card(provider).format == provider:
        return True
    new = _request_forms(after) - _request_forms(before)
    return all(form in packaged().get(provider, {}) for form in new if is_counted(provider, form))


def _request_forms(exchange: Exchange) -> frozenset[str]:
    documents = (one for one in documents_of(exchange) if one.side == "request")
    return frozenset(each.form for one in documents for each in forms_in(one, exchange.provider))


def conversations(provider: str) -> Iterator[tuple[str, Sequence[Exchange]]]:
    """All that is said in dialects, each with its dialect's name: what the reference adapter says in the scenarios, in
    other spellings, and tools of the provider's own."""
    plain = [*(exchanges for exchanges in played(provider) if _is_blocking(exchanges)), *said_so(provider)]
    for dialect in dialects_of(provider):
        found = (spoken(dialect, exchanges) for exchanges in plain)
        yield from ((dialect.name, exchanges) for exchanges in found if exchanges is not None)
    yield from declared(provider)


def _is_blocking(exchanges: Sequence[Exchange]) -> bool:
    return all(exchange.delivery is not None and not exchange.delivery.streaming for exchange in exchanges)


def measured(provider: str, recorded: Mapping[str, int], *, share: int = 1, look: bool = True) -> Measurement:
    """Measure a provider, with the dialects that no rule minds."""
    said = (exchanges for _, exchanges in conversations(provider))
    return measure(provider, recorded, share=share, look=look, beside=said, is_right=is_right)


def is_right(exchanges: Sequence[Exchange]) -> bool:
    """Whether no rule minds a conversation."""
    return next(alarms(exchanges), None) is None


@dataclass(frozen=True, slots=True)
class Alarm:
    """A rule that minds a dialect."""

    rule: str
    finding: Finding


def alarms(exchanges: Sequence[Exchange]) -> Iterator[Alarm]:
    """What the rules about requests say against a conversation."""
    for exchange in exchanges:
        for rule in build_rules(exchange.provider, exchange.profile):
            yield from (Alarm(rule.id, finding) for finding in judge(rule, exchange) if finding is not None)


@cache
def build_rules(provider: str, profile: Profile) -> Sequence[Rule]:
    """The rules about requests that apply."""
    return [rule for rule in catalogue().values() if rule.side == "build" and rule.applies_to(provider, profile)]
