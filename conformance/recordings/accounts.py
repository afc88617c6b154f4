"""What it takes to call a provider for real: where, with which key, and in which header. Keys come from variables.

Variables and headers are those of the providers' own SDKs, and stand on the providers' cards. Default models are
inexpensive ones that call tools; name another with ``--model``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from conformance.http import Request, url_parts
from conformance.wires import card, known_ids
from conformance.wires.card import Card

CREDENTIALS = frozenset(card(name).key.header for name in known_ids())
"""Headers in which adapters put the placeholder for a key."""


@dataclass(frozen=True, slots=True)
class Access:
    """A provider that can be called: its ``card``, the base URL to use instead of the official one, and the key."""

    card: Card
    base_url: str
    key: str | None

    def addressed(self, request: Request) -> Request:
        """``request`` as it must really be sent: to the base URL, and with the key in place of a placeholder."""
        sent, base = url_parts(request.url), urlsplit(self.base_url)
        pairs = parse_qsl(sent.query, keep_blank_values=True)
        query = urlencode([(name, value) for name, value in pairs if name != "key" or not self.key])
        url = urlunsplit((base.scheme, base.netloc, base.path.rstrip("/") + sent.path, query, ""))
        headers = dict(request.headers)
        if self.key:
            headers = {name: value for name, value in headers.items() if name.lower() not in CREDENTIALS}
            headers[self.card.key.header] = self.card.key.prefix + self.key
        return Request(request.method, url, headers, request.body)


@dataclass(frozen=True, slots=True)
class UnsetVariable:
    """The variable of the environment that must be set before a provider can be called."""

    name: str

    def __str__(self) -> str:
        return f"set {self.name}"


def access(provider: str, base_url: str | None = None) -> Access | UnsetVariable:
    """How to call a provider now; or which variable must be set for that.

    ``base_url`` stands before the path of the provider's API, version included (``/v1/…``). Nobody asks for a key on
    loopback.
    """
    own = card(provider)
    url = base_url or (os.environ.get(own.url_variable) if own.url_variable else own.origin)
    if not url:
        return UnsetVariable(str(own.url_variable))
    url = url if "//" in url else f"http://{url}"
    key = next((os.environ[name] for name in own.key.variables if os.environ.get(name)), None)
    if key is None and own.key.variables and not _on_loopback(url):
        return UnsetVariable(own.key.variables[0])
    return Access(own, url, key)


def _on_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == "localhost" or host == "::1" or host.startswith("127.")
