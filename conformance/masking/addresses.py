"""Addresses without what is secret in them: user and password, and the values of secret parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote, unquote_plus

from conformance.masking.names import is_secret_parameter

USER_INFO = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*://)[^/?#]*@")
_PAIR = re.compile(r"([&;]?)([^&;]*)")


def address_without_secrets(url: str, instead: str) -> str:
    """``url`` without user, password and fragment, and with ``instead`` for the values of secret parameters."""
    address, mark, query = USER_INFO.sub(r"\1", url.partition("#")[0]).partition("?")
    return address + mark + _PAIR.sub(lambda found: found[1] + _pair(found[2], instead), query)


def _pair(pair: str, instead: str) -> str:
    name, mark, value = pair.partition("=")
    return f"{name}{mark}{instead}" if value and is_secret_parameter(unquote_plus(name)) else pair


def secrets_of_address(url: str) -> Iterator[str]:
    """The secret values in an address, as they stand there and decoded."""
    user_info = USER_INFO.match(url)
    if user_info:
        credentials = user_info.group()[len(user_info[1]) : -1]
        for value in (credentials, *credentials.split(":", 1)):
            yield from {value, unquote(value)}
    query = url.partition("?")[2].partition("#")[0]
    for found in _PAIR.finditer(query):
        name, _, value = found[2].partition("=")
        if value and is_secret_parameter(unquote_plus(name)):
            yield from {value, unquote_plus(value)}
