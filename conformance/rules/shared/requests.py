"""Where a request goes, and whether it carries a key."""

from __future__ import annotations

import re

from conformance.http import Request
from conformance.transcript import Exchange


def has_bearer(request: Request) -> bool:
    """Whether the request carries a bearer token."""
    scheme, _, token = (request.header("authorization") or "").partition(" ")
    return scheme.lower() == "bearer" and bool(token.strip())


_DOUBLED = re.compile(r"//|((?:/[^/]+){1,4})\1(?=/|$)")
"""What comes of a base URL with a slash at its end, or of one that already holds what is put behind it."""


def posts_to(x: Exchange, request: Request, path: str) -> bool:
    """Whether a request is posted to an address that ends with ``path`` and says nothing twice in a row.

    Where a host puts its API is its own affair, but none has it at a doubled path (what is recorded was answered, and
    scrubbed parts look alike):
    "Invalid URL (POST /v1/chat/completions/chat/completions)" https://github.com/harry0703/MoneyPrinterTurbo/issues/57,
    404 for a base URL with a slash at its end https://github.com/sigoden/aichat/issues/767
    """
    doubled = x.intent is not None and _DOUBLED.search(request.path) is not None
    return request.method.upper() == "POST" and request.path.endswith(path) and not doubled
