"""A verdict as text: the matrix of inbound and outbound formats, then what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.wording import on_one_line

SHOWN = 300
"""How many characters of a value are shown."""


def verdict_lines(verdict: Mapping[str, Any]) -> Iterator[str]:
    """The verdict, line by line."""
    title = " ".join(filter(None, (verdict["title"], verdict["version"])))
    if verdict["reason"]:
        yield f"NOT RUN  {title}: {on_one_line(verdict['reason'], SHOWN)}"
        yield from (f"  {line}" for line in verdict["said"].splitlines()[-20:])
        return
    cells = verdict["cells"]
    played = sum(cell["cases"]["of"] for cell in cells)
    yield f"{verdict['outcome'].upper():<8} {title}: {played} cases, {verdict['seconds']} s"
    if not verdict["contained"]:
        yield "  network not contained"
    for one in verdict["outsiders"]:
        port = "" if one["port"] is None else f" at port {one['port']}"
        yield f"  asked for {one['host']}{port} ({one['times']} times)"
    yield from matrix(cells)
    yield from _findings(cells)


def matrix(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Inbound formats down, outbound providers across: how many cases broke nothing that must hold."""
    inbound = list(dict.fromkeys(cell["inbound"] for cell in cells))
    outbound = list(dict.fromkeys(cell["outbound"] for cell in cells))
    known = {(cell["inbound"], cell["outbound"]): in_a_word(cell) for cell in cells}
    rows = [["in \\ out", *outbound]] + [[one, *(known.get((one, other), "") for other in outbound)] for one in inbound]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        yield "  " + "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip()


def in_a_word(cell: Mapping[str, Any]) -> str:
    """A cell of the matrix. ``→`` names the formats that were asked for instead of the one that was meant."""
    if cell["outcome"] == "not run":
        return "–"
    others = [name for name in cell["reached"] if name != cell["outbound"]]
    lost = f", {len(cell['losses'])} lost" if cell["losses"] else ""
    reached = f" → {', '.join(others)}" if others else ""
    return f"{cell['cases']['passed']}/{cell['cases']['of']}{lost}{reached}"


def _findings(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for cell in cells:
        name = f"{cell['inbound']} → {cell['outbound']}"
        if cell["reason"]:
            yield f"{name}: not run: {cell['reason']}"
            continue
        if cell["findings"] or cell["losses"]:
            yield f"{name}:"
        for finding in cell["findings"]:
            times = "" if finding["times"] == 1 else f" ({finding['times']} times)"
            at = f" at {finding['at']}" if finding["at"] else ""
            yield f"  {finding['level']:<6} {finding['rule']}{times} in {finding['shown_by'][0]}{at}"
            for word in ("expected", "found"):
                yield f"         {word} {on_one_line(str(finding[word]), SHOWN)}"
        for loss in cell["losses"]:
            yield f"  lost   {loss['id']} ({loss['times']} times): {loss['lost']}"
