"""Where a server is, whose format it speaks, and how it is asked: with which model, and which key."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from conformance.documents import DocumentError
from conformance.hints import nearest
from conformance.http import Request, url_parts
from conformance.masking.environment import tell_keys
from conformance.servers.recipe import known_servers, load_server
from conformance.wires import PROVIDERS, card, known_ids
from conformance.wires.card import Card

GUESSED = "openai-chat"
"""The format that is meant where nothing tells: most servers speak it."""


@dataclass(frozen=True, slots=True)
class AskedServer:
    """A server that can be asked. ``url`` is the base URL that a user would give to the provider's own SDK."""

    url: str
    provider: str
    model: str
    key: str | None = None

    @property
    def card(self) -> Card:
        """The card of the provider or host whose format it speaks."""
        return card(self.provider)

    @property
    def home(self) -> str:
        """The host and port of the provider or host itself: what is known of that holds for this server."""
        return urlsplit(self.card.base_url).netloc

    def addressed(self, request: Request) -> Request:
        """``request`` as it goes to this server: to its base URL, and with its key in place of the placeholder."""
        own, sent, base = self.card, url_parts(request.url), urlsplit(self.url)
        path = base.path.rstrip("/") + sent.path.removeprefix(own.base_path.rstrip("/"))
        headers = dict(request.headers)
        if self.key:
            headers = {name: value for name, value in headers.items() if name.lower() != own.key.header}
            headers[own.key.header] = own.key.prefix + self.key
        url = urlunsplit((base.scheme, base.netloc, path, sent.query, ""))
        return Request(request.method, url, headers, request.body)


def server_at(word: str, provider: str = "", model: str = "", key_variable: str = "") -> AskedServer:
    """The server that a word names: a URL, or a known server's name. Raises `DocumentError`.

    The key is the value of ``key_variable``, else of the provider's usual variable, if it is set.
    """
    url, known = word, None
    if "://" not in word:
        names = known_servers()
        if word not in names:
            hint = nearest(word, names, "'conformance list servers'")
            raise DocumentError(f"{word!r} is no URL and no known server{hint}")
        known = load_server(word)
        url, provider, model = known.url, provider or known.provider, model or known.model
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DocumentError(f"{url!r} is no URL of a server: give one such as http://127.0.0.1:8000/v1")
    provider = provider or _at_home(parts.hostname, parts.port) or GUESSED
    if provider not in known_ids():
        raise DocumentError(f"--provider {provider}: there is none of that name{nearest(provider, known_ids())}")
    return AskedServer(url, provider, model or card(provider).model, _key(card(provider), key_variable))


def _at_home(host: str, port: int | None) -> str:
    """The provider whose usual address it is. A host is meant only where it is named: it is judged more leniently."""
    netloc = host if port is None else f"{host.replace('127.0.0.1', 'localhost')}:{port}"
    return next((one for one in PROVIDERS if urlsplit(card(one).base_url).netloc == netloc), "")


def _key(own: Card, variable: str) -> str | None:
    names = (variable,) if variable else own.key.variables
    key = next((os.environ[name] for name in names if os.environ.get(name)), None)
    if variable and key is None:
        raise DocumentError(f"--key-env {variable}: this variable is not set")
    tell_keys([key] if key else [])
    return key
