"""Markdown: the matrix as tables that code hosts render."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from conformance.documents import Document
from conformance.report import causes, summary
from conformance.report.sentences import sentences
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
    "limit": "🔸",
    "oddity": "🔹",
    "unexpected_pass": "❗",
    "expected_fail": "🟡",
    "pass": "✅",
    "model_choice": "💬",
    "unsupported": "➖",
    "not_applicable": "",
}
"""The sign of each way a cell is shown."""

SIGNS = {"fails": "❌", "warns": "⚠️", "oddity": "🔹", "conforms": "✅", "nothing": "➖"}
"""The sign of each sentence."""


def markdown(document: Document) -> str:
    """The result as Markdown: a summary by stage, every rule, and what fails."""
    lines = [f"# Tool-calling conformance: {escaped(summary.subjects(document))}", "", *_verdict(document), ""]
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
    yield from (f"- {SIGNS[one.standing]} {escaped(one.words)}" for one in sentences(document))
    yield ""
    if first := causes.first_to_mend(document):
        yield from (f"**{escaped(first)}**", "")
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
    yield from (f"## {escaped(summary.titled(adapter))}", "")
    yield from _stages(document, cells, providers)
    present = {summary.shown(cell) for cell in cells.values()}
    signs = [f"{sign} {summary.explained(name)}" for name, sign in EMOJI.items() if name in present and sign]
    yield from ("", " · ".join(signs), "", "<details><summary>Every rule</summary>", "")
    yield from _rules(document, cells, providers)
    yield from ("", "</details>", "")


def _stages(document: Document, cells: Cells, providers: list[str]) -> Iterator[str]:
    stages = summary.rules_by_stage(document)
    yield from _head(summary.STAGE_HEAD, providers)
    for name, rules in summary.matrix_rows(document).items():
        yield row([escaped(name), *_tallies(cells, providers, rules)])
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

MARKS = {"fails": "❌", "warns": "⚠️", "oddity": "🔹"}


def _failures(document: Document) -> Iterator[str]:
    found = causes.causes_of(document)
    for standing, head in causes.HEADS.items():
        own = [cause for cause in found if cause["standing"] == standing]
        if own:
            yield from (f"## {head}", "")
        for number, cause in enumerate(own, 1):
            yield from _cause(document, number, cause)


def _cause(document: Document, number: int, cause: Document) -> Iterator[str]:
    """One cause: what is broken and how common it is, and its first failure."""
    told = code(causes.title(document, cause))
    yield from (f"### {number}. {MARKS[cause['standing']]} {told} in {escaped(cause['adapter'])}", "")
    yield from (f"**{escaped(causes.gravity(document, cause))}**", "")
    if cause["kind"] == "difference":
        rule = causes.rule_of(document, cause)
        source = causes.source(document, cause)
        yield from (f"{escaped(rule['statement'])}{f' *({escaped(source)})*' if source else ''}", "")
    for name, value in causes.facts(document, cause):
        yield f"- {name}: {code(value)}"
    for finding in _judged(document, cause):
        threads = "".join(f" ({one['url']}, {one['state']} on {one['date']})" for one in finding.get("issues", ()))
        yield f"- judged: **{finding['consequence']}**, {finding['judgement']}: {prose(finding['title'])}{threads}"
    for name, lines in causes.blocks(document, cause):
        yield from ("", f"<details><summary>{name}</summary>", "", *fenced(lines), "", "</details>")
    yield ""


def _judged(document: Document, cause: Document) -> list[Document]:
    """What the cells of a cause were judged to be, each finding once."""
    places = {(cause["adapter"], provider, rule) for provider in cause["providers"] for rule in cause["rules"]}
    cells = [cell for cell in document["cells"] if "judged" in cell]
    own = [cell for cell in cells if (cell["adapter"], cell["provider"], cell["rule"]) in places]
    return list({finding["id"]: finding for cell in own for finding in cell["judged"]}.values())


def prose(text: str) -> str:
    """Words; what stands between backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escaped(text)
    return "".join(code(part) if number % 2 else escaped(part) for number, part in enumerate(parts))


def fenced(lines: list[str]) -> Iterator[str]:
    """Lines as a block of code, whatever backticks they hold."""
    fence = "`" * max(3, 1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=0))
    yield from (f"{fence}text", *lines, fence)


_URL_OR_SIGN = re.compile(r"https?://[\w./?#=%:@+-]+|[\\`|<>*_\[\]#&~]")


def escaped(text: str) -> str:
    """``text`` as itself: no Markdown, no HTML, one line. URLs stay whole, so that code hosts link them."""
    return _URL_OR_SIGN.sub(lambda match: match[0] if len(match[0]) > 1 else f"\\{match[0]}", summary.plain(text))


def code(text: str) -> str:
    """``text`` as code, whatever backticks it holds."""
    text = summary.plain(text) or " "
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"
