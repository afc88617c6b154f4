"""Keys in the environment: which variables hold some, their values, and an environment without them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from urllib.parse import unquote

from conformance.masking.words import LEAST, is_always_removed, is_telling_piece

KEY_VARIABLES = frozenset({"OPENAI_ORG_ID", "OPENAI_PROJECT_ID"})
"""Variables that are not named as keys, and tell an account."""

_KEY_VARIABLE = re.compile(
    r"(?:KEY|KEYS|(?:^|_)(?:API|ACCESS|AUTH)_TOKENS|TOKEN|SECRET|SECRETS|PASSWORD|PASSWORDS|PASSWD|PASSPHRASE|CREDENTIALS?)"
    r"(?:_?ID|_?BASE|_?JSON|_?VALUE|_?BASE64|_?B64|_?PEM|_[A-Z]{1,2})?(?:_?[0-9]{1,4})?$"
    r"|(?:^|_)(?:PASS|PAT|JWT|AUTH|APIKEY|COOKIES?|DSN|SAS|CREDS|BEARER|CONNECTION_STRING|CONN_STR|WEBHOOK_URL)"
    r"(?:_?[0-9]{1,4})?$"
    r"|(?:^|_)BEARER_TOKEN_[A-Z0-9]{1,40}$",
    re.IGNORECASE,
)
_USER_INFO = re.compile(r"://([^\s/:@]{0,500}):([^\s/@]{1,500})@")
_PIECE = re.compile(r"[^\s,;\"'{}\[\]\\]{16,}")
_MANY = re.compile(r"[\s,;\"]")


@lru_cache(maxsize=10_000)
def is_key_variable(name: str) -> bool:
    """Whether a variable holds a key, going by its name: ours, and any other that is named as one."""
    return name in KEY_VARIABLES or _KEY_VARIABLE.search(name) is not None

_told: tuple[str, ...] = ()


def tell_keys(values: Iterable[str]) -> None:
    """Tell this process the keys in the environment of the one that started it without them."""
    global _told
    _told = tuple(values)


def key_variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that hold keys, with their values."""
    values = os.environ if environment is None else environment
    return {name: value for name, value in values.items() if value.strip() and is_key_variable(name)}


def keys_of_environment(environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """All values that are known to be secret, the short ones too: of lists each item, of addresses their password.

    Without an ``environment`` these are the keys of this process, and those that it was told.
    """
    if environment is None:
        yield from _told
    values = os.environ if environment is None else environment
    for value in key_variables(values).values():
        yield value.strip()
        if _MANY.search(value.strip()):
            yield from (piece for piece in _PIECE.findall(value) if is_telling_piece(piece))
    for value in values.values():
        for found in _USER_INFO.finditer(value) if "://" in value and "@" in value else ():
            yield from {found[2], unquote(found[2])}


def weak_variables(environment: Mapping[str, str] | None = None) -> list[str]:
    """The variables whose values are short or words of ours: these are removed only where they stand as credentials."""
    return [name for name, value in key_variables(environment).items() if not is_always_removed(value.strip())]


def variable_of(secret: str, environment: Mapping[str, str] | None = None) -> str | None:
    """The variable that holds a secret, or has it in its value."""
    values = os.environ if environment is None else environment
    holders = (name for name, value in values.items() if len(secret) >= LEAST and secret in value)
    return next(iter(sorted(holders, key=lambda name: not is_key_variable(name))), None)


def without_keys(environment: Mapping[str, str] | None = None, keep: Iterable[str] = ()) -> dict[str, str]:
    """The environment without the variables that hold keys, but for those in ``keep``.

    An address with a password is a key too, unless it is the proxy's: no program reaches the network without that.
    """
    values = os.environ if environment is None else environment
    kept = frozenset(keep)
    return {name: value for name, value in values.items() if name in kept or not _holds_key(name, value)}


def _holds_key(name: str, value: str) -> bool:
    return is_key_variable(name) or (not name.lower().endswith("_proxy") and _USER_INFO.search(value) is not None)
