"""The texts that a body holds, and where in the body each of their characters stands.

A secret may hide behind an escape in a JSON string, in a JSON document inside such a string, in a form, in a part of a
multipart body, or split over the deltas of a stream. A `View` shows a text as its reader would see it, and leads from
any part of it back to the characters of the body that make it: there it can be replaced, and nothing else changes.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Literal

from conformance.recordings.json_spans import ESCAPE, Path, spans, unescaped

Span = tuple[int, int]
ViewKind = Literal["raw", "key", "value", "number", "joined"]

MAX_NESTED = 4
"""How many documents deep the documents inside strings are read."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text and, by `places`, where it stands in the body."""

    text: str

    def places(self, start: int, end: int) -> list[Span]:
        """Which parts of the body make this part of the text, in order."""
        return [(start, end)]


@dataclass(frozen=True, slots=True)
class TextPiece(Text):
    """A part of another text, as it is."""

    whole: Text
    at: int

    def places(self, start: int, end: int) -> list[Span]:
        return self.whole.places(self.at + start, self.at + end)


@dataclass(frozen=True, slots=True)
class DecodedText(Text):
    """A part of another text, decoded: each match of ``escape`` there is one character here."""

    whole: Text
    at: int
    raw: str
    escape: re.Pattern[str]
    _escapes: list[tuple[int, int]] = field(default_factory=list, compare=False)
    """Behind each escape: where that is here, and how much longer the other text is up to there. Made when asked."""

    def places(self, start: int, end: int) -> list[Span]:
        return self.whole.places(self.at + self._raw_index(start), self.at + self._raw_index(end))

    def _raw_index(self, index: int) -> int:
        if not self._escapes:
            shorter = 0
            self._escapes.append((0, 0))
            for found in self.escape.finditer(self.raw):
                begins = found.start() - shorter
                shorter += found.end() - found.start() - 1
                self._escapes.append((begins + 1, shorter))
        place = bisect_right(self._escapes, index, key=itemgetter(0)) - 1
        return index + self._escapes[place][1]


@dataclass(frozen=True, slots=True)
class JoinedText(Text):
    """Texts one after the other, as a reader puts the deltas of a stream together."""

    parts: tuple[Text, ...]
    begins: tuple[int, ...]

    @classmethod
    def of(cls, parts: list[Text]) -> JoinedText:
        """The parts, joined."""
        begins = accumulate((len(part.text) for part in parts), initial=0)
        return cls("".join(part.text for part in parts), tuple(parts), tuple(begins))

    def places(self, start: int, end: int) -> list[Span]:
        found: list[Span] = []
        first, last = bisect_right(self.begins, start) - 1, bisect_left(self.begins, end)
        for begin, part in zip(self.begins[first:last], self.parts[first:last], strict=False):
            if part.text:
                found += part.places(max(start - begin, 0), min(end - begin, len(part.text)))
        return found


@dataclass(frozen=True, slots=True)
class View:
    """A text in a body. ``around`` tells people what holds it; ``path`` leads to it in its JSON document, if any.

    ``depth`` counts the documents around it: 0 for the body itself. ``plain`` says that the text stands
    just so in a text around it, which has a view too: what can be found here is found there. ``mixed`` says that texts
    of several calls or items may be joined in it.
    """

    text: Text
    kind: ViewKind
    around: str
    path: Path = ()
    depth: int = 0
    plain: bool = False
    mixed: bool = False

    @property
    def place(self) -> str:
        """Where it is, for people: the event, part or field, and a JSON pointer."""
        pointer = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in self.path)
        return f"{self.around}{pointer}{' and on' if self.kind == 'joined' else ''}"

    @property
    def name(self) -> str:
        """The name under which it stands; empty when it has none."""
        return next((str(step) for step in reversed(self.path) if isinstance(step, str)), "")


def views(body: str, content_type: str = "") -> Iterator[View]:
    """All texts in a body: the body itself first."""
    whole = Text(body)
    yield View(whole, "raw", "")
    kind = content_type.partition(";")[0].strip().lower()
    boundary = re.search(r'(?i)boundary="?([^";\s]+)"?', content_type)
    if kind == "application/x-www-form-urlencoded":
        yield from _form(whole)
    elif kind.startswith("multipart/") and boundary:
        yield from _multipart(whole, boundary[1])
    else:
        yield from _content(whole)


def _content(whole: Text, place: str = "") -> Iterator[View]:
    """What looks like JSON is read as such also where it stands in other text, as in a message about an error."""
    events = [(f"{place}event {number}", data) for number, data in enumerate(_sse_data(whole), 1)]
    many = bool(events)
    if not events:
        events = [(place, whole)]
    leaves = [leaf for at, data in events if '"' in data.text for leaf in _document(data, at, 0)]
    yield from leaves
    if many or any(leaf.depth == 0 and _is_later(leaf.path) for leaf in leaves):
        yield from _joined(leaves)


def _is_later(path: Path) -> bool:
    """Whether a path leads into the second element of an array, or the second of several documents."""
    return bool(path) and isinstance(path[0], int) and path[0] > 0


# --- JSON ------------------------------------------------------------------------------------------------------------

