"""Credentials by the name before them in a text, in whatever notation: ``api_key="…"``, ``<apiKey>…``, ``--token …``.

A name is searched for by a word that it holds. Then the ways in which a value may follow are tried, one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from conformance.masking.credentials import pieces
from conformance.masking.environment import is_key_variable
from conformance.masking.names import is_loose_name, is_secret_header, is_secret_name
from conformance.masking.searching import flat, places
from conformance.masking.words import looks_secret, looks_secret_alone

_SEARCHED = (
    b"key", b"token", b"secret", b"passw", b"passphrase", b"credential", b"auth", b"cookie", b"jwt", b"signature",
    b"onnection", b"pw", b"pass",
)  # fmt: skip
"""What all names hold that may be secret."""
_FOLLOWING = frozenset("\"'`\\ \t:=,_-(&%>\r\n0123456789abceijknoprstwdABCEIJKNOPRSTWD")
"""What may come after such a word: the end of a name, or what stands between a name and its value."""
_REST = re.compile(r"[A-Za-z0-9_-]{0,12}")
_LONGEST_NAME = 60
_NAME = re.compile(r"(?:[fF]5%|[dD]2%|[fF]500u\\|[dD]200u\\|[A-Za-z0-9_.-])*")
"""A name, read backwards. Its ``_`` and ``-`` may be escaped, as in a URL or in JSON."""
_ESCAPED_SIGN = re.compile(r"(?:%|\\u00)(?:(5[fF])|2[dD])")

_QUOTE = r"(?:\\{0,8}[\"'`]|\\{1,2}u00(?:22|27)|&(?:quot|#0?3[49]|#x2[27]);|%2[27])"
_COMPARED = r"=(?![A-Za-z0-9+/]{40})"
"""What follows ``=`` where values are compared. Before so long a word it is a part of the value."""
_LINE_END = r"(?:\r?\n|\\r\\n|\\n)"


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to write a name and its value: what is between them, and what must stand ``before`` the name."""

    between: re.Pattern[str]
    before: re.Pattern[str] | None = None
    of_option: bool = False
    """Only after a name that begins with a dash."""


def _way(between: str, before: str | None = None, *, of_option: bool = False) -> _Way:
    return _Way(re.compile(between), None if before is None else re.compile(rf"(?:{before})\Z"), of_option)


_PAIR = rf"{_QUOTE}[ \t]{{0,12}},[ \t]{{0,3}}b?(?P<open>{_QUOTE})"
_WAYS = (
    # {"name": "x-api-key", "value": "…"}; <add key="apiKey" value="…">; name: API_KEY, and its value in the next line
    _way(rf"(?:{_QUOTE}|(?=[\s,;]))[,;]?\s{{0,40}}{_QUOTE}?[Vv]alue{_QUOTE}?"
         rf"\s{{0,4}}[:=]\s{{0,4}}\[?(?P<open>{_QUOTE})?"),
    # a part of a form
    _way(rf"{_QUOTE}{_LINE_END}(?:[A-Za-z-]{{1,40}}:[^\r\n\\]{{0,100}}{_LINE_END}){{0,3}}{_LINE_END}",
         rf"name={_QUOTE}"),
    # api_key = "…"; {"api_key": "…"}; x-api-key: …
    _way(rf"(?:{_QUOTE}\]?)?[ \t]{{0,12}}(?P<sign>:=|=>|[:=](?!{_COMPARED})|%3[AaDd])[ \t]{{0,12}}"
         rf"(?:(?:[>|][+-]?)?\r?\n[ \t]{{1,20}})?(?:[A-Za-z_.]{{1,30}}\()?\[{{0,2}}b?(?P<open>{_QUOTE})?"),
    # ("x-api-key", "…"); ["run", "--api-key", "…"]; --api-key …
    _way(_PAIR, rf"[(\[]\s{{0,2}}b?{_QUOTE}"),
    _way(_PAIR, of_option=True),
    _way(rf"[ \t]{{1,3}}(?P<open>{_QUOTE})?", of_option=True),
    # setApiKey("…")
    _way(rf"\((?P<open>{_QUOTE})"),
    # <apiKey>…</apiKey>
    _way(r"(?:[ \t][^<>\r\n]{0,200})?>\s{0,20}", r"<(?:[A-Za-z0-9]{1,20}:)?"),
    # machine a login b password …
    _way(r"[ \t]{1,4}", r"\blogin[ \t]{1,4}\S{1,80}\s{1,20}"),
)  # fmt: skip
_BEFORE = 110
"""How far what must stand before a name may reach."""
_BLANK = re.compile(r"\s{0,40}")
_LEADING = frozenset("\"'`\\&%:=>,;([vV")
"""With what, after blanks, the ways that need nothing before the name go on."""
_LOGIN, _OF_TAG = "login", ("<", ":")

