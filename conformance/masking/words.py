"""Values by their looks: what stands for a secret, what is too simple to be one, and what is told apart from words."""

from __future__ import annotations

import math
import re
from collections import Counter

PLACEHOLDER = "SCRUBBED"
"""What stands where a secret was. It needs no escaping in JSON, in a URL or in a header."""

SHOWN = "…"
"""What stands for a secret in what people read."""

OWN_WORDS = frozenset({PLACEHOLDER, "test-key", "dummy", "unused", "test", "any"})
"""What we, and our documentation, give for a key. They tell nothing, and stand in much that is no secret."""

LEAST = 8
"""From so many characters on, a known value is removed wherever it stands."""

_WORDS = re.compile(
    r"(?i)scrubbed|redacted|filtered|removed|masked|hidden|placeholder|dummy|sanitized|obfuscated|<[^<>]*>|\*{3,}|x{4,}"
    r"|\.{3}|…|your[-_ ]|fake|mock|example|not[-_]a[-_]|\{\{"
    r"|(?-i:^\$?\{?[A-Z][A-Z0-9]*_[A-Z0-9_]+\}?$)"
)
_NO_VALUE = re.compile(r"[*x.…\s-]*|<[^>]*>|\$?\{{0,2}[A-Z][A-Z0-9]*_[A-Z0-9_]+\}{0,2}")
_CLOCK = re.compile(r"[0-9:.,+/TZ-]{1,15}")

_LONG_RUN = re.compile(r"[A-Za-z0-9]{12}")
_HUMP = re.compile(r"[a-z][A-Z]")


def is_stand_in(value: str) -> bool:
    """Whether a value stands for a secret, or is too simple to be one: fewer than 24 bits in all."""
    return bool(_WORDS.search(value)) or _bits(value) < 24


def _bits(value: str) -> float:
    counts = Counter(value)
    size = len(value)
    return -sum(count * math.log2(count / size) for count in counts.values())


def is_always_removed(value: str) -> bool:
    """Whether a value that is known to be secret is removed wherever it stands, and not only as a credential."""
    return len(value) >= LEAST and value not in OWN_WORDS


def is_distinctive(value: str) -> bool:
    """Whether a value that stood as a credential is unlikely to occur elsewhere by chance, so that it may be removed
    wherever it does. Words, paths, times and dates are not."""
    if len(value) < LEAST or value in OWN_WORDS or _NO_VALUE.fullmatch(value) or _bits(value) < 20:
        return False
    if value.startswith("/") or "://" in value or _CLOCK.fullmatch(value):
        return False
    plain = value.islower() and value.replace("-", "").replace("_", "").isalpha()
    return len(value) >= 20 or not (plain or (value.isalpha() and value.istitle()))


def is_telling_piece(piece: str) -> bool:
    """Whether a piece of a secret tells the secret apart from words, so that it is removed too."""
    if piece.startswith("/") or "://" in piece or any(letter.isspace() for letter in piece):
        return False
    return any(letter.isdigit() for letter in piece) and _bits(piece) >= 20


def looks_secret(value: str) -> bool:
    """Whether what stands after a secret name in a text is a secret, rather than a word about one."""
    return len(value) >= 6 and (any(map(str.isdigit, value)) or _is_mixed(value)) and not is_stand_in(value)


def looks_secret_alone(value: str) -> bool:
    """Whether a value looks so much like a secret that a name which is not always a secret's is enough."""
    return len(value) >= 20 and _LONG_RUN.search(value) is not None and looks_secret(value)


def _is_mixed(value: str) -> bool:
    """Whether small and capital letters alternate as they do by chance, and not in names."""
    return len(value) >= 20 and len(_HUMP.findall(value)) * 7 >= len(value)


def whole_words(text: str) -> str:
    """``text``, whose beginning was cut off, from its first whole word on: half a key cannot be told for one."""
    word = _FIRST_WORD.match(text)
    return text[word.end() :] if word is not None else text


_FIRST_WORD = re.compile(r"\S{0,500}\s")
