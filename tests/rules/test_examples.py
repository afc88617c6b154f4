"""Every rule from both sides: its example conforms, its violation does not, and the finding is where the damage is."""

from __future__ import annotations

import copy

import jsonpatch
import pytest

from conformance.rules import Rule, catalogue
from conformance.rules.check import Finding
from conformance.rules.examples import example_exchange
from conformance.rules.judge import judge
from conformance.wires import PROVIDERS

RULES = [rule for rule in catalogue().values() if rule.check is not None and rule.providers[0] in PROVIDERS]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_example_conforms(rule: Rule) -> None:
    verdicts = judge(rule, example_exchange(rule, rule.example))
    assert verdicts, "the rule examines nothing in its own example"
    assert verdicts == [None] * len(verdicts)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_violation_is_found_where_it_is(rule: Rule) -> None:
    broken = jsonpatch.apply_patch(copy.deepcopy(dict(rule.example)), list(rule.violation))
    findings = [verdict for verdict in judge(rule, example_exchange(rule, broken)) if verdict is not None]
    assert findings, "the violation is not found"
    places = [_place(operation["path"]) for operation in rule.violation]
    assert any(_near(finding, place) for finding in findings for place in places), (findings, places)


def _place(path: str) -> str:
    """A patch's path as a pointer into the judged document: the request's body, or the understood turn."""
    document, _, rest = path.removeprefix("/").partition("/")
    if document not in ("request", "ir"):
        return ""
    if document == "ir":  # the understood turn says "arguments", also where the wire says "args"
        rest = rest.replace("args", "arguments", 1)
    return f"/{rest}" if rest else ""


def _near(finding: Finding, place: str) -> bool:
    """Whether the finding is at the place, inside it, or at what contains it."""
    return place.startswith(finding.at) or finding.at.startswith(place)
