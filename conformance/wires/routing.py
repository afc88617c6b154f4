"""Whose a request is, by its host and its path: the only place that matches them.

Patterns stand on the cards. Several providers may share a format and thus a path; then the host decides, and where that
does not tell either, the provider whose format it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

from conformance.model import Json
from conformance.wires import card, cards, host_file, known_ids
from conformance.wires.card import Card, Sign

REMEMBERED = 1_000
"""For how many hosts and paths the answers are remembered: traffic has few of them, again and again."""


def is_model_call(path: str) -> bool:
    """Whether a path ends as a model call of any provider does."""
    return _any_call().search(path) is not None


@lru_cache(maxsize=REMEMBERED)
def by_path_end(path: str, host: str) -> str | None:
    """The provider of a request by how its path ends, whatever stands before; ``host`` is without port."""
    found = (one for one in cards() for end in one.path_ends if _ends(end).search(path))
    return _of_host(next(found, None), host)


def by_whole_path(path: str, host: str) -> str | None:
    """The provider of a request by its whole path, as at the provider's own address."""
    found = (one for one in cards() for own in one.paths if re.fullmatch(f"(?:{own})/?", path))
    return _of_host(next(found, None), host)


def has_path(provider: str, path: str) -> bool:
    """Whether a path ends as one of the provider's. A base URL may have put anything before it."""
    one = card(provider)
    ends = (*one.paths, *(card(one.format).path_ends if one.any_base else ()))
    return any(re.search(f"(?:{end})/?$", path) for end in ends)


@lru_cache(maxsize=REMEMBERED)
def is_own_host(provider: str, host: str) -> bool:
    """Whether a host, without port, is the provider's own. What runs anywhere is at home everywhere."""
    own = card(provider).own_hosts
    return own is None or re.fullmatch(own, host) is not None


@lru_cache(maxsize=REMEMBERED)
def is_known_host(host: str) -> bool:
    """Whether a host, without port, is a provider's own, or that of a host with a file."""
    return any(own is not None and re.fullmatch(own, host) for own in (card(one).own_hosts for one in known_ids()))


def by_headers(names: Iterable[str]) -> str | None:
    """The provider whose clients alone send one of these headers."""
    sent = {name.lower() for name in names}
    return next((one.id for one in cards() if sent & set(one.own_headers)), None)


def by_request(document: Mapping[str, Json], path: str) -> str | None:
    """The provider of a request by what its body looks like. Formats that several share are not guessed."""
    signed = (one for one in _marked() if path.endswith(one.marks.path) and _bears(document, one.marks.requests))
    return next((one.id for one in signed), None)


def by_answer(document: Mapping[str, Json]) -> str | None:
    """The provider of an answer, or of the first event of a stream, by what it looks like."""
    return next((one.id for one in _marked() if _bears(document, one.marks.answers)), None)


@lru_cache(maxsize=REMEMBERED)
def host_at(provider: str, host: str) -> str:
    """Whose file tells what is taken at a host, port included, where a provider's format is spoken: the host that is at
    home there, else the provider itself."""
    return next((one for one in _based_on(provider) if _is_at(card(one), host)), provider)


def by_opening(body: bytes) -> str | None:
    """The address of a host, with its port if it has one, that is recognised by how its answers begin."""
    opened = (one for one in _with_openings() if re.search(one.marks.opening.encode(), body[:1000]))
    return next((urlsplit(one.base_url).netloc for one in opened), None)


@cache
def _based_on(provider: str) -> tuple[str, ...]:
    spoken = card(provider).format
    return tuple(name for name in known_ids() if host_file(name) is not None and card(name).format == spoken)


def _is_at(one: Card, host: str) -> bool:
    own = one.own_hosts
    return own is not None and any(re.fullmatch(own, name) for name in (host, without_port(host)))


@cache
def _with_openings() -> tuple[Card, ...]:
    return tuple(one for one in map(card, known_ids()) if one.marks.opening)


def without_port(host: str) -> str:
    """A host without its port."""
    return host.rpartition(":")[0] or host


def _of_host(found: Card | None, host: str) -> str | None:
    """Of the providers that share the format of the one found by its path, the one at this host."""
    if found is None:
        return None
    family = (one for one in cards() if one.format == found.format and one.own_hosts is not None)
    return next((one.id for one in family if is_own_host(one.id, host)), found.id)


def _marked() -> tuple[Card, ...]:
    """Those whose traffic can be recognised by itself. The marks with a path are the narrower ones."""
    own = [one for one in cards() if one.format == one.id]
    return tuple(sorted(own, key=lambda one: not one.marks.path))


def _bears(document: Mapping[str, Json], signs: Iterable[Sign]) -> bool:
    return any(all(_fits(document, name, wanted) for name, wanted in sign.items()) for sign in signs)


def _fits(document: Mapping[str, Json], name: str, wanted: type | tuple[str, ...]) -> bool:
    if name not in document:
        return False
    value: Any = document[name]
    return value in wanted if isinstance(wanted, tuple) else isinstance(value, wanted)


@cache
def _ends(pattern: str) -> re.Pattern[str]:
    return re.compile(f"(?:{pattern})$")


@cache
def _any_call() -> re.Pattern[str]:
    ends = dict.fromkeys(end for one in map(card, known_ids()) for end in (*one.paths, *one.path_ends))
    return re.compile(f"(?:{'|'.join(ends)})/?$")