def _document(whole: Text, place: str, depth: int) -> Iterator[View]:
    """The keys, texts and numbers in a document, or in several one after the other, and in those that they hold."""
    for path, kind, start, end in spans(whole.text):
        raw = whole.text[start:end]
        text: Text = TextPiece(raw, whole, start)
        escaped = kind != "number" and "\\" in raw
        if escaped:
            text = DecodedText(unescaped(raw), whole, start, raw, ESCAPE)
        view = View(text, kind, place, path, depth, plain=not escaped)
        yield view
        if kind == "value" and escaped and depth < MAX_NESTED and _may_be_document(text.text):
            yield from _document(text, f"{view.place} → ", depth + 1)


def _may_be_document(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[") and '"' in text


# --- streams ---------------------------------------------------------------------------------------------------------

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
_FIELD = re.compile(r"(?:data|event|id|retry)[ \t]*:|:")
_INDEXES = ("index", "output_index", "content_index", "summary_index", "item_id")


def _sse_data(whole: Text) -> Iterator[Text]:
    """The data of the events of an SSE stream. Nothing when the text is none."""
    if not _FIELD.match(whole.text.lstrip("\ufeff \r\n")):
        return
    lines: list[Text] = []
    for found in _LINE.finditer(whole.text):
        line = found.group()
        content = line.rstrip("\r\n")
        if not content:
            if lines:
                yield lines[0] if len(lines) == 1 else JoinedText.of(lines)
            lines = []
        elif content.startswith("data:"):
            lines.append(TextPiece(content[5:], whole, found.start() + 5))
        elif content.lstrip().startswith("{"):  # some servers end a stream with an error that is no event
            yield TextPiece(content, whole, found.start())
    if lines:
        yield JoinedText.of(lines)


def _joined(leaves: list[View]) -> Iterator[View]:
    """The texts that a reader puts together: those at one place of one call, item or choice, event after event."""
    groups: dict[tuple[Path, tuple[tuple[str, ...], ...] | None], list[View]] = {}
    for event, number in _numbered(leaves):
        says = _indexes(event)
        for leaf in event:
            if leaf.kind == "value" and leaf.depth == 0 and leaf.text.text:
                around = (leaf.path[:size] for size in range(len(leaf.path)))
                which = tuple(says[path] for path in around if path in says)
                path = leaf.path[1:] if number else leaf.path
                groups.setdefault((path, which), []).append(leaf)
                if which:  # indexes may also be wrong, or count something else
                    groups.setdefault((path, None), []).append(leaf)
    for (path, of), group in groups.items():
        if len(group) > 1:
            text = JoinedText.of([leaf.text for leaf in group])
            view = View(text, "joined", group[0].around, path, mixed=of is None)
            yield view
            if of is not None and _may_be_document(text.text):
                yield from _document(text, f"{view.place} → ", 1)


def _numbered(leaves: list[View]) -> Iterator[tuple[list[View], bool]]:
    """The leaves of each event, and whether their paths begin with the event's number."""
    events: dict[object, list[View]] = {}
    numbered = all(leaf.path and isinstance(leaf.path[0], int) for leaf in leaves if leaf.depth == 0)
    for leaf in leaves:
        of = leaf.path[0] if numbered and leaf.depth == 0 else leaf.around
        events.setdefault(of, []).append(leaf)
    for event in events.values():
        yield event, numbered


def _indexes(event: list[View]) -> dict[Path, tuple[str, ...]]:
    """For each object of an event that says where its texts belong: what it says."""
    found: dict[Path, tuple[str, ...]] = {}
    for leaf in event:
        if leaf.depth == 0 and leaf.kind in ("value", "number") and leaf.path and leaf.path[-1] in _INDEXES:
            found[leaf.path[:-1]] = (*found.get(leaf.path[:-1], ()), f"{leaf.path[-1]}={leaf.text.text}")
    return found


# --- forms -----------------------------------------------------------------------------------------------------------

_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})|(\+)")
_PAIR = re.compile(r"([^&=]*+)(?:=([^&]*)|&|\Z)")


def _form(whole: Text) -> Iterator[View]:
    for found in _PAIR.finditer(whole.text):
        if found[2] is None:
            continue  # a name without a value
        name = _PERCENT.sub(_percent_character, found[1])
        yield View(_decoded_percent(whole, found.start(1), found[1]), "key", "field ", (name,))
        yield View(_decoded_percent(whole, found.start(2), found[2]), "value", "field ", (name,))


def _decoded_percent(whole: Text, at: int, raw: str) -> Text:
    return DecodedText(_PERCENT.sub(_percent_character, raw), whole, at, raw, _PERCENT)


def _percent_character(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else " "


def _multipart(whole: Text, boundary: str) -> Iterator[View]:
    """The parts of a multipart body: each may be a document, and stands under the name that its header gives it."""
    delimiter = re.compile(rf"(?:\A|\r?\n)--{re.escape(boundary)}(?:--)?[ \t]*(?:\r?\n|\Z)")
    edges = [found.span() for found in delimiter.finditer(whole.text)]
    for number, ((_, start), (end, _)) in enumerate(pairwise(edges), 1):
        part = whole.text[start:end]
        blank = re.search(r"\r?\n\r?\n", part)
        if blank is None:
            continue
        named = re.search(r'(?i)\bname="?([^";\r\n]*)"?', part[: blank.start()])
        name = named[1] if named else ""
        content = TextPiece(part[blank.end() :], whole, start + blank.end())
        place = f"part {number}"
        yield View(content, "value", place, (name,) if name else (), plain=True)
        yield from _content(content, f"{place}, ")
