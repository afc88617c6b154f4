"""Parsers of the tests are played here, without a child: what a child does is tested by itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from conformance.parsers.grammar import load_grammar
from conformance.parsers.serving import PlayServer, text_units
from conformance.parsers.subject import Subject, SubjectInfo, TextPlay
from conformance.parsers.told import ParserTurn, told_turn
from conformance.parsers.verdict import ParserVerdict, parser_verdict


class NearSubject(Subject):
    """A parser in this process."""

    def __init__(self, make: Any, grammar: str) -> None:
        self._server = PlayServer(make, grammar)
        hello = self._server.initialize({})
        self.info = SubjectInfo(hello["name"], hello["version"], frozenset(hello["can"]), True)

    def widths(self, tools: Any, pieces: Sequence[tuple[str, bool]]) -> list[int]:
        return list(accumulate(map(len, text_units(pieces))))

    def play(self, tools: Any, pieces: Sequence[tuple[str, bool]], plays: Sequence[TextPlay]) -> list[ParserTurn]:
        params = {"tools": tools, "pieces": pieces, "plays": [play.document() for play in plays]}
        return [told_turn(answer) for answer in self._server.play(params)["plays"]]


def judged_here(make: Any, grammar: str, only: Sequence[str] = ()) -> ParserVerdict:
    """The verdict on a parser."""
    return parser_verdict(NearSubject(make, grammar), make.__name__, load_grammar(grammar), only)


def rules_broken(verdict: ParserVerdict) -> set[str]:
    """The rules that were broken."""
    return {finding.rule for finding in verdict.findings}
