"""The plays of a case, and what was told in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

from conformance.parsers.cases import ParserCase
from conformance.parsers.subject import Subject, TextPlay
from conformance.parsers.told import ParserTurn

EARLY_STEP = 9
"""At every which character of a call's arguments the model is cut off, beside their first and last."""


STEPS = (2, 4, 16)
"""Of how many characters or tokens the pieces are, beside those of one, and those that one cut makes."""


@dataclass(slots=True)
class CutPlay:
    """A play in some pieces; ``at`` is where the model was cut off, if it was."""

    how: str
    told: ParserTurn
    at: int = 0


@dataclass(slots=True)
class CasePlays:
    """What was told. ``whole`` by the parser's function for all at once, ``each`` with every cut there is, ``cuts``
    with fewer; ``off`` where the model was cut off inside of a call's arguments."""

    case: ParserCase
    widths: Sequence[int]
    whole: ParserTurn | None = None
    each: ParserTurn | None = None
    cuts: list[CutPlay] = field(default_factory=list)
    off: list[CutPlay] = field(default_factory=list)

    @property
    def modes(self) -> Iterator[tuple[str, ParserTurn]]:
        """What is compared with what was written."""
        if self.whole is not None:
            yield "all at once", self.whole
        if self.each is not None:
            yield "piece by piece", self.each

    def offset(self, units: int) -> int:
        """Up to which character so many units go."""
        return self.widths[units - 1] if units else 0


def played_case(subject: Subject, case: ParserCase) -> CasePlays:
    """TextPlay a case in every way that the parser can be played."""
    pieces = _joined(case.written.pieces)
    tools = list(case.tools)
    done = CasePlays(case, subject.widths(tools, pieces))
    plans = list(_plans(done, subject.info.can))
    told = subject.play(tools, pieces, [plan.play for plan in plans])
    for plan, one in zip(plans, told, strict=True):
        match plan.kind:
            case "whole":
                done.whole = one
            case "each":
                done.each = one
            case "cut":
                done.cuts.append(CutPlay(plan.how, one))
            case "off":
                done.off.append(CutPlay(plan.how, one, plan.play.upto or 0))
    return done


@dataclass(frozen=True, slots=True)
class _Plan:
    kind: Literal["whole", "each", "cut", "off"]
    how: str
    play: TextPlay


def _plans(done: CasePlays, can: Set[str]) -> Iterator[_Plan]:
    length = len(done.widths)
    ends = _cut_off(done.case, done.widths)
    if "whole" in can:
        yield _Plan("whole", "all at once", TextPlay(whole=True))
        yield from (_Plan("off", "all at once, cut off", TextPlay(whole=True, upto=end)) for end in ends)
    if "stream" in can:
        yield _Plan("each", "piece by piece", TextPlay(each=True))
        for step in STEPS:
            yield _Plan("cut", f"in pieces of {step}", TextPlay(cuts=tuple(range(step, length, step))))
        yield from (_Plan("cut", _words(done, cut), TextPlay(cuts=(cut,))) for cut in range(1, length))
        yield _Plan("cut", "in one piece", TextPlay())
        yield from (_Plan("off", "piece by piece, cut off", TextPlay(each=True, upto=end)) for end in ends)


def _words(done: CasePlays, cut: int) -> str:
    text, place = done.case.written.text, done.offset(cut)
    return f"cut between {text[max(0, place - 8) : place]!r} and {text[place : place + 8]!r}"


def _cut_off(case: ParserCase, widths: Sequence[int]) -> list[int]:
    """After how many units the model is cut off: inside of the arguments of calls."""
    if case.kind != "turn":
        return []
    inside = [
        units
        for units, end in enumerate(widths, 1)
        for call in case.written.calls
        if call.start < end < call.end
    ]  # fmt: skip
    return sorted({*inside[::EARLY_STEP], *inside[:1], *inside[-2:]})


def _joined(pieces: Sequence[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Plain pieces that follow each other as one: a tokenizer sees no border there."""
    joined: list[tuple[str, bool]] = []
    for text, special in pieces:
        if joined and not special and not joined[-1][1]:
            joined[-1] = (joined[-1][0] + text, False)
        else:
            joined.append((text, special))
    return joined
