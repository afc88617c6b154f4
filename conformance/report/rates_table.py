"""Rates of faults for people: a table of text, or of Markdown. The JSON has all rates. Here stand those of the model's
faults, and those of rules that were broken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conformance.traffic.model_faults import FAULTS
from conformance.traffic.rates import Period, Rate, noteworthy_rates

HEAD = ("model", "host", "rule", "failed", "of", "rate", "95 %")
NUMBERS = ("failed", "of", "rate", "95 %")
UNKNOWN = "(unknown)"

ABOUT = (
    "The interval takes each examined thing as one of its own; what one conversation repeats makes it too narrow.",
)


def rates_lines(found: Iterable[Rate], period: Period) -> Iterator[str]:
    """A table of text."""
    head, rows = _cells(found, period)
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    for row in (head, *rows):
        cells = (
            cell.rjust(width) if name in NUMBERS else cell.ljust(width)
            for cell, width, name in zip(row, widths, head, strict=True)
        )
        yield "  ".join(cells).rstrip()
    yield ""
    yield from (f"{rule}: {words}" for rule, words in FAULTS.items())
    yield from ABOUT


def rates_markdown(found: Iterable[Rate], period: Period) -> Iterator[str]:
    """A table of Markdown."""
    head, rows = _cells(found, period)
    yield _line(head)
    yield _line(["--:" if name in NUMBERS else "---" for name in head])
    yield from (_line([_escaped(cell) for cell in row]) for row in rows)
    yield ""
    yield from (f"- `{rule}`: {words}" for rule, words in FAULTS.items())
    yield ""
    yield from ABOUT


def _cells(found: Iterable[Rate], period: Period) -> tuple[list[str], list[list[str]]]:
    timed = period != "total"
    head = [period, *HEAD] if timed else list(HEAD)
    rows = [[rate.period or UNKNOWN, *_row(rate)] if timed else _row(rate) for rate in noteworthy_rates(found)]
    return head, rows


def _row(rate: Rate) -> list[str]:
    low, high = rate.interval
    return [
        rate.model or UNKNOWN, rate.host or UNKNOWN, rate.rule, str(rate.failed), str(rate.checked),
        f"{rate.rate:.1%}", f"{low:.1%} to {high:.1%}",
    ]  # fmt: skip


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("`", "\\`").replace("<", "&lt;").replace("[", "\\[")
