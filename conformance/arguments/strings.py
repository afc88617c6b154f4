"""Texts for a schema: plain ones, ones that are hard to carry, texts of a format, and texts that match a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.arguments.combining import SchemaObject

PLAIN = ("text", "another text", "a", "0", "A1", "")
ODD = (
    'say "hello" \\ and \'bye\'',
    "two\nlines\tand a tab",
    "Größe, 東京, Ω",
    "\U0001f642 and e\u0301",
    "null",
    "",
    '{"looks": ["like", "JSON"]}',
    "</tool_call> & <b>",
    "\u202eright to left\u202c",
    " spaces around ",
)
"""Texts that get broken on the way: quotes, lines, letters of more than a byte, and what looks like something else."""

FORMATS: Mapping[str, tuple[str, ...]] = {
    "date-time": ("2026-01-15T10:20:30Z", "2024-02-29T23:59:59.999+05:30"),
    "date": ("2026-01-15", "2024-02-29"),
    "time": ("10:20:30Z", "23:59:59.999+05:30"),
    "duration": ("P1D", "P1Y2M3DT4H5M6S"),
    "email": ("someone@example.org", "some.one+tag@mail.example.org"),
    "idn-email": ("someone@example.org", "jürgen@example.org"),
    "hostname": ("example.org", "a-b.example.org"),
    "idn-hostname": ("example.org", "bücher.example.org"),
    "ipv4": ("192.0.2.1", "198.51.100.255"),
    "ipv6": ("2001:db8::1", "::ffff:192.0.2.1"),
    "uri": ("https://example.org/", "https://example.org/a%20b?q=1&r=%C3%BC#part"),
    "uri-reference": ("/a", "../a?b=c#d"),
    "iri": ("https://example.org/", "https://example.org/ü"),
    "iri-reference": ("/a", "/ü"),
    "uri-template": ("/a/{b}", "/a{?b,c}"),
    "uuid": ("3f2b8c1e-5d47-4a9b-8e6f-0123456789ab", "00000000-0000-4000-8000-000000000000"),
    "json-pointer": ("/a", "/a~1b/0"),
    "relative-json-pointer": ("0", "1/a"),
    "regex": ("a+", "^[a-z]{2}$"),
    "byte": ("dGV4dA==", "AAH//g=="),
}
LONGEST = 20_000
"""Longer texts are not made."""
FILLS = (0, 1, 2, 3, 4, 6, 8, 11, 15, 20, 31, 63, 127, 255)
"""How much more often than it must a part of a pattern is repeated, to reach a length."""


def texts(schema: SchemaObject, kind: str, place: int) -> Iterator[str]:
    """Texts that may fit a schema, the best first. ``place`` has different texts come first in different places."""
    pattern, least, most = schema.get("pattern"), int(schema.get("minLength", 0)), schema.get("maxLength")
    if least > LONGEST:
        return
    made: list[str] = []
    if schema.get("contentEncoding") == "base64":
        made += FORMATS["byte"]
    known = FORMATS.get(str(schema.get("format")), ())
    made += reversed(known) if kind != "minimal" else known
    if isinstance(pattern, str):
        made += _matching(pattern, last=kind != "minimal", least=least)
    turned = place % len(ODD)
    free = {"odd": (*ODD[turned:], *ODD[:turned]), "full": ("another text", *PLAIN)}.get(kind, PLAIN)
    for text in (*made, *free):
        yield from _fitted(text, least, most)


def _fitted(text: str, least: int, most: float | None) -> Iterator[str]:
    """The text, longer or shorter where it must be."""
    if most is not None and len(text) > most:
        yield text[: int(most)]
    elif len(text) < least:
        yield (text + (text or "text") * least)[:least]
        yield text + "x" * (least - len(text))
    else:
        yield text


# --- patterns --------------------------------------------------------------------------------------------------------

LETTERS = "abcxyzABCXYZ0159 _-.,:/@#%+=()[]{}<>!?*&|~^$;'\"\\\t\néΩ東"
"""What a class of characters is tried with, the best first."""
PROPERTIES: Mapping[str, str] = {
    "L": "A-Za-zéΩ東", "Lu": "A-Z", "Ll": "a-z", "N": "0-9", "Nd": "0-9", "P": "!-/", "S": "+<=>", "Z": " ", "Zs": " ",
}  # fmt: skip
"""Unicode's properties, as ranges that Python's patterns have, too."""


class _TooLongError(Exception):
    """The text that a pattern asks for is too long."""


MAX_PATTERN = 2_000
"""How long a pattern may be that texts are made for."""


def _matching(pattern: str, *, last: bool, least: int) -> Iterator[str]:
    """Texts that a pattern matches, as far as it can be read. The validator has the last word."""
    if len(pattern) > MAX_PATTERN:
        return
    try:
        parser: Any = __import__("re._parser", fromlist=["parse"])
        parsed = parser.parse(_as_python(pattern))
    except (re.error, ImportError, RecursionError, OverflowError):
        return
    for fill in (*(number for number in FILLS if number <= least or number < 3), least):
        for choice in (-1, 0) if last else (0, -1):
            try:
                yield "".join(_Writer(fill, choice).written(parsed))
            except (_TooLongError, RecursionError):
                return


def _as_python(pattern: str) -> str:
    """A pattern of ECMA-262 as one of Python's."""
    python = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)
    python = re.sub(r"\\u\{?([0-9A-Fa-f]{4,6})\}?", lambda found: re.escape(chr(int(found[1], 16) % 0x110000)), python)
    return re.sub(r"(\[(?:\\.|[^\]\\])*\])|\\p\{(\w+)\}", _with_ranges, python)