_BARE = re.compile(r"[^\s\"'`\\,;&<>{}\[\]()\0]{1,4000}")
_LINE = re.compile(r"[^\r\n\"'\\<>{}\[\]()\0]{1,4000}")
_ESCAPED = re.compile(r"(?:[^%&\s\"'\\<>\0]|%(?!2[0-367]|3[Bb])){1,4000}")
_QUOTED = {
    **{quote: re.compile(rf"[^{quote}\\\r\n\0]{{1,8000}}") for quote in ("'", '"', "`")},
    ";": re.compile(r"[^&<>\"\r\n\0]{1,8000}"),
    "2": re.compile(r"[^%&\"\\\r\n\0]{1,8000}"),
    "7": re.compile(r"[^%&'\\\r\n\0]{1,8000}"),
}
"""Values by how their opening quote ends: those that are escapes end in ``;`` (HTML), ``2`` and ``7`` (URLs, JSON)."""


def find_credentials(text: str, is_known: Callable[[str], bool]) -> Iterator[tuple[int, int, str]]:
    """Where in a text credentials stand after a name that says so: start, end, and what it is.

    What is found looks like a secret, or is one that ``is_known``.
    """
    letters = flat(text).lower()
    for word in _SEARCHED:
        done = 0
        for at in places(word, letters):
            end = at + len(word)
            value = _value(text, at, end) if at >= done and text[end : end + 1] in _FOLLOWING else None
            if value is not None:
                done = value.end
                for start, stop in value.credentials(text, is_known):
                    yield start, stop, f"what stands after {value.name[-40:]!r}"


@dataclass(frozen=True, slots=True)
class _Value:
    """What stands after a name."""

    name: str
    start: int
    end: int
    in_pieces: bool
    """Whether it may be a list, or parameters."""
    looks_secret: Callable[[str], bool]

    def credentials(self, text: str, is_known: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
        """Where in it credentials are."""
        value = text[self.start : self.end]
        for first, last in pieces(value) if self.in_pieces else [(0, len(value))]:
            piece = value[first:last].rstrip(".:")
            if is_known(piece) or self.looks_secret(piece):
                yield self.start + first, self.start + first + len(piece)


def _value(text: str, at: int, end: int) -> _Value | None:
    """The value after the name that holds the word from ``at`` to ``end``. What is quickly seen is looked at first."""
    rest = _REST.match(text, end)
    assert rest is not None
    written = _name_until(text, at, rest.end())
    name = _unescaped(written) if "%" in written or "\\" in written else written
    kind = _kind(name)
    if kind is None or not _may_be_followed(text, name, rest.end()):
        return None
    start = rest.end() - len(written)
    for way in _WAYS:
        between = way.between.match(text, rest.end())
        if between is not None and _fits(way, text, name, start):
            return _valued(text, name, kind, between)
    return None


def _unescaped(name: str) -> str:
    """A name with its signs as they are meant."""
    return _ESCAPED_SIGN.sub(lambda sign: "_" if sign[1] else "-", name)


def _name_until(text: str, at: int, end: int) -> str:
    """The name that ends at ``end``, from at most 60 characters before ``at`` on, and no longer than a name is."""
    before = _NAME.match(text[max(0, at - _LONGEST_NAME, end - _LONGEST_NAME) : at][::-1])
    assert before is not None
    return text[at - before.end() : end]


def _may_be_followed(text: str, name: str, end: int) -> bool:
    """Whether a value may follow. After blanks, only some signs lead to one, unless what stands before says so."""
    blank = _BLANK.match(text, end)
    assert blank is not None
    if blank.end() == end or text[blank.end() : blank.end() + 1] in _LEADING or name.startswith("-"):
        return True
    before = text[max(0, end - len(name) - _BEFORE) : end - len(name)]
    return before.endswith(_OF_TAG) or _LOGIN in before


def _fits(way: _Way, text: str, name: str, start: int) -> bool:
    if way.of_option and not name.startswith("-"):
        return False
    return way.before is None or way.before.search(text, max(0, start - _BEFORE), start) is not None


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a name says of what stands under it."""

    sure: bool
    """It is secret."""
    header: bool
    """It is the value of a secret header, where the name is a header's."""


@lru_cache(maxsize=10_000)
def _kind(name: str) -> _Kind | None:
    """What a name says; nothing where it says nothing."""
    header = is_secret_header(name) and ("-" in name.strip("-") or is_secret_name(name))
    sure = is_secret_name(name) or (name.isupper() and "_" in name and is_key_variable(name))
    return _Kind(sure, header) if sure or header or is_loose_name(name) else None


def _valued(text: str, name: str, kind: _Kind, between: re.Match[str]) -> _Value | None:
    told = between.groupdict()
    sign, opened = told.get("sign"), told.get("open")
    header = sign != "=" and kind.header
    sure = header or kind.sure
    if not sure and not is_loose_name(name):
        return None
    bare = _LINE if header and sign == ":" else _ESCAPED if sign is not None and sign[0] == "%" else _BARE
    value = (_QUOTED[opened[-1]] if opened else bare).match(text, between.end())
    if value is None:
        return None
    return _Value(name, *value.span(), header or opened is None, looks_secret if sure else looks_secret_alone)
