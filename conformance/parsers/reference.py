"""A parser that reads every grammar, driven by its data. It is what the rules are tried on.

What has come is read from its beginning each time, and only what is new is told: so the cuts cannot matter. `Scan`
reads a text of which more may come, and stops where it cannot know.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.model import Json
from conformance.parsers.grammar import GrammarPiece, ParserGrammar, load_grammar
from conformance.parsers.json_text import after_space, json_at

ParserNews = dict[str, Json]
_NAME = re.compile(r"[^\s<>\[\]{}\"|]{1,128}")
_REGIONS = {"thinking": "thinking", "text": "text", "text_beside_calls": "text"}


class OpenError(Exception):
    """More of the text must come before it can be read on."""


class NoCallError(Exception):
    """What began like a call is none."""


@dataclass(slots=True)
class ReadCall:
    """A call as far as it was read."""

    name: str | None = None
    id: str | None = None
    arguments: str = ""
    whole: bool = False


@dataclass(slots=True)
class ReadText:
    """Text or thinking as far as it was read, or a problem."""

    kind: str
    text: str = ""


@dataclass(slots=True)
class Scan:
    """One reading of a text. ``ended`` says that no more comes."""

    grammar: ParserGrammar
    tools: Mapping[str, Any]
    text: str
    ended: bool
    found: list[ReadCall | ReadText] = field(default_factory=list)

    def run(self) -> list[ReadCall | ReadText]:
        """What was found, in order."""
        at = 0
        try:
            while at < len(self.text):
                at = self._next(at)
        except OpenError:
            pass
        return self.found

    # --- between regions ---------------------------------------------------------------------------------------------

    def _next(self, at: int) -> int:
        """Read the text before the next opening, and what it opens. Returns where to go on."""
        start, kind = self._opening(at)
        self._say("text", self.text[at:start])
        if kind is None:
            raise OpenError
        calls = len(self.found)
        try:
            if kind == "calls":
                return self._section(start) if self.grammar.section else self._call(start)
            if kind == "":
                return self._literal(self.grammar.between_messages, start)
            return self._region(_REGIONS[kind], self._pattern(kind), start)
        except NoCallError:
            if any(isinstance(one, ReadCall) for one in self.found[calls:]):
                return self._recovered(start)
            self._say("text", self.text[start : start + 1])
            return start + 1
        except OpenError:
            if not self.ended or any(isinstance(one, ReadCall) for one in self.found[calls:]):
                raise
            if kind == "calls":
                self._say("text", self.text[start:])
            raise

    def _recovered(self, start: int) -> int:
        """Where to go on after a call that broke: after the end of all calls, or of this one."""
        last = [*self.grammar.section_end[-1:], *self.grammar.call[-1:]][0]
        core = last.strip() if isinstance(last, str) and not last.startswith("$") else ""
        place = self.text.find(core, start) if core else -1
        if place < 0:
            raise OpenError
        return place + len(core)

    def _pattern(self, kind: str) -> Sequence[str]:
        pattern: Sequence[str] = getattr(self.grammar, kind)
        return pattern

    def _opening(self, at: int) -> tuple[int, str | None]:
        """Where something opens, and what; or up to where there is only text."""
        if self.grammar.calls_at_start:
            start = after_space(self.text, at)
            tag = next((one for one in self.grammar.special if self.text.startswith(one, start)), "")
            begins = at == 0 and not self.found and self.text.startswith("{", start + len(tag))
            return (start, "calls") if begins else (self._until_special(at), None)
        openings = dict(self._openings())
        places = {self.text.find(core, at): core for core in sorted(openings, key=len) if core in self.text[at:]}
        if places:
            first = min(places)
            if self.ended or not self._may_grow(first, places[first], openings):
                return first, openings[places[first]]
            return first, None
        return (len(self.text) if self.ended else self._safe_end(at, list(openings))), None

    def _may_grow(self, start: int, core: str, openings: Mapping[str, str]) -> bool:
        rest = self.text[start:]
        return any(other != core and other.startswith(rest) for other in openings)

    def _until_special(self, at: int) -> int:
        return len(self.text) if self.ended or self.found else self._safe_end(at, list(self.grammar.special))

    def _openings(self) -> Iterator[tuple[str, str]]:
        for kind in _REGIONS:
            pattern = self._pattern(kind)
            if pattern and not pattern[0].startswith("$"):
                yield pattern[0].strip(), kind
        if self.grammar.between_messages:
            yield self.grammar.between_messages, ""
        first = self.grammar.section[0] if self.grammar.section else self.grammar.call[0]
        if isinstance(first, str):
            yield first.strip(), "calls"

    def _safe_end(self, at: int, cores: Sequence[str]) -> int:
        """Up to where the text cannot be the beginning of one of these."""
        longest = max((len(core) for core in cores), default=0)
        for start in range(max(at, len(self.text) - longest + 1), len(self.text)):
            if any(core.startswith(self.text[start:]) for core in cores):
                return start
        return len(self.text)

    def _say(self, kind: str, text: str) -> None:
        last = self.found[-1] if self.found else None
        if isinstance(last, ReadText) and last.kind == kind:
            last.text += text
        elif text:
            self.found.append(ReadText(kind, text))

    # --- regions -----------------------------------------------------------------------------------------------------

    def _region(self, kind: str, pattern: Sequence[str], at: int) -> int:
        start = self._literal(pattern[0], at)
        core = pattern[-1].strip()
        end = self.text.find(core, start)
        if end < 0:
            self._say(kind, self.text[start : len(self.text) if self.ended else self._safe_end(start, [core])])
            raise OpenError
        self._say(kind, self.text[start:end])
        return self._literal(pattern[-1].lstrip(), end)

    def _section(self, at: int) -> int:
        for piece in self.grammar.section:
            at = self._literal(piece, at, blanks=True)
        while True:
            at = self._call(at)
            at = self._separator(at)
            try:
                for piece in self.grammar.section_end:
                    at = self._literal(piece, at, blanks=True)
            except NoCallError:
                continue
            return at

    def _separator(self, at: int) -> int:
        at = self._blanks(at)
        mark = self.grammar.between_calls.strip()
        return self._blanks(at + len(mark)) if mark and self.text.startswith(mark, at) else at

    def _blanks(self, at: int) -> int:
        while at < len(self.text) and self.text[at].isspace():
            at += 1
        if at >= len(self.text):
            raise OpenError
        return at

    def _literal(self, piece: str, at: int, *, blanks: bool = False) -> int:
        """The place after a piece of markup. Blanks around it may be more or fewer."""
        core = piece.strip()
        if blanks or piece[:1].isspace():
            while at < len(self.text) and self.text[at].isspace():
                at += 1
        rest = self.text[at : at + len(core)]
        if rest != core:
            if at + len(rest) >= len(self.text) and core.startswith(rest):
                raise OpenError
            raise NoCallError
        at += len(core)
        if piece[-1:].isspace():
            while at < len(self.text) and self.text[at].isspace():
                at += 1
        return at

    # --- calls -------------------------------------------------------------------------------------------------------

    def _call(self, at: int) -> int:
        call, told = ReadCall(), len(self.found)
        if self.grammar.calls_at_start:
            at = after_space(self.text, at)
            at += sum(len(one) for one in self.grammar.special if self.text.startswith(one, at))
        for place, piece in enumerate(self.grammar.call):
            if isinstance(piece, Mapping):
                at = self._object(piece, call, after_space(self.text, at))
            elif piece == "$arguments":
                at = self._arguments(call, self._blanks(at))
            elif piece == "$parameters":
                at = self._parameters(call, at)
            elif piece.startswith("$"):
                at = self._word(piece, call, at, self.grammar.call[place + 1])
            else:
                at = self._literal(piece, at, blanks=len(self.found) > told)
        call.whole = True
        return at

    def _tell(self, call: ReadCall) -> None:
        if not any(one is call for one in self.found):
            self.found.append(call)

    def _word(self, role: str, call: ReadCall, at: int, following: GrammarPiece) -> int:
        core = str(following).strip()
        end = self.text.find(core, at)
        word = self.text[at : end if end >= 0 else self._safe_end(at, [core])].rstrip()
        if word and not _NAME.fullmatch(word):
            raise NoCallError
        if end < 0:
            raise OpenError
        if role == "$id":
            call.id, word = word, word.rpartition(":")[0].rpartition(".")[2] if self.grammar.id_form else word
        call.name = word
        if not word:
            raise NoCallError
        self._tell(call)
        return end

    def _arguments(self, call: ReadCall, at: int) -> int:
        if self.text[at] != "{":
            raise NoCallError
        found = json_at(self.text, at)
        call.arguments = self.text[at : found.end]
        if call.name is not None:
            self._tell(call)
        if found.state == "partial":
            raise OpenError
        if found.state == "broken":
            self._break(call)
        return found.end

    def _break(self, call: ReadCall) -> None:
        if call.name is not None:
            self.found.append(ReadText("problem", f"the arguments of {call.name} are no JSON"))
        raise NoCallError

    def _object(self, roles: Mapping[str, str], call: ReadCall, at: int) -> int:
        """A call that is a JSON object."""
        keys = {key: role for role, key in roles.items()}
        if at >= len(self.text):
            raise OpenError
        at = self._mark("{", at, call)
        while True:
            at = self._blanks(at)
            key = self._value(at, call)
            at = self._mark(":", self._blanks(key.end), call)
            role = keys.get(str(key.value))
            at = self._blanks(at)
            if role == "arguments":
                at = self._arguments(call, at)
            else:
                value = self._value(at, call)
                at = value.end
                if role is None or not isinstance(value.value, str):
                    self._break(call)
                setattr(call, str(role), value.value)
            at = self._blanks(at)
            if self.text[at] == "}":
                break
            at = self._mark(",", at, call)
        if call.name is None or not call.arguments:
            raise NoCallError
        self._tell(call)
        return at + 1

    def _value(self, at: int, call: ReadCall) -> Any:
        found = json_at(self.text, at)
        if found.state == "partial":
            raise OpenError
        if found.state == "broken":
            self._break(call)
        return found

    def _mark(self, mark: str, at: int, call: ReadCall) -> int:
        if self.text[at] != mark:
            self._break(call)
        return at + 1

    def _parameters(self, call: ReadCall, at: int) -> int:
        opened, named, closed = self.grammar.parameter[0], self.grammar.parameter[2], self.grammar.parameter[4]
        call.arguments = "{"
        while True:
            try:
                at = self._literal(opened, self._blanks(at))
            except NoCallError:
                call.arguments += "}"
                return at
            end = self.text.find(named.strip(), at)
            if end < 0:
                raise OpenError
            key = self.text[at:end]
            at = end + len(named.strip())
            at += 1 if self.text.startswith("\n", at) else 0
            close = self.text.find(closed.rstrip(), at)
            if close < 0:
                close = self.text.find(closed.strip(), at)
            last = close if close >= 0 else self._safe_end(at, [closed.rstrip(), closed.strip()])
            text = self.text[at:last]
            comma = ", " if len(call.arguments) > 1 else ""
            call.arguments += f"{comma}{json.dumps(key)}: "
            if self._is_text(call, key):
                shown = json.dumps(text, ensure_ascii=False)
                call.arguments += shown if close >= 0 else shown[:-1]
            elif close >= 0:
                call.arguments += _as_json(text)
            if close < 0:
                raise OpenError
            at = self._literal(closed, close)

    def _is_text(self, call: ReadCall, key: str) -> bool:
        properties = self.tools.get(call.name or "", {}).get("properties", {})
        return bool(properties.get(key, {}).get("type") == "string")


def _as_json(text: str) -> str:
    try:
        json.loads(text)
    except ValueError:
        return json.dumps(text, ensure_ascii=False)
    return text


class ReferenceParser:
    """The parser of a grammar, as docs/parsers.md asks for one. ``tools`` are those of the request, as in OpenAI's."""

    info: Mapping[str, Json] = {"name": "reference", "version": "1"}
    _issued = 0

    def __init__(self, tools: Sequence[Mapping[str, Any]], grammar: str = "hermes") -> None:
        self._grammar = load_grammar(grammar)
        self._tools = {tool["function"]["name"]: tool["function"].get("parameters") or {} for tool in tools}
        self._text = ""
        self._told: list[tuple[int, bool]] = []
        self._ids: list[str] = []

    def feed(self, text: str) -> list[ParserNews]:
        """More of what the model writes."""
        self._text += text
        return list(self._news(ended=False))

    def end(self) -> list[ParserNews]:
        """The model writes no more."""
        return list(self._news(ended=True))

    def scan(self, *, ended: bool) -> list[ReadCall | ReadText]:
        """What there is so far."""
        return Scan(self._grammar, self._tools, self._text, ended).run()

    def _news(self, *, ended: bool) -> Iterator[ParserNews]:
        calls = -1
        for place, one in enumerate(self.scan(ended=ended)):
            if place == len(self._told):
                self._told.append((-1, False))
            sent, whole = self._told[place]
            if isinstance(one, ReadText):
                if len(one.text) > max(sent, 0):
                    yield {one.kind: one.text[max(sent, 0) :]}
                self._told[place] = (len(one.text), False)
                continue
            calls += 1
            yield from self._call_news(one, calls, sent, whole)
            self._told[place] = (len(one.arguments), one.whole)

    def _call_news(self, one: ReadCall, number: int, sent: int, whole: bool) -> Iterator[ParserNews]:
        if sent < 0:
            self._ids.append(self._id(one, number))
            yield {"call": number, "name": one.name, **({"id": self._ids[number]} if self._ids[number] else {})}
            if one.name not in self._tools:
                yield {"problem": f"there is no tool {one.name}"}
        if len(one.arguments) > max(sent, 0):
            yield {"call": number, "arguments": one.arguments[max(sent, 0) :]}
        if one.whole and not whole:
            yield {"call": number, "end": True, **({} if self._ids[number] else {"id": one.id})}

    def _id(self, one: ReadCall, number: int) -> str:
        if self._grammar.has_ids:
            return one.id or ""
        ReferenceParser._issued += 1
        return f"call_{ReferenceParser._issued}"
