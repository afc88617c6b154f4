"""What is asked of a parser, and the checks. A check says nothing where it has nothing to look at.

Each rule follows from one principle: what the model wrote arrives as it was meant, however it came, and what the model
did not write does not arrive. docs/parsers.md explains them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.model import Json
from conformance.parsers.grammar import ParserGrammar
from conformance.parsers.plays import CasePlays
from conformance.parsers.told import ParserTurn, turn_after, turns_on_the_way
from conformance.parsers.writing import WrittenCall

LONG = 60
"""How many characters make arguments or a text long: then they must come in more than one piece."""


@dataclass(frozen=True, slots=True)
class ParserFault:
    """What is wrong in a case. ``how`` says in which play."""

    how: str
    expected: Json
    found: Json
    times: int = 1


RuleVerdict = Sequence[ParserFault] | None
"""What was found; ``None`` where there was nothing to look at."""


@dataclass(frozen=True, slots=True)
class ParserRule:
    """One of them. ``must`` fails a run, ``should`` is only told."""

    level: Literal["must", "should"]
    statement: str
    check: Callable[[CasePlays, ParserGrammar], RuleVerdict]


# --- calls -----------------------------------------------------------------------------------------------------------


def _calls_kept(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    written = played.case.written.calls
    if played.case.kind != "turn" or not written:
        return None
    wanted = [call.name for call in written]
    return [
        ParserFault(how, wanted, [call.name for call in told.calls])
        for how, told in _told(played)
        if sorted(wanted) != sorted(str(call.name) for call in told.calls)
    ]


def _calls_in_order(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    written = played.case.written.calls
    if played.case.kind != "turn" or len(written) < 2:
        return None
    return [
        ParserFault(how, [_shown(call) for call in written], [call.document() for call in told.calls])
        for how, told in _told(played)
        if _is_other_order(written, told)
    ]


def _is_other_order(written: Sequence[WrittenCall], told: ParserTurn) -> bool:
    wanted = [(call.name, repr(dict(call.arguments))) for call in written]
    found = [(str(call.name), repr(call.object)) for call in told.calls]
    return wanted != found and sorted(wanted) == sorted(found)


def _news_in_order(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    turns = [(how, told) for how, told in _told(played) if told.calls]
    if not turns:
        return None
    words = "each call begins once, and then goes on"
    return [ParserFault(how, words, told.faults[0]) for how, told in turns if told.faults]


# --- arguments -------------------------------------------------------------------------------------------------------


def _arguments_kept(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    pairs = list(_pairs(played))
    if not pairs:
        return None
    return [
        ParserFault(how, dict(written.arguments), arguments)
        for how, written, arguments in pairs
        if not same_value(dict(written.arguments), arguments)
    ]


def _pairs(played: CasePlays) -> Iterator[tuple[str, WrittenCall, Json]]:
    """Calls that were written, and as they were told."""
    if played.case.kind != "turn":
        return
    for how, told in _told(played):
        if len(told.calls) == len(played.case.written.calls):
            for written, call in zip(played.case.written.calls, told.calls, strict=True):
                if call.name == written.name:
                    yield how, written, call.arguments if call.object is None else call.object


def same_value(one: Json, other: Json) -> bool:
    """Whether two values are the same, types included: 1 is neither 1.0 nor "1" nor true."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_value(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    return bool(one == other)


