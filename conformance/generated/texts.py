"""Classes of text, taken from the tables of Unicode, JSON and the stream formats.

A class has one text that holds a character of each of its kinds: an adapter that loses one kind loses the text. Which
provider takes a class, and how that is known, stands in ``texts.yaml``.

Characters are taken from Unicode 3.2, which every Python has (``unicodedata.ucd_3_2_0``): what is made today is made
tomorrow, too. Of code points without a character, those are taken that Unicode reserves for ever (noncharacters).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain, groupby, islice
from typing import Any

UNICODE = unicodedata.ucd_3_2_0
PLANES: Mapping[str, tuple[range, ...]] = {
    "Latin-1": (range(0x20, 0x100),),
    "the rest of the first plane": (range(0x100, 0x10000),),
    "what UTF-16 writes as a pair": (range(0x10000, 0x30000), range(0xF0000, 0xF0002)),
}
"""Unicode 3.2 has no characters in the planes 3 to 13; what begins there is for private use."""
MANY = 2
"""So many characters are taken of each kind in each plane."""
NONCHARACTERS = "\ufdd0\ufffe\uffff\U0001fffe"
"""The Unicode Standard, section 23.7."""
CASE_AND_FORM = "ßİﬁe\u0301éÅ\u212b"
"""What folding of case and normalization change (CaseFolding.txt, NormalizationTest.txt)."""
LETTERS = ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No")
SYMBOLS = ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs")
EMOJI = "👩‍💻👍🏽🇺🇳"
"""Joined, with a modifier, and a pair of indicators (emoji-zwj-sequences.txt, emoji-sequences.txt)."""


@dataclass(frozen=True, slots=True)
class TextClass:
    """A kind of text. ``text`` is its example; ``source`` is the table that it is taken from."""

    name: str
    title: str
    text: str
    source: str


def _firsts() -> dict[tuple[str, str], str]:
    """The first characters of each general category in each plane. One walk: there are many code points."""
    firsts: dict[tuple[str, str], str] = {}
    for plane, ranges in PLANES.items():
        for category, run in groupby(map(chr, chain(*ranges)), UNICODE.category):
            have = firsts.get((category, plane), "")
            firsts[category, plane] = have + "".join(islice(run, MANY - len(have)))
    return firsts


def _characters(categories: Iterable[str], many: int = MANY) -> str:
    """The first characters of each general category, in each plane."""
    return "".join(_FIRSTS.get((category, plane), "")[:many] for category in categories for plane in PLANES)


_FIRSTS = _firsts()
_JSON = "RFC 8259"
_UNICODE = "UnicodeData.txt of Unicode 3.2, General_Category"
_LINES = "Unicode Standard Annex 14: BK, CR, LF, NL"
_CONTROLS = f"{_JSON} §7; Unicode, Cc"
_STREAMS = "WHATWG HTML §9.2.6 (server-sent events); one JSON document a line"
_TEMPLATES = "chat templates of open models; XML 1.0 §2; printf; JSON Schema"

LINES = "\none\ntwo\rthree\r\nfour\x0b\x0c\x85\u2028\u2029"
STREAM_WORDS = "data: {}\n\nevent: error\nid: 1\n: c\n\ndata: [DONE]\n\n{}\t\n"
CONTROLS = "".join(map(chr, (*range(8), *range(0x0E, 0x20), 0x7F, 0x80)))
MARKUP = "</s><|im_end|><tool_call>{{x}}</tool_call>&amp;%s ${x} $ref \\u0041"

_ALL = (
    TextClass("plain", "words", "plain words", "ASCII"),
    TextClass("object", "a JSON object", '{"error": "x", "output": [1], "a": null}', _JSON),
    TextClass("literal", "a JSON literal", "null", f"{_JSON} §3"),
    TextClass("escapes", "what JSON escapes", '"\\/\b\f\n\r\t\\u0041\\n', f"{_JSON} §7"),
    TextClass("lines", "ends of lines, and words of streams", f" {LINES}{STREAM_WORDS}", f"{_LINES}; {_STREAMS}"),
    TextClass("letters", "letters, marks, digits", _characters(LETTERS) + CASE_AND_FORM, _UNICODE),
    TextClass("symbols", "punctuation, symbols, marks that are not seen",
              f"\ufeffa{_characters(SYMBOLS)}{EMOJI}{_characters(('Cf',))}\u202eb\u202c\ufe0fz", _UNICODE),
    TextClass("markup", "words of templates", MARKUP, _TEMPLATES),
    TextClass("empty", "nothing", "", _JSON),
    TextClass("blank", "white space only", " \n\t ", "Unicode, White_Space"),
    TextClass("controls", "control characters", CONTROLS, _CONTROLS),
    TextClass("reserved", "private and no characters", f"a{_characters(('Co',), 1)}{NONCHARACTERS}", _UNICODE),
)  # fmt: skip

TEXTS: Mapping[str, TextClass] = {one.name: one for one in _ALL}
"""Every class, by name."""


@dataclass(frozen=True, slots=True)
class TextRecord:
    """Whether ``providers`` take texts of some classes in some fields, and how that is known."""

    classes: tuple[str, ...]
    fields: tuple[str, ...]
    providers: tuple[str, ...]
    takes: bool | None
    source: str


@cache
def text_records() -> tuple[TextRecord, ...]:
    """What is known, the general first: a later record is about what an earlier one says too much of."""
    from conformance.documents import read_yaml

    with resources.as_file(resources.files(__package__) / "texts.yaml") as path:
        records: list[dict[str, Any]] = read_yaml(path)
    return tuple(
        TextRecord(
            tuple(record["classes"]),
            tuple(record.get("fields", ("all",))),
            tuple(record.get("providers", ("all",))),
            record["takes"],
            record["source"],
        )
        for record in records
    )


def taken(name: str, field: str, provider: str) -> bool | None:
    """Whether ``provider`` takes a text of the class ``name`` in ``field``; ``None`` when nobody knows."""
    found: bool | None = None
    for one in text_records():
        if name in one.classes and _is_in(field, one.fields) and _is_in(provider, one.providers):
            found = one.takes
    return found


def _is_in(name: str, names: tuple[str, ...]) -> bool:
    return name in names or "all" in names
