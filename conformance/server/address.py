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
from urllib.parse import unquote, urlsplit

from conformance.http import Request
from conformance.traffic.recognise import OWN_HOSTS
from conformance.wires import PROVIDERS
from conformance.wires.hosts import BASE_URLS

Part = Literal["provider", "scenario", "session", "fault"]

PREFIXES: Mapping[str, Part] = {"p": "provider", "s": "scenario", "id": "session", "fault": "fault"}
HEADERS: Mapping[Part, str] = {part: f"x-conformance-{part}" for part in PREFIXES.values()}

PATHS: tuple[tuple[str, str], ...] = (
    (r"/(openai/deployments/[^/]+|openai/v1|models)/chat/completions", "azure"),
    (r"(/v1[^/]*)?/(models|tunedModels|projects)/.+:(streamG|g)enerateContent", "gemini"),
    (r"/api/chat", "ollama"),
    (r"(/v1)?/messages", "anthropic"),
    (r"(/v1|/openai/v1)?/responses", "openai-responses"),
    (r"/v1/chat/completions", "openai-chat"),
    (r"/chat/completions", "deepseek"),
    (r"(/v1)?/conversations", "unified"),
)
"""Whole paths, and whose they are. Without ``/v1``, chat completions are DeepSeek's."""

_KEYS: tuple[tuple[str, str], ...] = (
    ("anthropic-version", "anthropic"), ("x-goog-api-key", "gemini"), ("api-key", "azure"),
)  # fmt: skip
"""Headers that only clients of one provider send: in whose words to say that a path is wrong."""

_CHAT_HOSTS = ("azure", "xai", "deepseek", "mistral")
MODEL_PREFIX = "conformance/"
"""What stands before a scenario's id in the name of a model."""
_MODEL = re.compile(r"(?<=/)conformance(?:/|%2[Ff])(?=[^/]+(?::|/chat/completions))")


@dataclass(frozen=True, slots=True)
class Address:
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
        own = urlsplit(BASE_URLS[self.provider])
        query = f"?{request.query}" if request.query else ""
        return replace(request, url=f"{own.scheme}://{own.netloc}{self.own_path}{query}")


def address_of(request: Request) -> Address:
    """Where a request goes. Never fails: what cannot be told is guessed, and said to be."""
    found: dict[str, str] = {}
    path = _without_prefix(request.path, found)
    for part, header in HEADERS.items():
        value = request.header(header)
        if value:
            found.setdefault(part, value)
    asked = found.pop("provider", None)
    provider = asked if asked in PROVIDERS else _by_path(path, request)
    known = provider is not None
    return Address(provider or _by_headers(request), path, known=known, unknown=_unknown(asked), **found)


def _unknown(asked: str | None) -> str | None:
    return asked if asked is not None and asked not in PROVIDERS else None


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
    ours = next((provider for pattern, provider in PATHS if re.fullmatch(f"(?:{pattern})/?", path)), None)
    if ours not in ("openai-chat", "deepseek"):
        return ours
    host = (request.header("host") or "").rpartition(":")[0] or request.header("host") or ""
    return next((name for name in _CHAT_HOSTS if re.fullmatch(OWN_HOSTS[name], host)), ours)


def _by_headers(request: Request) -> str:
    return next((provider for header, provider in _KEYS if request.header(header)), "openai-chat")


def has_path(address: Address) -> bool:
    """Whether the path is one of the provider's. A base URL may have put anything before it."""
    patterns = [pattern for pattern, provider in PATHS if provider == address.provider]
    if address.provider in ("openai-chat", "azure", "xai", "deepseek", "mistral"):
        patterns.append("/chat/completions")
    return any(re.search(f"(?:{pattern})/?$", address.path) for pattern in patterns)
