"""Secrets in JSON documents: texts that are masked, and what stands under a secret name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from conformance.masking.environment import is_key_variable
from conformance.masking.names import is_loose_name, is_secret_header, is_secret_name
from conformance.masking.words import LEAST, SHOWN, is_distinctive, looks_secret, looks_secret_alone

_LONG_NUMBER = 6


DEEPEST = 200
"""What lies deeper in a document is not shown."""


Secret = Callable[[str], bool]
"""Whether a text that stands in some place is secret."""


def _never(text: str) -> bool:
    return False


def texts_of(value: Any) -> Iterator[str]:
    """All texts in a document, names too. A loop and no recursion, whatever its depth."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from item
            waiting += item.values()
        elif isinstance(item, list | tuple):
            waiting += item
        elif isinstance(item, int | float) and not isinstance(item, bool) and abs(item) >= 10 ** (LEAST - 1):
            yield _digits(item)


@dataclass(frozen=True, slots=True)
class DocumentMask:
    """Writes a document anew, its texts ``masked``. Values that are ``weak`` are removed under secret names only."""

    masked: Mapping[str, str]
    weak: Callable[[str], bool]

    def of(self, value: Any, secret: Secret = _never, depth: int = 0) -> Any:
        """The document without secrets. ``secret`` says what is one by the name under which it stands."""
        if isinstance(value, str):
            return SHOWN if secret is not _never and (secret(value) or self.weak(value)) else self.masked[value]
        if isinstance(value, dict | list | tuple):
            return SHOWN if depth == DEEPEST else self._of_many(value, secret, depth + 1)
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = _digits(value)
            hidden = (len(text) >= _LONG_NUMBER and secret(text)) or self.masked.get(text, text) != text
            return SHOWN if hidden else value
        return value

    def _of_many(self, value: Any, secret: Secret, depth: int) -> Any:
        if isinstance(value, dict):
            below = looks_secret if secret is bool or secret is looks_secret else _never
            told = _named_by_sibling(value)
            return {
                self.masked[key]: self.of(item, bool if key in told else _under(key) or below, depth)
                for key, item in value.items()
            }
        if len(value) == 2 and isinstance(value[0], str) and _is_header(value[0]):
            secret = looks_secret
        return [self.of(item, secret, depth) for item in value]


@lru_cache(maxsize=10_000)
def _under(name: str) -> Secret | None:
    """What is secret of what stands under a name, where the name says so."""
    if is_secret_name(name):
        return bool
    if _is_header(name) or (name.isupper() and "_" in name and is_key_variable(name)):
        return looks_secret
    return looks_secret_alone if is_loose_name(name) else None


def _named_by_sibling(value: dict[str, Any]) -> tuple[str, ...]:
    """Members whose name stands beside them, as in ``{"name": "x-api-key", "value": "…"}``."""
    if "value" not in value and "values" not in value:
        return ()
    names = (value.get(name) for name in ("name", "key", "header"))
    plain = [name for name in names if isinstance(name, str) and _HEADER.fullmatch(name)]
    secret = any(is_secret_name(name) or _is_header(name) for name in plain)
    return ("value", "values") if secret else ()


_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}")


def _is_header(name: str) -> bool:
    """Whether this is the name of a secret header, rather than a word."""
    if _HEADER.fullmatch(name) is None:
        return False
    return ("-" in name and is_secret_header(name)) or name.lower() == "authorization"


def _digits(number: float) -> str:
    """A number as it is written; nothing for one that is too long to be written quickly."""
    return str(number) if abs(number) < 10**300 else ""


def under_secret_names(document: object) -> Iterator[str]:
    """What stands under secret names, and is told apart from words."""
    waiting = [document]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            told = _named_by_sibling(item)
            for name, value in item.items():
                if isinstance(value, str) and (is_secret_name(name) or name in told) and is_distinctive(value):
                    yield value
            waiting += item.values()
        elif isinstance(item, list | tuple):
            waiting += item
