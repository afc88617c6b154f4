"""A rule as a page of Markdown: what the site shows at the rule's stable address, ``rules/<id>.html``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

from conformance.report.explain import SIDES, RuleExplanation, as_data
from conformance.report.summary import CONSEQUENCES
from conformance.rules import Rule

AROUND = 8
"""How many lines are shown around one that differs."""
ADDRESS = re.compile(r"https?://[^\s)\]>,]+")
THREAD = re.compile(r"(?<![\w/.-])([\w.-]+/[\w.-]+)#(\d+)\b")


def rule_page(one: RuleExplanation) -> str:
    """The page. What others wrote stands in it as text: no markup of theirs is read."""
    return "\n".join(_lines(one)) + "\n"


def rules_index(rules: list[Rule]) -> str:
    """The page that lists all rules, family by family, with a table of contents that names each page."""
    lines = ["# All rules", "", "A rule is one sentence with a source. The address of its page does not change.", ""]
    for family in dict.fromkeys(rule.id.partition(".")[0] for rule in rules):
        lines += [f"## {family}", "", "| rule | level | says |", "|---|---|---|"]
        own = [rule for rule in rules if rule.id.partition(".")[0] == family]
        lines += [f"| [{rule.id}]({rule.id}.md) | {rule.level} | {_cell(rule.statement)} |" for rule in own]
        lines.append("")
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *(rule.id for rule in rules), "```", ""])


def _lines(one: RuleExplanation) -> Iterator[str]:
    rule = one.rule
    yield from (f"# {rule.id}", "", f"**{_text(rule.statement)}**", "")
    yield from _table(["what", "is"], list(_facts(rule)))
    if rule.notes:
        yield from ("## Note", "", _text(rule.notes), "")
    yield from ("## Who says so", "", *(f"- {_text(source)}" for source in rule.source), "")
    yield from _evidence(rule)
    yield from _example(one)
    yield from ("## See it", "", "```sh", f"conformance explain {rule.id}")
    yield from (f"conformance run --rule {rule.id} --scenario {name}" for name in one.made_for[:1])
    yield from ("```", "")
    if names := [*one.made_for, *one.others]:
        yield from ("Scenarios in which it examines something: " + ", ".join(f"`{name}`" for name in names) + ".", "")
    if one.kills.count:
        yield from (f"The [self-test](../docs/selftest.md) has {one.kills.count} wrong adapters that it tells.", "")


def _facts(rule: Rule) -> Iterator[list[str]]:
    yield ["level", rule.level]
    yield ["consequence", f"{rule.consequence}: {CONSEQUENCES[rule.consequence]}"]
    yield ["judges", f"{SIDES[rule.side]} ({rule.stage})"]
    yield ["profile", rule.profile]
    yield ["providers", ", ".join(rule.providers)]
    yield ["since", rule.since]
    if rule.aliases:
        yield ["once called", ", ".join(f"`{name}`" for name in rule.aliases)]


def _evidence(rule: Rule) -> Iterator[str]:
    """What the rule rests on, provider by provider; the same record is told once."""
    if not rule.evidence:
        return
    yield from ("## Evidence", "")
    rows = []
    for record in dict.fromkeys(rule.evidence.values()):
        providers = ", ".join(name for name, known in rule.evidence.items() if known == record)
        quote = f' "{record.quote}"' if record.quote else ""
        rows.append([providers, record.class_, record.date, _cell(f"{record.source}{quote}")])
    yield from _table(["provider", "class", "date", "record"], rows)


def _example(one: RuleExplanation) -> Iterator[str]:
    right, wrong = (_json(document) for document in (one.rule.example, one.violation))
    yield from ("## An example", "", "What conforms has the lines with `-`. What breaks the rule has `+` instead.", "")
    yield from ("```diff", *list(unified_diff(right, wrong, lineterm="", n=AROUND))[2:], "```", "")
    told = as_data(one)["finding"]
    if told is not None:
        yield from ("What is found there:", "")
        yield from _table(["what", "is"], [[name, _cell(_shown(told[name]))] for name in ("at", "expected", "found")])


def _json(document: Any) -> list[str]:
    return json.dumps(document, ensure_ascii=False, indent=2, default=str).split("\n")


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")


def _text(text: str) -> str:
    """Words on one line, with addresses and threads as links, and nothing else as markup."""
    pieces: list[str] = []
    end = 0
    plain = " ".join(text.split())
    for found in re.finditer(f"{ADDRESS.pattern}|{THREAD.pattern}", plain):
        address = found[0] if found[1] is None else f"https://github.com/{found[1]}/issues/{found[2]}"
        pieces += [_quoted(plain[end : found.start()]), f"[{_quoted(found[0])}]({address.rstrip('.;:')})"]
        end = found.end()
    return "".join([*pieces, _quoted(plain[end:])])


def _quoted(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>$#~])", r"\\\1", text)
