"""The matrix on a terminal, or in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from conformance.documents import Document
from conformance.report import causes, summary
from conformance.report.printing import say_to
from conformance.report.sentences import sentences
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
    "limit": "yellow",
    "oddity": "blue",
    "unexpected_pass": "yellow",
    "expected_fail": "cyan",
    "pass": "green",
    "model_choice": "dim",
    "unsupported": "dim",
    "not_applicable": "dim",
}

STANDINGS = {"fails": "bold red", "warns": "yellow", "oddity": "blue"}
SHOWN_CAUSES = {"fails": 12, "warns": 3, "oddity": 0}
"""How many causes are told with their evidence, unless all are asked for."""
SHOWN_LINES = 12
"""How many more are told in a line."""

SENTENCES = {"fails": "red", "warns": "yellow", "oddity": "blue", "conforms": "green", "nothing": "dim"}
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
    if document["cells"]:
        _print(console, Text())
        _words(console, summary.legend(document["cells"]), style="dim", indent="")
    _causes(document, console, verbose=verbose)
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
    told = list(sentences(document))
    if told:
        _print(console, Text())
    for sentence in told:
        _words(console, sentence.words, style=SENTENCES[sentence.standing], indent="")
    if first := causes.first_to_mend(document):
        _print(console, Text(summary.plain(first), style="bold"))
    style = "bold green" if document["run"]["exit_code"] == 0 else "bold red"
    _print(console, Text(f"\n{summary.verdict(document)}", style=style))


# --- the table -------------------------------------------------------------------------------------------------------


def _matrix(document: Document, adapter: Document, providers: list[str], console: Console, *, verbose: bool) -> None:
    cells = {
        (cell["provider"], cell["rule"]): cell for cell in document["cells"] if cell["adapter"] == adapter["id"]
    }
    _print(console, Text(summary.plain(summary.titled(adapter)), style="bold underline"))
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
    rows = {**summary.matrix_rows(document), "all": [rule for rules in stages.values() for rule in rules]}
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

BRIGHT = frozenset({"expected", "found", "reproduce"})
"""The lines that somebody looks for."""


def _causes(document: Document, console: Console, *, verbose: bool) -> None:
    """The causes, most important first, those of each standing below its head."""
    for standing, head in causes.HEADS.items():
        own = [one for one in causes.causes_of(document) if one["standing"] == standing]
        if not own:
            continue
        _print(console, Text(f"\n{head}", style="bold underline"))
        told = own if verbose else own[: SHOWN_CAUSES[standing]]
        for number, cause in enumerate(told, 1):
            _tell(document, number, cause, console)
        for cause in own[len(told) :][:SHOWN_LINES]:
            gravity = causes.gravity(document, cause)
            _print(console, Text(f"- {summary.plain(causes.title(document, cause))}  {gravity}"))
        if (left := len(own) - len(told) - SHOWN_LINES) > 0:
            _print(console, Text(f"… and {left} more: see them all with --verbose, or in a file with --out matrix.md"))


def _tell(document: Document, number: int, cause: Document, console: Console) -> None:
    """One cause: what is broken and how common it is, and of its first failure all that is known."""
    head = Text(f"\n{number}. {summary.plain(causes.title(document, cause))}", style=STANDINGS[cause["standing"]])
    head.append(f"  {causes.gravity(document, cause)}", style="dim")
    _print(console, head)
    if cause["kind"] == "difference":
        rule = causes.rule_of(document, cause)
        _words(console, rule["statement"])
        if source := causes.source(document, cause):
            _words(console, f"source: {source}", style="dim")
    if len(document["adapters"]) > 1:
        _field(console, "where", cause["adapter"])
    *facts, last = causes.facts(document, cause)
    for name, value in facts:
        _field(console, name, value)
    for name, lines in causes.blocks(document, cause):
        _print(console, Text(f"  {name}:", style="dim"))
        for line in lines:
            _print(console, Text(f"    {line}"))
    _field(console, *last)


def _words(console: Console, text: str, style: str = "", indent: str = "  ") -> None:
    """Prose: indented, and broken between words on a terminal."""
    line = Text(summary.plain(text), style=style)
    for part in line.wrap(console, console.width - len(indent)) if console.is_terminal else [line]:
        part.rstrip()
        _print(console, Text(indent).append_text(part))


def _field(console: Console, name: str, value: str) -> None:
    """A named value in one line, so that it can be copied whole."""
    text = Text(f"  {name + ':':<11}", style="dim")
    text.append(summary.plain(value), style="not dim bold" if name in BRIGHT else "not dim")
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