def _arguments_as_they_come(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    """While the last tenth of long arguments has not come, most of the rest must have been told."""
    told, calls = played.each, played.case.written.calls
    if played.case.kind != "turn" or told is None or told.error or len(told.calls) != len(calls):
        return None
    long = [(number, call) for number, call in enumerate(calls) if call.end - call.start >= LONG]
    if not long:
        return None
    faults = []
    for number, call in long:
        until = call.end - (call.end - call.start) // 10
        units = next(place for place, end in enumerate(played.widths, 1) if end >= until)
        so_far = turn_after(told, units).call(number)
        length = len(so_far.arguments) if so_far is not None else 0
        if length * 2 < until - call.start:
            words = f"{until - call.start} of {call.end - call.start} characters had come"
            faults.append(ParserFault("piece by piece", f"at least half of them, when {words}", f"{length} of them"))
    return faults


# --- text ------------------------------------------------------------------------------------------------------------


def _text_kept(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    texts = played.case.written.texts
    if played.case.kind != "turn" or _stands_late(played):
        return None
    return _compared_text(played, texts)


def _late_text_kept(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    if played.case.kind != "turn" or not _stands_late(played):
        return None
    return _compared_text(played, played.case.written.texts)


def _stands_late(played: CasePlays) -> bool:
    """Whether text stands between or after calls."""
    return bool(played.case.written.calls) and len(played.case.written.texts) > 1


def _compared_text(played: CasePlays, texts: Sequence[str]) -> RuleVerdict:
    pattern = r"\s*".join(["", *(re.escape(text.strip()) for text in texts), ""])
    return [
        ParserFault(how, "".join(texts), told.text)
        for how, told in _told(played)
        if not re.fullmatch(pattern, told.text)
    ]


def _no_markup(played: CasePlays, grammar: ParserGrammar) -> RuleVerdict:
    if played.case.kind != "turn" or not (played.case.written.calls or played.case.written.thinking):
        return None
    own = "".join(played.case.written.texts) + played.case.written.thinking
    return [
        ParserFault(how, "no markup in what is shown", {"markup": token, "text": told.text, "thinking": told.thinking})
        for how, told in _told(played)
        for token in [_leaked(told, grammar, own)]
        if token
    ]


def _leaked(told: ParserTurn, grammar: ParserGrammar, own: str) -> str:
    shown = told.text + told.thinking
    return next((token for token in grammar.special if token in shown and token not in own), "")


def _looks_alike(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    if played.case.kind != "looks_alike":
        return None
    text = played.case.written.texts[0]
    return [
        ParserFault(how, {"text": text, "calls": []}, told.document())
        for how, told in _told(played)
        if told.calls or told.text.strip() != text.strip()
    ]


def _ends_early(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    if played.case.kind != "ends_early":
        return None
    text = played.case.written.texts[0]
    return [ParserFault(how, text, told.text) for how, told in _told(played) if told.text.strip() != text.strip()]


def _text_as_it_comes(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    told, texts = played.each, played.case.written.texts
    if played.case.kind != "turn" or told is None or told.error or not texts or len(texts[0]) < LONG:
        return None
    start = played.case.written.text.find(texts[0])
    until = start + len(texts[0])
    units = next(place for place, end in enumerate(played.widths, 1) if end >= until)
    so_far = turn_after(told, units)
    if len(so_far.text) * 2 >= len(texts[0]):
        return []
    words = f"at least half of {len(texts[0])} characters"
    return [ParserFault("piece by piece", words, f"{len(so_far.text)} of them")]


def _thinking_apart(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    thinking = played.case.written.thinking
    if played.case.kind != "turn" or not thinking:
        return None
    return [
        ParserFault(how, thinking, {"thinking": told.thinking, "text": told.text})
        for how, told in _told(played)
        if told.thinking.strip() != thinking.strip()
    ]


# --- cuts ------------------------------------------------------------------------------------------------------------


def _same_however_cut(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    """Streams are compared with each other. What all of them get wrong is told by the rule that it is about."""
    base = played.each
    if base is None or len(played.cuts) < 2 or played.case.kind in ("undeclared", "broken"):
        return None
    different = [(cut.how, cut.told) for cut in played.cuts if cut.told.same != base.same]
    if not different:
        return []
    how, told = different[0]
    words = f"{how}, unlike piece by piece ({len(different)} of {len(played.cuts)} plays)"
    return [ParserFault(words, base.document(), told.document(), len(different))]


def _no_call_from_half(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    if not played.off and played.each is None:
        return None
    if played.case.kind != "turn" or not played.case.written.calls:
        return None
    faults = [fault for cut in played.off for fault in _too_early(played, cut.told, played.offset(cut.at), cut.how)]
    if played.each is not None:
        for units, turn in enumerate(turns_on_the_way(played.each), 1):
            if units <= len(played.widths):
                faults += _too_early(played, turn, played.offset(units), "piece by piece")
    return faults[:1] if not faults else [_with_times(faults[0], len(faults))]


def _with_times(fault: ParserFault, times: int) -> ParserFault:
    return ParserFault(fault.how, fault.expected, fault.found, times)


def _too_early(played: CasePlays, told: ParserTurn, length: int, how: str) -> Iterator[ParserFault]:
    """Calls that are whole though their arguments are not."""
    for number, written in enumerate(played.case.written.calls):
        call = told.call(number)
        if call is None or length >= written.end:
            continue
        if call.ends or call.object is not None:
            came = played.case.written.text[written.start : max(written.start, length)]
            yield ParserFault(f"{how} after {length} characters", {"arguments so far": came}, call.document())


# --- what is told ----------------------------------------------------------------------------------------------------


def _undeclared_told(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    if played.case.kind != "undeclared":
        return None
    name = played.case.written.calls[0].name
    return [
        ParserFault(how, f"a call of {name}, a problem, or its text", told.document())
        for how, told in played.modes
        if not _is_told(told, name)
    ]


def _broken_told(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    if played.case.kind != "broken":
        return None
    name = played.case.written.calls[0].name
    return [
        ParserFault(how, f"a call of {name} whose arguments are as written, a problem, or its text", told.document())
        for how, told in played.modes
        if not _is_told(told, name)
    ]


def _is_told(told: ParserTurn, name: str) -> bool:
    return bool(told.error or told.problems or name in told.text or any(call.name == name for call in told.calls))


def _not_mended(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    if played.case.kind != "broken":
        return None
    return [
        ParserFault(how, "no whole call, or a problem: what was written is no JSON", told.document())
        for how, told in played.modes
        if any(call.object is not None for call in told.calls) and not (told.problems or told.error)
    ]


# --- ids, and being there --------------------------------------------------------------------------------------------


def _ids_unique(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    turns = [(how, told) for how, told in _told(played) if len(told.calls) > 1 and any(call.id for call in told.calls)]
    if not turns or played.case.kind != "turn":
        return None
    ids = [(how, [call.id for call in told.calls]) for how, told in turns]
    wrong = [(how, mine) for how, mine in ids if len({*mine}) < len(mine) or not all(mine)]
    return [ParserFault(how, "an id for each call", list(mine)) for how, mine in wrong]


def _ids_kept(played: CasePlays, grammar: ParserGrammar) -> RuleVerdict:
    turns = [(how, told) for how, told in _told(played) if any(call.id for call in told.calls)]
    if not turns or not grammar.has_ids or played.case.kind != "turn":
        return None
    wanted = [call.id for call in played.case.written.calls]
    found = [(how, [call.id for call in told.calls]) for how, told in turns if len(told.calls) == len(wanted)]
    return [ParserFault(how, list(wanted), list(mine)) for how, mine in found if mine != wanted]


def _lives(played: CasePlays, _: ParserGrammar) -> RuleVerdict:
    if played.case.kind not in ("turn", "looks_alike", "ends_early"):
        return None
    plays = [*played.modes, *((cut.how, cut.told) for cut in played.cuts)]
    failed = [(how, told.error) for how, told in plays if told.error]
    return [ParserFault(failed[0][0], "an answer", failed[0][1], len(failed))] if failed else []


def _told(played: CasePlays) -> Iterator[tuple[str, ParserTurn]]:
    """The turns that can be compared: an error is told by a rule of its own."""
    return ((how, told) for how, told in played.modes if not told.error)


def _shown(call: WrittenCall) -> Json:
    return {"name": call.name, "arguments": dict(call.arguments)}


PARSER_RULES: Mapping[str, ParserRule] = {
    "parser.lives": ParserRule(
        "must", "What a model may write is read without an exception, a crash or a hang.", _lives
    ),
    "parser.call.kept": ParserRule("must", "Every call that was written is told, and no other.", _calls_kept),
    "parser.call.order": ParserRule("must", "Calls are told in the order in which they were written.", _calls_in_order),
    "parser.call.news": ParserRule(
        "must", "A call begins once, with its name, before its arguments; calls are counted from 0.", _news_in_order
    ),
    "parser.arguments.kept": ParserRule(
        "must", "The arguments, put together, are those that were written, with their types.", _arguments_kept
    ),
    "parser.arguments.as-they-come": ParserRule(
        "should", "Long arguments are told while they come.", _arguments_as_they_come
    ),
    "parser.arguments.not-mended": ParserRule(
        "should", "Arguments that are no JSON are not made into others without a word.", _not_mended
    ),
    "parser.text.kept": ParserRule(
        "must", "Text without calls, and before them, is told as it was written.", _text_kept
    ),
    "parser.text.late": ParserRule(
        "should", "Text between and after calls is told as it was written.", _late_text_kept
    ),
    "parser.text.no-markup": ParserRule("must", "No markup of the grammar is told as text.", _no_markup),
    "parser.text.looks-alike": ParserRule("must", "Text that only looks like a call stays text.", _looks_alike),
    "parser.text.to-the-end": ParserRule(
        "must", "Text that was held back because it might have become markup is told at the end.", _ends_early
    ),
    "parser.text.as-it-comes": ParserRule("should", "Long text is told while it comes.", _text_as_it_comes),
    "parser.thinking.apart": ParserRule("must", "Thinking is told as thinking, and is no text.", _thinking_apart),
    "parser.cut.same": ParserRule(
        "must", "However the text is cut into pieces, the same is told.", _same_however_cut
    ),
    "parser.cut.no-call-from-half": ParserRule(
        "must", "A call whose arguments are not whole is not told as a whole one.", _no_call_from_half
    ),
    "parser.tell.undeclared": ParserRule(
        "must", "A call of a tool that was not declared is told in some way.", _undeclared_told
    ),
    "parser.tell.broken": ParserRule("must", "A call whose arguments are no JSON is told in some way.", _broken_told),
    "parser.id.unique": ParserRule("must", "Calls of a turn have different ids, where they have ids.", _ids_unique),
    "parser.id.kept": ParserRule("must", "An id that the model wrote is the call's.", _ids_kept),
}  # fmt: skip
