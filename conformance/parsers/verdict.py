"""What came of a parser: each rule's outcome, and each finding once, with the first case that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from conformance.model import Json
from conformance.parsers.cases import parser_cases
from conformance.parsers.grammar import ParserGrammar
from conformance.parsers.plays import CasePlays, played_case
from conformance.parsers.rules import PARSER_RULES, ParserFault
from conformance.parsers.subject import Subject

ParserOutcome = Literal["pass", "warn", "fail", "not run"]


@dataclass(slots=True)
class ParserFinding:
    """A rule that was broken. ``text`` is what the model wrote in the first case that shows it; ``cases`` are all."""

    rule: str
    case: str
    text: str
    fault: ParserFault
    cases: list[str] = field(default_factory=list)
    times: int = 0

    def document(self) -> dict[str, Json]:
        """As JSON."""
        rule = PARSER_RULES[self.rule]
        return {
            "rule": self.rule, "level": rule.level, "statement": rule.statement, "case": self.case, "text": self.text,
            "how": self.fault.how, "expected": self.fault.expected, "found": self.fault.found,
            "cases": list(self.cases), "times": self.times,
        }  # fmt: skip


@dataclass(slots=True)
class ParserVerdict:
    """The verdict. ``rules`` has the number of cases in which each rule was kept and broken."""

    parser: str
    grammar: str
    name: str = ""
    version: str = ""
    reason: str = ""
    cases: int = 0
    plays: int = 0
    rules: dict[str, tuple[int, int]] = field(default_factory=dict)
    findings: list[ParserFinding] = field(default_factory=list)

    @property
    def outcome(self) -> ParserOutcome:
        """``fail`` where a rule that must hold was broken; ``warn`` where one that should was."""
        if self.reason or not self.cases:
            return "not run"
        levels = {PARSER_RULES[finding.rule].level for finding in self.findings}
        return "fail" if "must" in levels else "warn" if levels else "pass"

    def document(self) -> dict[str, Json]:
        """As JSON (``schemas/parser_verdicts.schema.json``)."""
        rules = {name: {"kept": kept, "broken": broken} for name, (kept, broken) in self.rules.items()}
        return {
            "parser": self.parser, "grammar": self.grammar, "name": self.name, "version": self.version,
            "outcome": self.outcome, "reason": self.reason, "cases": self.cases, "plays": self.plays, "rules": rules,
            "findings": [finding.document() for finding in self.findings],
        }  # fmt: skip


def parser_verdict(subject: Subject, address: str, grammar: ParserGrammar, only: Sequence[str] = ()) -> ParserVerdict:
    """TextPlay all cases, or those that begin with one of ``only``, and judge them."""
    verdict = ParserVerdict(address, grammar.id, subject.info.name, subject.info.version)
    for case in parser_cases(grammar, thinking=subject.info.thinking):
        if not only or any(case.id.startswith(name) for name in only):
            played = played_case(subject, case)
            verdict.cases += 1
            verdict.plays += len(played.cuts) + len(played.off) + len(list(played.modes))
            add_case(played, grammar, verdict)
    return verdict


def add_case(played: CasePlays, grammar: ParserGrammar, verdict: ParserVerdict) -> None:
    """Add what the rules say of a case."""
    for name, rule in PARSER_RULES.items():
        faults = rule.check(played, grammar)
        if faults is None:
            continue
        kept, broken = verdict.rules.get(name, (0, 0))
        verdict.rules[name] = (kept + (not faults), broken + bool(faults))
        if faults:
            _enter(verdict, name, played, faults)


def _enter(verdict: ParserVerdict, rule: str, played: CasePlays, faults: Sequence[ParserFault]) -> None:
    case = played.case
    finding = next((one for one in verdict.findings if one.rule == rule), None)
    if finding is None:
        finding = ParserFinding(rule, case.id, case.written.text, faults[0])
        verdict.findings.append(finding)
    finding.cases.append(case.id)
    finding.times += sum(fault.times for fault in faults)
