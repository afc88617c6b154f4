"""The matrix on a terminal, or in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from conformance.documents import Document
from conformance.report import summary
from conformance.report.printing import say_to
from conformance.report.summary import Cells

STYLES = {
    "harness_error": "bold magenta",
    "crash": "bold red",
    "timeout": "bold red",
    "error": "bold red",
    "protocol_error": "bold red",
    "fail": "bold red",
    "warn": "yellow",
    "buffered": "yellow",
    "unexpected_pass": "yellow",
    "expected_fail": "cyan",
    "pass": "green",
    "model_choice": "dim",
    "unsupported": "dim",
    "not_applicable": "dim",
}

SHOWN_FAILURES = 12
"""How many failing rules are told with their evidence, unless all are asked for."""

GAP = "  "


def print_matrix(document: Document, *, verbose: bool = False) -> None:
    """Print the matrix, and what fails, to standard output."""
    console = Console(file=sys.stdout, highlight=False)
    with console.capture() as captured:
        render(document, console, verbose=verbose)
    say_to(sys.stdout, _encodable(captured.get(), sys.stdout.encoding or "utf-8"))


def render(document: Document, console: Console, *, verbose: bool) -> None:
    """Write everything to ``console``. Only a terminal has a width to keep to: in a pipe no line is broken."""
    for number, adapter in enumerate(document["adapters"]):
        if providers := summary.providers_of(document, adapter["id"]):
            if number:
                _print(console, Text())
            _matrix(document, adapter, providers, console, verbose=verbose)
    if verbose:
        _print(console, Text(f"\n{summary.legend(document['cells'])}", style="dim"))
    groups = list(summary.failing(document))
    told = groups if verbose else groups[:SHOWN_FAILURES]
    for group in told:
        _tell(document, group, console)
    if left := len(groups) - len(told):
        _print(console, Text(f"\n… and {left} more: see them all with --verbose, or in a file with --out matrix.md"))
    _end(document, console)


def _end(document: Document, console: Console) -> None:
    for complaint in document["run"].get("baseline", []):
        _print(console, Text(f"\n{summary.plain(complaint)}", style="bold red"))
    for line in summary.obstacles(document):
        _print(console, Text(f"\n{summary.plain(line)}", style="yellow"))
    if document["run"]["interrupted"]:
        _print(console, Text("\ninterrupted: this is what was seen until then", style="yellow"))
    if lines := list(summary.answered_by(document)):
        _print(console, Text("\n" + "\n".join(map(summary.plain, lines))))
    style = "bold green" if document["run"]["exit_code"] == 0 else "bold red"
    _print(console, Text(f"\n{summary.verdict(document)}", style=style))


# --- the table -------------------------------------------------------------------------------------------------------


def _matrix(document: Document, adapter: Document, providers: list[str], console: Console, *, verbose: bool) -> None:
    cells = {
        (cell["provider"], cell["rule"]): cell for cell in document["cells"] if cell["adapter"] == adapter["id"]
    }
    _print(console, Text(summary.plain(f"{adapter['name']} {adapter['version']}"), style="bold underline"))
    lines = _rules(document, cells, providers) if verbose else _stages(document, cells, providers, console)
    for line in lines:
        _print(console, line)


def _rules(document: Document, cells: Cells, providers: list[str]) -> Iterator[Text]:
    """A row for every rule. Columns are two wide, so the providers' names stand above each other like stairs."""
    rules = [rule["id"] for rule in document["rules"] if any((name, rule["id"]) in cells for name in providers)]
    width = max((cell_len(summary.plain(rule)) for rule in rules), default=0)
    for place, provider in enumerate(providers):
        yield Text(" " * width + GAP + "│ " * place + summary.plain(provider), style="dim")
    for rule in rules:
        yield _row(rule, width, [_glyph(cells.get((provider, rule))) for provider in providers], " ")


def _glyph(cell: Document | None) -> Text:
    return Text(summary.GLYPHS[summary.shown(cell)], style=STYLES[summary.shown(cell)]) if cell else Text(" ")


