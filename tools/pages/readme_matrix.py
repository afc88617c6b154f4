"""Put matrices into the README: the reference adapters' as a terminal shows it, and a row for each public library.

``--check`` changes nothing and exits 1 when the README shows something else.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from conformance.adapters.libraries import LIBRARIES
from conformance.judgements import read_judgements
from conformance.report.findings import in_order, overview
from conformance.report.terminal import render
from conformance.result import read_result

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "reports"


def matrix() -> str:
    """The matrix of the reference adapters as text."""
    stream = io.StringIO()
    console = Console(file=stream, width=120, highlight=False, color_system=None)
    render(read_result(REPORTS / "reference" / "result.json"), console, verbose=False)
    text = "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
    return f"```\n{text.strip()}\n```"


def libraries() -> str:
    """The table of public libraries."""
    document = read_result(REPORTS / "libraries" / "result.json")
    every = in_order(document, read_judgements(ROOT / "judgements" / "libraries"))
    rows = overview(document, every, "reports/libraries/findings.md", dict(doors()))
    day = document["run"]["started"][:10]
    head = f"Run on {day}, newest versions, with the rules and scenarios of that day."
    doors_head = "*Doors played*: [methods · parameters · providers](reports/doors/README.md) about tools, of all."
    return "\n".join([head, doors_head, "", *rows])


def doors() -> Iterator[tuple[str, str]]:
    """How many methods, parameters and providers about tools are played, of how many, by adapter."""
    figures = json.loads((REPORTS / "doors" / "figures.json").read_text("utf-8"))
    for name, library in LIBRARIES.items():
        if one := figures.get(library.distribution):
            counts = (one["figures"][kind] for kind in ("method", "parameter", "provider"))
            shown = " · ".join(f"{count['played']}/{count['all']}" for count in counts)
            yield name, f"[{shown}](reports/doors/{one['page']})"


BLOCKS = {"matrix": matrix, "libraries": libraries}
"""What is put between the comments of these names."""


def main() -> int:
    readme = ROOT / "README.md"
    text = shown = readme.read_text("utf-8")
    for name, made in BLOCKS.items():
        block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        shown = block.sub(lambda found, made=made: f"{found[1]}\n{made()}\n\n{found[2]}", shown)
    if "--check" in sys.argv:
        return 0 if shown == text else 1
    readme.write_text(shown, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
