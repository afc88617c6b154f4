"""What it takes to call a provider for real: where, with which key, and in which header. Keys come from variables.

Variables and headers are those of the providers' own SDKs. Default models are inexpensive ones that call tools; name
another with ``--model``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from conformance.http import Request
from conformance.wires.hosts import BASE_URLS


@dataclass(frozen=True, slots=True)
class Account:
    """How one provider is called."""

    provider: str
    key_variables: tuple[str, ...]
    model: str
    header: str = "authorization"
    prefix: str = "Bearer "
    url_variable: str | None = None
    """The variable with the base URL, where there is no official one for everybody."""

    @property
    def official(self) -> str:
        """The host that adapters are given, and that requests name."""
        return urljoin(BASE_URLS[self.provider], "/").rstrip("/")


_ACCOUNTS = [
    Account("openai-chat", ("OPENAI_API_KEY",), "gpt-4.1-mini"),
    Account("openai-responses", ("OPENAI_API_KEY",), "gpt-4.1-mini"),
    Account("anthropic", ("ANTHROPIC_API_KEY",), "claude-haiku-4-5", "x-api-key", ""),
    Account(
        "gemini", ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "gemini-2.5-flash", "x-goog-api-key", "",
    ),
    Account("ollama", (), "qwen3:8b", url_variable="OLLAMA_HOST"),
    Account(
        "azure", ("AZURE_OPENAI_API_KEY",), "gpt-4.1-mini", "api-key", "",
        url_variable="AZURE_OPENAI_ENDPOINT",
    ),
    Account("xai", ("XAI_API_KEY",), "grok-3-mini"),
    Account("deepseek", ("DEEPSEEK_API_KEY",), "deepseek-chat"),
    Account("mistral", ("MISTRAL_API_KEY",), "mistral-small-latest"),
    Account(
        "unified", ("CONFORMANCE_UNIFIED_API_KEY",), "default",
        url_variable="CONFORMANCE_UNIFIED_URL",
    ),
]  # fmt: skip

ACCOUNTS: Mapping[str, Account] = {account.provider: account for account in _ACCOUNTS}
"""Every provider's."""

CREDENTIALS = frozenset({"authorization", "x-api-key", "x-goog-api-key", "api-key"})
"""Headers in which adapters put the placeholder for a key."""


@dataclass(frozen=True, slots=True)
class Access:
    """A provider that can be called: its ``account``, the base URL to use instead of the official one, and the key."""

    account: Account
    base_url: str
    key: str | None

    def addressed(self, request: Request) -> Request:
        """``request`` as it must really be sent: to the base URL, and with the key in place of a placeholder."""
        sent, base = urlsplit(request.url), urlsplit(self.base_url)
        pairs = parse_qsl(sent.query, keep_blank_values=True)
        query = urlencode([(name, value) for name, value in pairs if name != "key" or not self.key])
        url = urlunsplit((base.scheme, base.netloc, base.path.rstrip("/") + sent.path, query, ""))
        headers = dict(request.headers)
        if self.key:
            headers = {name: value for name, value in headers.items() if name.lower() not in CREDENTIALS}
            headers[self.account.header] = self.account.prefix + self.key
        return Request(request.method, url, headers, request.body)


def access(provider: str, base_url: str | None = None) -> Access | str:
    """How to call a provider now; or which variable must be set for that.

    ``base_url`` stands before the path of the provider's API, version included (``/v1/…``). Nobody asks for a key on
    loopback.
    """
    account = ACCOUNTS[provider]
    url = base_url or (os.environ.get(account.url_variable) if account.url_variable else account.official)
    if not url:
        return f"set {account.url_variable}"
    url = url if "//" in url else f"http://{url}"
    key = next((os.environ[name] for name in account.key_variables if os.environ.get(name)), None)
    if key is None and account.key_variables and not _on_loopback(url):
        return f"set {account.key_variables[0]}"
    return Access(account, url, key)


def _on_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == "localhost" or host == "::1" or host.startswith("127.")