def _stages(document: Document, cells: Cells, providers: list[str], console: Console) -> Iterator[Text]:
    """A row for every stage, and one for all. As many tables below each other as the terminal's width asks for."""
    stages = summary.rules_by_stage(document)
    rows = {**stages, "all": [rule for rules in stages.values() for rule in rules]}
    first = max(cell_len(summary.plain(name)) for name in (summary.STAGE_HEAD, *rows))
    columns = [_column(provider, rows, cells) for provider in providers]
    for number, part in enumerate(_parts(columns, console.width - first if console.is_terminal else None)):
        if number:
            yield Text()
        for place, name in enumerate((summary.STAGE_HEAD, *rows)):
            yield _row(name, first, [column[place] for column in part])


def _column(provider: str, rows: Mapping[str, list[str]], cells: Cells) -> list[Text]:
    """A provider's column, all of it equally wide."""
    groups = [[cells[provider, rule] for rule in rules if (provider, rule) in cells] for rules in rows.values()]
    tallies = [summary.tally(group) for group in groups]
    numbers = max(map(len, tallies))
    column = [Text(summary.plain(provider), style="bold")]
    column += [_tally(group, tally.rjust(numbers)) for group, tally in zip(groups, tallies, strict=True)]
    width = max(text.cell_len for text in column)
    for text in column:
        text.pad_right(width - text.cell_len)
    return column


def _tally(group: list[Document], tally: str) -> Text:
    state = summary.state(group)
    return Text(f"{summary.GLYPHS[state]} {tally if '/' in tally else ''}", style=STYLES[state])


def _parts(columns: list[list[Text]], width: int | None) -> Iterator[list[list[Text]]]:
    """The columns in groups that fit into ``width``; in one group when that is ``None``."""
    part: list[list[Text]] = []
    for column in columns:
        if width is not None and part and sum(len(GAP) + item[0].cell_len for item in (*part, column)) > width:
            yield part
            part = []
        part.append(column)
    yield part


def _row(name: str, width: int, texts: list[Text], gap: str = GAP) -> Text:
    name = summary.plain(name)
    line = Text(name + " " * (width - cell_len(name)) + GAP)
    line.append_text(Text(gap).join(texts))
    line.rstrip()
    return line


# --- what fails ------------------------------------------------------------------------------------------------------


def _tell(document: Document, group: list[Document], console: Console) -> None:
    """One failing rule: its words and source, where it fails, and of its first failure all that is known."""
    cell = group[0]
    rule = summary.rules_by_id(document)[cell["rule"]]
    state = summary.state(group)
    head = Text(f"\n{summary.GLYPHS[state]} {summary.plain(rule['id'])}", style=STYLES[state])
    head.append(f"  {rule['level']}, {summary.consequence(rule, group)}", style="dim")
    _print(console, head)
    _words(console, rule["statement"])
    if rule["source"]:
        _words(console, f"source: {rule['source'][0]}", style="dim")
    _field(console, "where", f"{cell['adapter']} on {', '.join(item['provider'] for item in group)}")
    for failure in cell["failures"][:1]:
        others = len(cell.get("failed_cases", [])) - 1
        more = f" and {others} more" if others > 0 else ""
        on = f" on {cell['provider']}" if len(group) > 1 else ""
        expected, found = summary.contrast(failure)
        _field(console, "case", f"{failure['case']}{more}{on}")
        _field(console, "at", f"{failure['at'] or '(whole)'} in the {failure['in']}")
        _field(console, "expected", expected)
        _field(console, "found", found)
        if cut := summary.cut_words(document["evidence"][failure["evidence"]]):
            _field(console, "cut", cut)
        _field(console, "reproduce", summary.reproduction(document, failure))


def _words(console: Console, text: str, style: str = "") -> None:
    """Prose: indented, and broken between words on a terminal."""
    line = Text(summary.plain(text), style=style)
    for part in line.wrap(console, console.width - 2) if console.is_terminal else [line]:
        part.rstrip()
        _print(console, Text("  ").append_text(part))


def _field(console: Console, name: str, value: str) -> None:
    """A named value in one line, so that it can be copied whole."""
    text = Text(f"  {name + ':':<11}", style="dim")
    text.append(summary.plain(value), style="default")
    _print(console, text)


def _print(console: Console, text: Text) -> None:
    console.print(text, soft_wrap=True)


def _encodable(text: str, encoding: str) -> str:
    """``text`` with plain letters for its signs, if ``encoding`` cannot carry them: the columns stay where they are."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(str.maketrans("✓✗–·│┃…—", "vX-.||~-"))
    return text
