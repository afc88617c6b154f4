"""Where a request goes, in a form in which two spellings of the same address are equal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qsl, quote, urlsplit

_DEFAULT_PORTS = {"http": ":80", "https": ":443"}

_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@")
"""What a segment of a path may hold unescaped (RFC 3986, 3.3). Some libraries escape the colon of Gemini's methods."""


@dataclass(frozen=True, slots=True)
class CanonicalAddress:
    """``host`` in lower case and without a default port; ``query`` sorted, without the parameters that do not count."""

    host: str
    path: str
    query: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        pairs = "&".join(f"{quote(name, safe='$')}={quote(value, safe='')}" for name, value in self.query)
        return self.host + self.path + (f"?{pairs}" if pairs else "")


@lru_cache(maxsize=4096)
def address(url: str, without: frozenset[str], paths: tuple[tuple[str, str], ...] = ()) -> CanonicalAddress:
    """The address in ``url``. ``without`` names, in lower case, the query parameters that do not count.

    ``paths`` are regular expressions, and what stands in their place in the path. Text that is no URL is a path.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return CanonicalAddress("", url, ())
    host = parts.netloc.rpartition("@")[2].lower().removesuffix(_DEFAULT_PORTS.get(parts.scheme.lower(), ""))
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = tuple(sorted(pair for pair in pairs if pair[0].lower() not in without))
    path = _ESCAPE.sub(_unescaped, parts.path)
    for pattern, instead in paths:
        path = re.sub(pattern, instead, path)
    return CanonicalAddress(host, path or "/", query)


def _unescaped(escape: re.Match[str]) -> str:
    """A needless escape as its character; others in upper case (RFC 3986, 6.2.2)."""
    char = chr(int(escape.group()[1:], 16))
    return char if char in _PLAIN else escape.group().upper()