def _with_ranges(found: re.Match[str]) -> str:
    """A class of characters, or a property of Unicode, with ranges for properties."""
    inside, alone = found[1], found[2]
    if inside is None:
        return f"[{PROPERTIES.get(alone, 'a-z')}]"
    return re.sub(r"\\p\{(\w+)\}", lambda one: PROPERTIES.get(one[1], "a-z"), inside)


class _Writer:
    """Writes one text of a pattern: each repetition ``fill`` times more than it must be, each choice number
    ``choice``."""

    def __init__(self, fill: int, choice: int) -> None:
        self._fill, self._choice, self._length = fill, choice, 0
        self._groups: dict[int, str] = {}

    def written(self, parsed: Any) -> list[str]:
        """The pieces of the text."""
        return [piece for operation, value in parsed for piece in self._piece(str(operation), value)]

    def _piece(self, operation: str, value: Any) -> list[str]:
        match operation:
            case "LITERAL":
                return [self._counted(chr(value))]
            case "NOT_LITERAL":
                return [self._counted(next(letter for letter in LETTERS if ord(letter) != value))]
            case "ANY":
                return [self._counted("x")]
            case "IN":
                return [self._counted(_letter(value, self._choice))]
            case "BRANCH":
                return self.written(value[1][self._choice])
            case "SUBPATTERN":
                text = "".join(self.written(value[-1]))
                self._groups[value[0] or 0] = text
                return [text]
            case "GROUPREF":
                return [self._counted(self._groups.get(value, ""))]
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, inner = value
                times = min(int(least) + self._fill, int(most))
                return [piece for _ in range(times) for piece in self.written(inner)]
            case "ATOMIC_GROUP":
                return self.written(value)
        return []

    def _counted(self, text: str) -> str:
        self._length += len(text) + 1
        if self._length > 2 * LONGEST:
            raise _TooLongError
        return text


_CATEGORIES: Mapping[str, str] = {
    "CATEGORY_DIGIT": r"\d", "CATEGORY_NOT_DIGIT": r"\D", "CATEGORY_SPACE": r"\s", "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w", "CATEGORY_NOT_WORD": r"\W",
}  # fmt: skip


def _letter(items: Any, choice: int) -> str:
    """A character of a class: the first or the last that is usual, else the beginning of its first range."""
    usual = [letter for letter in LETTERS if _is_in(letter, items)]
    if usual:
        return usual[min(4, len(usual) - 1) if choice else 0]
    for operation, value in items:
        if str(operation) in ("LITERAL", "RANGE"):
            return chr(value if isinstance(value, int) else value[0])
    return "x"


def _is_in(letter: str, items: Any) -> bool:
    negated, found = False, False
    for operation, value in items:
        match str(operation):
            case "NEGATE":
                negated = True
            case "LITERAL":
                found |= ord(letter) == value
            case "RANGE":
                found |= value[0] <= ord(letter) <= value[1]
            case "CATEGORY":
                found |= re.fullmatch(_CATEGORIES[str(value)], letter) is not None
    return found != negated
