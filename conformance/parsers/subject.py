"""The parser that is judged: a child process, asked over the stdio protocol to play texts."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from conformance.adapters.problems import AdapterError
from conformance.adapters.stdio.caller import Caller
from conformance.adapters.stdio.mishaps import OperationError
from conformance.adapters.stdio.text import encode
from conformance.model import Json
from conformance.parsers.serving import __file__ as SERVING  # noqa: N812 - a file, not a module
from conformance.parsers.serving import text_units
from conformance.parsers.told import ParserTurn, told_turn

START_SECONDS = 300.0
"""How long a child may take to load its parser: some import half a machine."""
PLAY_SECONDS = 10.0
MORE_SECONDS = 0.2
"""How long a request may take: at all, and more for each play in it."""
AT_ONCE = 250
"""How many plays one request holds."""


class SubjectError(Exception):
    """There is no such parser, or it does not start."""


@dataclass(frozen=True, slots=True)
class TextPlay:
    """One way to play a text. ``upto`` is where the model was cut off; ``each`` cuts it between all characters or
    tokens; ``whole`` asks for all of it at once, of the parser's own function for that."""

    cuts: tuple[int, ...] = ()
    upto: int | None = None
    each: bool = False
    whole: bool = False

    def document(self) -> dict[str, Json]:
        """As JSON."""
        return {"cuts": list(self.cuts), "upto": self.upto, "each": self.each, "whole": self.whole}


@dataclass(frozen=True, slots=True)
class SubjectInfo:
    """What the parser says of itself. ``can``: ``stream``, ``whole``, ``tokens``."""

    name: str
    version: str
    can: frozenset[str]
    thinking: bool


class Subject:
    """A parser in a child. Raises `SubjectError`."""

    def __init__(self, address: str, grammar: str, python: str = "") -> None:
        try:
            self._caller = Caller(_command(address, grammar, python or sys.executable), start_seconds=START_SECONDS)
        except (AdapterError, OperationError) as problem:
            raise SubjectError(f"{address}: {problem}") from None
        hello = self._caller.hello
        can = hello.get("can")
        self.info = SubjectInfo(
            str(hello.get("name", address)), str(hello.get("version", "")),
            frozenset(str(one) for one in can) if isinstance(can, list) else frozenset(), hello.get("thinking") is True,
        )  # fmt: skip
        if not self.info.can & {"stream", "whole"}:
            self.close()
            raise SubjectError(f"{address}: it must have feed, or parse, or both")

    def close(self) -> None:
        """End the child."""
        self._caller.close()

    def widths(self, tools: Json, pieces: Sequence[tuple[str, bool]]) -> list[int]:
        """Where in the text each token ends; each character and special token, for a parser that takes text."""
        if "tokens" not in self.info.can:
            return list(accumulate(map(len, text_units(pieces))))
        widths = self._ask(tools, pieces, []).get("widths")
        if not isinstance(widths, list) or not all(isinstance(one, int) for one in widths):
            raise SubjectError("the parser takes tokens, and does not say how long each of them is")
        return widths

    def play(self, tools: Json, pieces: Sequence[tuple[str, bool]], plays: Sequence[TextPlay]) -> list[ParserTurn]:
        """What the parser tells in each play. A child that dies, hangs or talks nonsense is an error of its plays."""
        told: list[ParserTurn] = []
        for start in range(0, len(plays), AT_ONCE):
            told += self._some(tools, pieces, plays[start : start + AT_ONCE])
        return told

    def _some(self, tools: Json, pieces: Sequence[tuple[str, bool]], plays: Sequence[TextPlay]) -> list[ParserTurn]:
        try:
            answers = self._ask(tools, pieces, [play.document() for play in plays]).get("plays")
            if not isinstance(answers, list) or len(answers) != len(plays):
                raise OperationError(f"the answer holds no list of {len(plays)} plays")
        except OperationError as problem:
            if len(plays) == 1:
                return [ParserTurn(error=f"{problem.kind}: {problem}")]
            half = len(plays) // 2
            return [*self._some(tools, pieces, plays[:half]), *self._some(tools, pieces, plays[half:])]
        return [told_turn(answer) for answer in answers]

    def _ask(self, tools: Json, pieces: Sequence[tuple[str, bool]], plays: Sequence[Json]) -> Mapping[str, Any]:
        params = {"tools": tools, "pieces": [[text, special] for text, special in pieces], "plays": list(plays)}
        self._caller.allow(PLAY_SECONDS + MORE_SECONDS * len(plays))
        return self._caller.call("play", encode(params), dict)


def _command(address: str, grammar: str, python: str) -> list[str]:
    if address.startswith("stdio:"):
        try:
            words = shlex.split(address.removeprefix("stdio:"))
        except ValueError as problem:
            raise SubjectError(f"{address}: {problem}") from None
        if not words:
            raise SubjectError(f"{address}: write stdio:COMMAND")
        return words
    name = address.removeprefix("python:")
    module, _, attribute = name.rpartition(":")
    if not module or not attribute:
        raise SubjectError(f"{address}: write python:package.module:Class, ./file.py:Class or stdio:COMMAND")
    if module.endswith(".py") and not Path(module).is_file():
        raise SubjectError(f"{address}: there is no file {module}")
    return [python, "-P", SERVING, name, grammar]
