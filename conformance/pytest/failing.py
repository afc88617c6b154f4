"""What a failing test of a suite tells: what is broken in one line, and a section for each rule."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

import conformance
from conformance.outcomes import ORDER
from conformance.pytest.plan import BrokenCase, PlayedCase
from conformance.report import summary
from conformance.rules import Rule
from conformance.wires import card

MAX_RULES = 10
"""How many rules are told at length."""
MAX_DIFFERENCES = 3
"""How many differences are told of one rule."""
MAX_SOURCES = 3
"""How many sources of a rule are named."""
MAX_VALUE = 500
"""How many characters of what was expected, and of what was found, are shown."""

OURS = tuple(f"{Path(str(module.__file__)).parent}/" for module in (conformance, asyncio))
"""Where the frames are that stand between a test and the adapter."""


class BrokenRulesWarning(UserWarning):
    """A rule that says ``should`` is broken. It is no failure."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(f"{rule.id}: {summary.plain(rule.statement)}")


_Failed: Any = pytest.fail.Exception


class BrokenRulesError(_Failed):  # type: ignore[misc]
    """A scenario in which rules were broken. Where the adapter raised, the traceback is the adapter's own."""

    __module__ = "conformance.pytest"

    def __init__(self, played: PlayedCase) -> None:
        self.played = played
        problem = played.problem
        super().__init__(self._masked(_headline(played)), pytrace=problem is not None)
        if problem is not None:
            self.with_traceback(_of_the_adapter(problem.__traceback__))

    def sections(self, *, details: bool = False) -> Iterator[tuple[str, str]]:
        """A title and a text for each rule. ``details`` are what was sent, received and understood."""
        by_rule = _by_rule(self.played)
        for broken in list(by_rule.values())[:MAX_RULES]:
            yield _title(broken), self._masked("\n".join(_lines(self.played, broken, details=details)))
        if left := len(by_rule) - MAX_RULES:
            names = [rule.id for rule in (broken[0].rule for broken in list(by_rule.values())[MAX_RULES:])]
            if left > 0:
                yield summary.counted(left, "more rule"), "\n".join(names)

    def _masked(self, text: str) -> str:
        return self.played.plan.matrix.mask.text(text)


def _by_rule(played: PlayedCase) -> dict[str, list[BrokenCase]]:
    """What is broken by rule, the worst first."""
    found: dict[str, list[BrokenCase]] = {}
    provider = card(played.case.provider).provider
    for one in sorted(played.told, key=lambda one: _weight(one, provider)):
        found.setdefault(one.rule.id, []).append(one)
    return found


def _weight(broken: BrokenCase, provider: str) -> tuple[int, int]:
    """Where it stands: by its outcome, then by what it does to users."""
    return ORDER.index(broken.outcome), list(summary.CONSEQUENCES).index(broken.rule.shown_consequence(provider))


def _headline(played: PlayedCase) -> str:
    """What is broken first, and how much more."""
    by_rule = _by_rule(played)
    first = next(iter(by_rule.values()))[0]
    at = first.failures[0].at if first.failures else ""
    more = f" and {summary.counted(len(by_rule) - 1, 'more rule')}" if len(by_rule) > 1 else ""
    raised = next((one for one in played.told if one.outcome in ("error", "crash")), None)
    said = f"{summary.plain(str(raised.failures[0].found))}: " if raised is not None and raised.failures else ""
    known = f"; {summary.counted(len(played.known), 'known failure')} aside" if played.broken and played.known else ""
    return f"{said}{played.plan.found.info.name} breaks {first.rule.id}{f' at {at}' if at else ''}{more}{known}"


def _title(broken: list[BrokenCase]) -> str:
    rule = broken[0].rule
    return f"{rule.id} ({rule.level}, {broken[0].outcome})"


def _lines(played: PlayedCase, broken: list[BrokenCase], *, details: bool) -> Iterator[str]:
    """The sentence, where it is broken, and how to repeat it."""
    rule, first = broken[0].rule, broken[0]
    yield summary.plain(rule.statement)
    yield summary.CONSEQUENCES[rule.shown_consequence(card(played.case.provider).provider)]
    yield ""
    yield from _differences(broken)
    if cut := summary.cut_words(dict(first.evidence)):
        yield f"cut:       {cut}"
    if played.problem is None and (trace := first.evidence.get("failure", {}).get("traceback")):
        yield from ("", *str(trace).rstrip().splitlines(), "")
    yield f"reproduce: {first.reproduce}"
    yield from (f"see:       {source}" for source in _sources(rule, card(played.case.provider).provider))
    if details:
        yield from ("", *json.dumps(first.evidence, indent=2, ensure_ascii=False).splitlines())


def _sources(rule: Rule, provider: str) -> list[str]:
    """What the rule rests on at the provider, with the provider's own words, and the pages that it names."""
    known = rule.evidence.get(provider)
    if known is None:
        return list(rule.source[:MAX_SOURCES])
    pages = [source for source in rule.source if not source.startswith("error ") and source != known.source]
    shown = [known.source + (f', "{known.quote}"' if known.quote else "")]
    return [*(shown if not any(known.source in page for page in pages) else ()), *pages][:MAX_SOURCES]


def _differences(broken: list[BrokenCase]) -> Iterator[str]:
    """Each difference once, with the deliveries that show it."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for one in broken:
        for failure in one.failures:
            expected, seen = summary.contrast({"expected": failure.expected, "found": failure.found}, MAX_VALUE)
            place = f"{failure.at or '(whole)'} in the {failure.document}"
            shown = found.setdefault((place, expected, seen), [])
            if one.delivery not in shown:
                shown.append(one.delivery)
    for (place, expected, seen), deliveries in list(found.items())[:MAX_DIFFERENCES]:
        yield f"delivery:  {', '.join(deliveries)}"
        yield f"at:        {place}"
        yield f"expected:  {expected}"
        yield f"found:     {seen}"
    if (left := len(found) - MAX_DIFFERENCES) > 0:
        yield f"and {summary.counted(left, 'more difference')}"


def _of_the_adapter(frames: TracebackType | None) -> TracebackType | None:
    """A traceback from the adapter's own first line on; all of it where the adapter is one of ours."""
    own = frames
    while own is not None and own.tb_frame.f_code.co_filename.startswith(OURS):
        own = own.tb_next
    return own or frames
