"""Which provider, scenario, session and fault a request is about: from its path's prefix, its headers, its path.

A prefix is any number of pairs before the provider's own path: ``/p/<provider>``, ``/s/<scenario>``, ``/id/<session>``,
``/fault/<fault>``. An SDK takes it as part of its base URL. The header ``x-conformance-provider`` (``-scenario``,
``-session``, ``-fault``) says the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import unquote

from conformance.http import Request
from conformance.wires import PROVIDERS, card, known_ids, routing

AddressPart = Literal["provider", "scenario", "session", "fault"]

PREFIXES: Mapping[str, AddressPart] = {"p": "provider", "s": "scenario", "id": "session", "fault": "fault"}
HEADERS: Mapping[AddressPart, str] = {part: f"x-conformance-{part}" for part in PREFIXES.values()}

MODEL_PREFIX = "conformance/"
"""What stands before a scenario's id in the name of a model."""
_MODEL = re.compile(r"(?<=/)conformance(?:/|%2[Ff])(?=[^/]+(?::|/chat/completions))")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a request goes. ``path`` is the provider's own; ``known`` is false when the provider was only guessed."""

    provider: str
    path: str
    scenario: str | None = None
    session: str | None = None
    fault: str | None = None
    known: bool = True
    unknown: str | None = None
    """A provider that was asked for by name, and that there is not."""

    @property
    def own_path(self) -> str:
        """The path as the provider would see it: without the word that marks a scenario in a model's name."""
        return _MODEL.sub("", self.path)

    def request(self, request: Request) -> Request:
        """The request as if it had gone to the provider's own host: being here is not the client's doing."""
        query = f"?{request.query}" if request.query else ""
        return replace(request, url=f"{card(self.provider).origin}{self.own_path}{query}")


def address_of(request: Request) -> ServerAddress:
    """Where a request goes. Never fails: what cannot be told is guessed, and said to be."""
    found: dict[str, str] = {}
    path = _without_prefix(request.path, found)
    for part, header in HEADERS.items():
        value = request.header(header)
        if value:
            found.setdefault(part, value)
    asked = found.pop("provider", None)
    provider = asked if asked in known_ids() else _by_path(path, request)
    known = provider is not None
    provider = provider or routing.by_headers(request.headers) or PROVIDERS[0]
    return ServerAddress(provider, path, known=known, unknown=_unknown(asked), **found)


def _unknown(asked: str | None) -> str | None:
    return asked if asked is not None and asked not in known_ids() else None


def _without_prefix(path: str, found: dict[str, str]) -> str:
    """The path after its prefix; what the prefix says goes into ``found``."""
    while True:
        _, _, rest = path.partition("/")
        word, _, rest = rest.partition("/")
        value, slash, rest = rest.partition("/")
        if word not in PREFIXES or not value:
            return path
        found.setdefault(PREFIXES[word], unquote(value))
        path = slash + rest


def _by_path(path: str, request: Request) -> str | None:
    return routing.by_whole_path(path, routing.without_port(request.header("host") or ""))


def has_path(address: ServerAddress) -> bool:
    """Whether the path is one of the provider's. A base URL may have put anything before it."""
    return routing.has_path(address.provider, address.path)
