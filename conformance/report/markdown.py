"""Markdown: the matrix as tables that code hosts render."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from conformance.documents import Document
from conformance.report import summary
from conformance.report.summary import Cells

EMOJI = {
    "harness_error": "🟣",
    "crash": "💥",
    "timeout": "⏱️",
    "error": "🛑",
    "protocol_error": "🛑",
    "fail": "❌",
    "warn": "⚠️",
    "buffered": "🪣",
    "unexpected_pass": "❗",
    "expected_fail": "🟡",
    "pass": "✅",
    "model_choice": "💬",
    "unsupported": "➖",
    "not_applicable": "",
}
"""The sign of each way a cell is shown."""


def markdown(document: Document) -> str:
    """The result as Markdown: a summary by stage, every rule, and what fails."""
    names = ", ".join(item["name"] for item in document["adapters"])
    lines = [f"# Tool-calling conformance: {escaped(names)}", "", *_verdict(document), ""]
    for adapter in document["adapters"]:
        if providers := summary.providers_of(document, adapter["id"]):
            lines += _adapter(document, adapter, providers)
    lines += _failures(document)
    return "\n".join(lines).rstrip() + "\n"


def _verdict(document: Document) -> Iterator[str]:
    run, suite = document["run"], document["suite"]
    conclusion, rest = summary.verdict(document).split(": ", 1)
    yield f"**{conclusion}**: {escaped(rest)}."
    yield ""
    yield (
        f"Made by {code(run['command'])} on {escaped(run['started'][:10])}, suite {escaped(suite['version'])} "
        f"({suite['rules']} rules, {suite['scenarios']} scenarios)."
    )
    if run["interrupted"]:
        yield from ("", "**Interrupted**: this is what was seen until then.")
    for line in summary.answered_by(document):
        yield from ("", f"{escaped(line)}.")
    for line in summary.obstacles(document):
        yield from ("", f"{escaped(line)}.")
    for complaint in run.get("baseline", []):
        yield from ("", f"⚠️ {escaped(complaint)}")


# --- the tables ------------------------------------------------------------------------------------------------------


def _adapter(document: Document, adapter: Document, providers: list[str]) -> Iterator[str]:
    cells = {(cell["provider"], cell["rule"]): cell for cell in document["cells"] if cell["adapter"] == adapter["id"]}
    yield from (f"## {escaped(adapter['name'])} {escaped(adapter['version'])}", "")
    yield from _stages(document, cells, providers)
    yield from ("", "<details><summary>Every rule</summary>", "")
    yield from _rules(document, cells, providers)
    present = {summary.shown(cell) for cell in cells.values()}
    signs = [f"{sign} {summary.words(name)}" for name, sign in EMOJI.items() if name in present and sign]
    yield from ("", " · ".join(signs), "", "</details>", "")


def _stages(document: Document, cells: Cells, providers: list[str]) -> Iterator[str]:
    stages = summary.rules_by_stage(document)
    yield from _head(summary.STAGE_HEAD, providers)
    for stage, rules in stages.items():
        yield row([escaped(stage), *_tallies(cells, providers, rules)])
    everything = [rule for rules in stages.values() for rule in rules]
    yield row(["**all**", *_tallies(cells, providers, everything)])


def _tallies(cells: Cells, providers: list[str], rules: list[str]) -> list[str]:
    groups = ([cells[provider, rule] for rule in rules if (provider, rule) in cells] for provider in providers)
    return [_tally(group) for group in groups]


def _tally(group: list[Document]) -> str:
    tally = summary.tally(group)
    return f"{EMOJI[summary.state(group)]} {tally if '/' in tally else ''}".strip()


def _rules(document: Document, cells: Cells, providers: list[str]) -> Iterator[str]:
    yield from _head("rule", providers)
    for rule in document["rules"]:
        own = [cells.get((provider, rule["id"])) for provider in providers]
        if any(own):
            signs = [EMOJI[summary.shown(cell)] if cell else "" for cell in own]
            yield row([code(rule["id"]).replace("|", "\\|"), *signs])


def _head(first: str, providers: list[str]) -> Iterator[str]:
    yield row([first, *map(escaped, providers)])
    yield "|" + "|".join(["---"] + [":-:"] * len(providers)) + "|"


def row(fields: Iterable[str]) -> str:
    """A row of a table."""
    return "| " + " | ".join(fields) + " |"


# --- what fails ------------------------------------------------------------------------------------------------------


def _failures(document: Document) -> Iterator[str]:
    rules = summary.rules_by_id(document)
    for number, group in enumerate(summary.failing(document)):
        if number == 0:
            yield from ("## What needs attention", "")
        yield from _failure(document, rules[group[0]["rule"]], group)


def _failure(document: Document, rule: Document, group: list[Document]) -> Iterator[str]:
    """One failing rule of one adapter: where it fails, and its first failure."""
    cell = group[0]
    yield from (f"### {EMOJI[summary.state(group)]} {code(rule['id'])} in {escaped(cell['adapter'])}", "")
    source = f"; {escaped(rule['source'][0])}" if rule["source"] else ""
    yield from (f"{escaped(rule['statement'])} *({rule['level']}, {summary.consequence(rule, group)}{source})*", "")
    yield "- where: " + ", ".join(f"{escaped(item['provider'])} ({_cases(item)})" for item in group)
    for failure in cell["failures"][:1]:
        expected, found = summary.contrast(failure)
        yield f"- case: {code(failure['case'])} on {escaped(cell['provider'])}"
        yield f"- at: {code(failure['at'] or '(whole)')} in the {failure['in']}"
        yield f"- expected: {code(expected)}"
        yield f"- found: {code(found)}"
        if cut := summary.cut_words(document["evidence"][failure["evidence"]]):
            yield f"- cut: {code(cut)}"
        yield f"- reproduce: {code(summary.reproduction(document, failure))}"
    for finding in _judged(group):
        threads = "".join(f" ({one['url']}, {one['state']} on {one['date']})" for one in finding.get("issues", ()))
        yield f"- judged: **{finding['consequence']}**, {finding['judgement']}: {escaped(finding['title'])}{threads}"
    yield ""


def _judged(group: list[Document]) -> list[Document]:
    """What the cells were judged to be, each finding once."""
    return list({finding["id"]: finding for cell in group for finding in cell.get("judged", [])}.values())


def _cases(cell: Document) -> str:
    return summary.counted(len(cell.get("failed_cases", [])), "case")


_URL_OR_SIGN = re.compile(r"https?://[\w./?#=%:@+-]+|[\\`|<>*_\[\]#&~]")


def escaped(text: str) -> str:
    """``text`` as itself: no Markdown, no HTML, one line. URLs stay whole, so that code hosts link them."""
    return _URL_OR_SIGN.sub(lambda match: match[0] if len(match[0]) > 1 else f"\\{match[0]}", summary.plain(text))


def code(text: str) -> str:
    """``text`` as code, whatever backticks it holds."""
    text = summary.plain(text) or " "
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"
