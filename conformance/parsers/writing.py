"""A turn as a family of models writes it: its text, piece by piece, and where in it the calls stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.model import Json, decoded_json
from conformance.parsers.grammar import ParserGrammar


@dataclass(frozen=True, slots=True)
class WantedCall:
    """A call that is written. ``raw`` is written instead of the arguments where there is one."""

    name: str
    arguments: Mapping[str, Json]
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class WantedTurn:
    """What is written: thinking, text before, between and after the calls, and the calls."""

    text: str = ""
    calls: tuple[WantedCall, ...] = ()
    thinking: str = ""
    between: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as it stands in the text: its id, if the family writes one, and the span of its arguments."""

    name: str
    arguments: Mapping[str, Json]
    id: str | None
    start: int
    end: int


@dataclass(slots=True)
class WrittenTurn:
    """The text. ``pieces`` says of each part whether it is a special token; ``texts`` is what is text, in order."""

    pieces: list[tuple[str, bool]] = field(default_factory=list)
    calls: list[WrittenCall] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    thinking: str = ""

    @property
    def text(self) -> str:
        """All of it as one."""
        return "".join(piece for piece, _ in self.pieces)


def written_turn(grammar: ParserGrammar, turn: WantedTurn) -> WrittenTurn:
    """The turn in the family's writing. It is the first of its conversation, so ids that count begin with 0."""
    return _Writer(grammar).turn(turn)


class _Writer:
    def __init__(self, grammar: ParserGrammar) -> None:
        self._grammar = grammar
        self._number = 0
        self._done = WrittenTurn()
        self._length = 0
        tokens = sorted(grammar.special, key=len, reverse=True)
        self._special = re.compile("(" + "|".join(map(re.escape, tokens)) + ")") if tokens else None

    def turn(self, turn: WantedTurn) -> WrittenTurn:
        grammar = self._grammar
        if turn.thinking:
            self._region(grammar.thinking, turn.thinking)
            self._done.thinking = turn.thinking
        if turn.text:
            beside = grammar.text_beside_calls if turn.calls else ()
            self._region(beside or grammar.text or ("$text",), turn.text)
            self._done.texts.append(turn.text)
        if turn.calls:
            self._calls(turn)
        if turn.after:
            self._markup(grammar.before_calls)
            self._plain(turn.after)
            self._done.texts.append(turn.after)
        return self._done

    def _calls(self, turn: WantedTurn) -> None:
        grammar = self._grammar
        if turn.text:
            self._markup(grammar.before_calls)
        for piece in grammar.section:
            self._markup(piece)
        for place, call in enumerate(turn.calls):
            if place and turn.between:
                self._plain(turn.between)
                self._done.texts.append(turn.between)
            if place:
                self._markup(grammar.between_calls)
            if grammar.between_messages and self._done.pieces:
                self._markup(grammar.between_messages)
            self._call(call)
        for piece in grammar.section_end:
            self._markup(piece)

    def _region(self, pattern: Sequence[str], text: str) -> None:
        if self._grammar.between_messages and self._done.pieces:
            self._markup(self._grammar.between_messages)
        for piece in pattern:
            if piece == "$text":
                self._plain(text)
            else:
                self._markup(piece)

    def _call(self, call: WantedCall) -> None:
        grammar = self._grammar
        call_id = self._id(call.name) if grammar.has_ids else None
        self._number += 1
        start = end = 0
        for piece in grammar.call:
            if isinstance(piece, Mapping):
                start, end = self._object(piece, call, call_id)
            elif piece in ("$arguments", "$parameters"):
                start = self._length
                if piece == "$parameters":
                    self._parameters(call)
                else:
                    self._plain(_arguments_text(call))
                end = self._end(start)
            elif piece.startswith("$"):
                self._plain({"$name": call.name, "$id": call_id or ""}[piece])
            else:
                self._markup(piece)
        self._done.calls.append(WrittenCall(call.name, _meant(call), call_id, start, end))

    def _object(self, roles: Mapping[str, str], call: WantedCall, call_id: str | None) -> tuple[int, int]:
        values = {"name": json.dumps(call.name, ensure_ascii=False), "id": json.dumps(call_id)}
        start = end = 0
        for place, (role, key) in enumerate(roles.items()):
            self._plain(f'{", " if place else "{"}"{key}": ')
            if role == "arguments":
                start = self._length
                self._plain(_arguments_text(call))
                end = self._end(start)
            else:
                self._plain(values[role])
        self._plain("}")
        return start, end

    def _end(self, start: int) -> int:
        """Where the arguments end that begin at a place: blanks after them are none."""
        return start + len(self._done.text[start:].rstrip())

    def _parameters(self, call: WantedCall) -> None:
        for key, value in call.arguments.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for piece in self._grammar.parameter:
                self._plain({"$key": key, "$value": text}.get(piece, piece))

    def _id(self, name: str) -> str:
        grammar = self._grammar
        if grammar.id_form:
            return grammar.id_form.format(name=name, number=self._number)
        return grammar.ids[self._number % len(grammar.ids)]

    def _markup(self, text: str) -> None:
        for piece, special in self._split(text):
            self._add(piece, special)

    def _split(self, text: str) -> Iterator[tuple[str, bool]]:
        parts = self._special.split(text) if self._special is not None else [text]
        yield from ((part, place % 2 == 1) for place, part in enumerate(parts) if part)

    def _plain(self, text: str) -> None:
        self._add(text, False)

    def _add(self, text: str, special: bool) -> None:
        if text:
            self._done.pieces.append((text, special))
            self._length += len(text)


def _meant(call: WantedCall) -> Mapping[str, Json]:
    value = call.arguments if call.raw is None else decoded_json(call.raw)
    return value if isinstance(value, Mapping) else {}


def _arguments_text(call: WantedCall) -> str:
    return json.dumps(call.arguments, ensure_ascii=False) if call.raw is None else call.raw
