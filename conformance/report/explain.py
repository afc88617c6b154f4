"""A rule in all that is known of it: for people as text, and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from conformance.model import to_json
from conformance.mutants.examples import patched
from conformance.mutants.kills import Kills, known_kills
from conformance.report.side_by_side import compared
from conformance.report.summary import CONSEQUENCES, contrast, plain
from conformance.rules import Rule
from conformance.rules.check import Finding
from conformance.rules.examples import example_exchange
from conformance.rules.judge import judge
from conformance.scenarios import load_scenarios

SHOWN_SCENARIOS = 12
"""How many scenarios are named of those that were not made for the rule."""

SIDES = {"build": "the request that the adapter builds", "parse": "what the adapter understood"}


@dataclass(frozen=True, slots=True)
class RuleExplanation:
    """A rule and what is known of it.

    ``violation`` is the rule's example after its patch, ``finding`` what the check says about that. ``made_for`` are
    the scenarios that name the rule, ``kills`` what the last full selftest showed.
    """

    rule: Rule
    violation: Mapping[str, Any]
    finding: Finding | None
    made_for: Sequence[str]
    kills: Kills

    @property
    def others(self) -> list[str]:
        """The scenarios in which the rule examines something although they were not made for it."""
        return [name for name in self.kills.scenarios if name not in self.made_for]


def explanation_of(rule: Rule) -> RuleExplanation:
    """What is known of a rule: its example is broken by its patch, and judged."""
    violation = patched(rule.example, rule.violation)
    finding = next((item for item in judge(rule, example_exchange(rule, violation)) if item is not None), None)
    made_for = [scenario.id for scenario in load_scenarios().values() if rule.id in scenario.rules]
    return RuleExplanation(rule, violation, finding, made_for, known_kills().get(rule.id, Kills()))


def as_data(one: RuleExplanation) -> dict[str, Any]:
    """Everything as a JSON document."""
    rule = one.rule
    names = ("id", "level", "consequence", "profile", "stage", "side", "statement", "notes", "since", "example")
    document = {name: getattr(rule, name) for name in names}
    document |= {name: list(getattr(rule, name)) for name in ("providers", "source", "aliases", "violation")}
    victims = [{"name": item.name, "provider": item.provider, "says": item.says} for item in one.kills.victims]
    return document | {
        "violating_example": one.violation,
        "finding": _told(one.finding) if one.finding is not None else None,
        "kills": {"count": one.kills.count, "such_as": victims, "why_none": one.kills.why or None},
        "scenarios": {"made_for_it": list(one.made_for), "examined_in": list(one.kills.scenarios)},
        "evidence": rule.evidence_data(),
        "not_observed": dict(rule.not_observed),
        "excused_after": sorted(rule.excused_after),
        "stands_in": list(_places(rule)),
    }


def _told(finding: Finding) -> dict[str, Any]:
    return {"at": finding.at, "expected": to_json(finding.expected), "found": to_json(finding.found)}


def explanation_text(one: RuleExplanation, width: int) -> str:
    """Everything as text of at most ``width`` columns, but for what must stay in one piece, such as addresses."""
    return "\n".join(_text(one, width)) + "\n"


def _text(one: RuleExplanation, width: int) -> Iterator[str]:
    rule = one.rule
    yield rule.id
    yield from _prose(rule.statement, "  ", width)
    yield ""
    yield from _field("level", rule.level, width)
    yield from _field("consequence", f"{rule.consequence}: {CONSEQUENCES[rule.consequence]}", width)
    yield from _field("judges", f"{SIDES[rule.side]} ({rule.stage})", width)
    yield from _field("profile", rule.profile, width)
    yield from _field("providers", ", ".join(rule.providers), width)
    yield from _field("since", rule.since, width)
    yield from _field("stands in", " and ".join(_places(rule)), width)
    if rule.aliases:
        yield from _field("once called", ", ".join(rule.aliases), width)
    if rule.notes:
        yield from _field("note", rule.notes, width)
    yield from ("", "  source")
    for source in rule.source:
        yield from _prose(source, "    ", width, hanging="      ")
    yield from _evidence(rule, width)
    yield ""
    titles = ("conforms", "\n".join(["breaks it", *(f"  {_operation(item)}" for item in rule.violation)]))
    yield from (f"  {line}".rstrip() for line in compared(rule.example, one.violation, titles, width - 2))
    if one.finding is not None:
        yield from ("", "  what is found there")
        expected, found = contrast(_told(one.finding))
        for name, value in (("at", one.finding.at or "(whole)"), ("expected", expected), ("found", found)):
            yield from _prose(value, f"    {name:<10}", width, hanging=" " * 14)
    yield from _mutants(one.kills, width)
    yield from _scenarios(one, width)


def _places(rule: Rule) -> tuple[str, str]:
    """Where its words and its check stand, for whoever reads them in the source."""
    check = rule.check
    assert check is not None
    pair = check.__module__.replace(".", "/")
    return f"{pair}.yaml", f"{pair}.py ({check.__name__})"


def _evidence(rule: Rule, width: int) -> Iterator[str]:
    """What the rule rests on, provider by provider; the same record is told once."""
    if not rule.evidence:
        return
    yield from ("", "  evidence")
    for one in dict.fromkeys(rule.evidence.values()):
        providers = ", ".join(name for name, record in rule.evidence.items() if record == one)
        yield from _prose(f"{providers}: {one.class_} ({one.date}), {one.source}", "    ", width, hanging="      ")
        if one.quote:
            yield from _prose(f'"{one.quote}"', "      ", width, hanging="       ")


def _operation(operation: Mapping[str, Any]) -> str:
    source = f"{operation['from']} to " if "from" in operation else ""
    return f"{operation['op']} {source}{operation['path']}"


def _mutants(kills: Kills, width: int) -> Iterator[str]:
    if not kills.victims:
        yield from ("", "  kills no mutant", *_prose(kills.why or "no scenario shows it at work", "    ", width))
        return
    more = ", such as" if kills.count > len(kills.victims) else ""
    yield from ("", f"  kills {kills.count} mutant{'s' if kills.count > 1 else ''}{more}")
    for victim in kills.victims:
        yield f"    {victim.name}"
        yield from _prose(f"{victim.provider}: {victim.says}", "      ", width)


def _scenarios(one: RuleExplanation, width: int) -> Iterator[str]:
    yield from ("", "  scenarios made for it", *(f"    {name}" for name in one.made_for or ["(none)"]))
    if others := one.others:
        left = len(others) - SHOWN_SCENARIOS
        names = ", ".join(others[:SHOWN_SCENARIOS]) + (f", and {left} more" if left > 0 else "")
        yield from ("", f"  examined in {len(others)} other{'s' if len(others) > 1 else ''}")
        yield from _prose(names, "    ", width)
    reasons: dict[str, list[str]] = {}
    for provider, why in one.rule.not_observed.items():
        reasons.setdefault(why, []).append(provider)
    if reasons:
        yield from ("", "  not observed")
        for why, providers in reasons.items():
            yield from _prose(f"{', '.join(providers)}: {why}", "    ", width, hanging="      ")
    if one.made_for:
        yield from ("", "  try it", f"    conformance run --rule {one.rule.id} --scenario {one.made_for[0]}")


def _field(name: str, value: str, width: int) -> Iterator[str]:
    yield from _prose(value, f"  {name:<13}", width, hanging=" " * 15)


def _prose(text: str, indent: str, width: int, *, hanging: str | None = None) -> Iterator[str]:
    """Words, broken between them. What has none to break at stays whole, so that it can be copied."""
    after = indent if hanging is None else hanging
    yield from wrap(
        plain(text), width, initial_indent=indent, subsequent_indent=after,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
